"""Lazy predictions on collections."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest

import dask
from boxwise.dask import DaskHyperboxClassifier
from tests.dask.conftest import rows_and_labels, tables_of


@pytest.fixture(scope="module")
def clf(client, loans):
    return DaskHyperboxClassifier(max_boxes=100, client=client).fit(*tables_of(loans, 3))


@pytest.fixture(scope="module")
def of_numbers(client, loans):
    X = da.from_array(loans[["salary", "age", "loan"]].to_numpy(float), chunks=(500, 2))
    y = da.from_array((loans["decision"] == "approved").to_numpy(int), chunks=500)
    return DaskHyperboxClassifier(max_boxes=100, client=client).fit(X, y), X


def test_predictions_for_a_data_frame_are_those_of_the_local_model(clf, loans):
    X, local = tables_of(loans, 5)[0], clf.to_local()
    rows = X.compute()
    for name in ("predict", "predict_proba"):
        lazy, expected = getattr(clf, name)(X), getattr(local, name)(rows)
        assert isinstance(lazy, da.Array)
        assert lazy.dtype == expected.dtype
        assert lazy.ndim == expected.ndim
        assert lazy.numblocks[0] == 5
        np.testing.assert_array_equal(lazy.compute(), expected)


def test_predictions_for_an_array_are_those_of_the_local_model(of_numbers):
    clf, X = of_numbers
    local = clf.to_local()
    for name in ("predict", "predict_proba"):
        lazy, expected = getattr(clf, name)(X), getattr(local, name)(X.compute())
        assert lazy.chunks == ((500, 500, 200), *((n,) for n in expected.shape[1:]))
        assert lazy.dtype == expected.dtype
        assert lazy[700:702].compute().tolist() == expected[700:702].tolist()
        np.testing.assert_array_equal(lazy.compute(), expected)


def test_predictions_have_a_column_for_announced_classes(client, loans):
    X, y = tables_of(loans, 2)
    clf = DaskHyperboxClassifier(max_boxes=100, client=client).partial_fit(X, y, classes=["later"])
    proba = clf.predict_proba(X)
    assert proba.shape[1] == 3
    assert proba.compute().shape == (1_200, 3)


def test_nothing_is_computed_before_it_is_asked_for(clf, loans):
    X = tables_of(loans, 2)[0].map_partitions(lambda part: 1 / 0, meta=tables_of(loans, 2)[0]._meta)
    lazy = [clf.predict(X), clf.predict_proba(X), clf.explain(X)]
    with pytest.raises(ZeroDivisionError):
        lazy[0].compute()


def test_predictions_need_no_cluster_and_keep_the_model_of_their_call(client, loans):
    X, y = tables_of(loans, 2)
    clf = DaskHyperboxClassifier(max_boxes=100, client=client).fit(X, y)
    lazy, expected = clf.predict_proba(X), clf.to_local().predict_proba(X.compute())
    clf.partial_fit(X, y)
    with dask.config.set(scheduler="synchronous"):
        np.testing.assert_array_equal(lazy.compute(), expected)
        assert not np.array_equal(clf.predict_proba(X).compute(), expected)


def test_partitions_without_rows_have_no_predictions(clf, loans):
    X = tables_of(loans.assign(row=range(1_200)), 4)[0]
    keep = X["row"] < 150  # three of the partitions are empty
    X = X.drop(columns="row")
    some, local = X[keep], clf.to_local()
    assert clf.predict(some).compute().tolist() == local.predict(some.compute()).tolist()
    assert clf.predict_proba(some).compute().shape == (150, 2)
    assert clf.explain(some, counterfactual=False).compute().shape == (150,)
    nothing = X[X["age"] < 0]
    assert clf.predict(nothing).compute().dtype == local.classes_.dtype
    assert clf.predict_proba(nothing).compute().shape == (0, 2)


def test_explanations_are_those_of_the_local_model(clf, of_numbers, loans):
    X, local = tables_of(loans[:6], 2)[0], clf.to_local()
    for how in ({"counterfactual": False}, {"fixed": ["loan"], "counterfactuals": 2}):
        lazy = clf.explain(X, **how)
        assert lazy.dtype == object
        parts = [local.explain(X.partitions[i].compute(), **how) for i in range(2)]
        assert [*map(str, lazy.compute())] == [str(why) for part in parts for why in part]
    numbers, table = of_numbers
    (why,) = numbers.explain(table[700:701], counterfactual=False).compute()
    assert why.prediction == numbers.predict(table)[700].compute()


def test_explain_takes_a_few_local_rows(clf, loans):
    rows = rows_and_labels(loans[:2])[0]
    of_frame = clf.explain(rows, counterfactual=False)
    of_dicts = clf.explain(rows.to_dict("records"), counterfactual=False)
    assert [*map(str, of_frame)] == [*map(str, of_dicts)]


def test_score_is_the_accuracy_of_the_local_model(clf, loans):
    X, y = rows_and_labels(loans)
    assert clf.score(*tables_of(loans, 4)) == pytest.approx(clf.to_local().score(X, y))
    weights = tables_of(loans, 4)[0]["age"]
    expected = clf.to_local().score(X, y, sample_weight=X["age"])
    assert clf.score(*tables_of(loans, 4), sample_weight=weights) == pytest.approx(expected)
