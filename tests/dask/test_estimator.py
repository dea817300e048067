"""The estimator as scikit-learn and pickle see it, and what it refuses."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import boxwise
from boxwise import HyperboxClassifier, dumps
from boxwise.dask import DaskHyperboxClassifier
from tests.dask.conftest import rows_and_labels, tables_of


@pytest.fixture(scope="module")
def clf(client, loans):
    return DaskHyperboxClassifier(max_boxes=100, client=client).fit(*tables_of(loans, 2))


def test_parameters_are_those_of_the_local_classifier_but_dates_and_two_more():
    local = dict(inspect.signature(HyperboxClassifier).parameters)
    del local["dates"]
    ours = inspect.signature(DaskHyperboxClassifier).parameters
    assert [*ours] == [*local, "tune_rows", "client"]
    assert all(ours[name].default == local[name].default for name in local)


def test_a_classifier_that_reads_dates_is_refused():
    with pytest.raises(ValueError, match=r"dates cannot go on with dask; .*\.dt\.month"):
        DaskHyperboxClassifier.from_local(HyperboxClassifier(dates={"opened": ["month"]}))


def test_parameters_are_set_and_cloned(client):
    clf = DaskHyperboxClassifier(theta=0.3, class_weight={"a": 2.0}, tune_rows=7, client=client)
    copied = clone(clf)
    assert copied.get_params() == clf.get_params()
    assert copied.client is client
    assert copied.class_weight is not clf.class_weight
    assert clone(clf.set_params(theta=0.4)).theta == 0.4


def test_attributes_are_those_of_the_local_model(clf, loans):
    local = clf.to_local()
    assert type(local) is HyperboxClassifier
    assert list(clf.classes_) == ["approved", "declined"]
    assert clf.n_features_in_ == 9
    assert list(clf.feature_names_in_) == list(loans.columns[:-1])
    assert clf.n_boxes_ == len(clf.boxes_) == len(local.boxes_)
    assert clf.schema_ == local.schema_
    assert clf.changes_ == local.changes_ == []
    np.testing.assert_array_equal(clf.relevance_, local.relevance_)


def test_attributes_need_a_model(loans):
    clf = DaskHyperboxClassifier()
    for name in ("classes_", "n_features_in_", "client_", "boxes_", "changes_", "relevance_"):
        assert not hasattr(clf, name)
    with pytest.raises(NotFittedError, match="This DaskHyperboxClassifier instance is not fitted"):
        clf.predict(tables_of(loans, 1)[0])


def test_local_model_is_a_copy_with_the_parameters_of_now(clf, loans):
    before = dumps(clf.to_local())
    clf.to_local().partial_fit(*rows_and_labels(loans))
    assert dumps(clf.to_local()) == before
    changed = copy.deepcopy(clf).set_params(n_jobs=2)
    assert changed.to_local().n_jobs == 2


def test_client_is_dropped_on_pickling_and_copying(clf, client, loans):
    X = tables_of(loans, 2)[0]
    for other in (pickle.loads(pickle.dumps(clf)), copy.copy(clf), copy.deepcopy(clf)):
        assert other.client is None
        assert dumps(other.to_local()) == dumps(clf.to_local())
        assert other.predict(X).compute().tolist() == clf.predict(X).compute().tolist()
    assert clf.client is client


def test_client_is_the_default_one_unless_given(clf, client, two_workers):
    assert clf.client_ is client
    other = copy.copy(clf)
    with client.as_current():
        assert other.client_ is client
    other.set_params(client=two_workers)
    assert other.client_ is two_workers


def test_client_must_be_one(loans):
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client or None, not 'tcp"):
        DaskHyperboxClassifier(client="tcp://127.0.0.1:8786").fit(*tables_of(loans, 2))


def test_saved_model_is_an_ordinary_one_and_can_be_continued(clf, client, loans, tmp_path):
    clf.save(tmp_path / "model.box")
    loaded = boxwise.load(tmp_path / "model.box")
    assert dumps(loaded) == dumps(clf.to_local())
    again = DaskHyperboxClassifier.from_local(loaded, client=client)
    assert again.max_boxes == 100
    again.partial_fit(*tables_of(loans, 2))
    expected = copy.deepcopy(clf).set_params(client=client).partial_fit(*tables_of(loans, 2))
    assert dumps(again.to_local()) == dumps(expected.to_local())
    assert dumps(loaded) == dumps(clf.to_local())
    with pytest.raises(TypeError, match="only a HyperboxClassifier can be continued"):
        DaskHyperboxClassifier.from_local(clf)


def test_other_data_is_refused_with_what_to_give(clf, loans):
    X, y = tables_of(loans, 2)
    rows, labels = rows_and_labels(loans)
    table = "X must be a dask DataFrame or a dask Array, not a DataFrame of pandas; make one with"
    for method in (clf.predict, clf.predict_proba):
        with pytest.raises(TypeError, match=table):
            method(rows)
    for method in (clf.fit, clf.partial_fit, clf.score):
        with pytest.raises(TypeError, match=table):
            method(rows, y)
        with pytest.raises(TypeError, match=r"y must be a dask Series .* not a ndarray of numpy"):
            method(X, labels.to_numpy())
        with pytest.raises(TypeError, match=r"sample_weight must be a dask Series .* not a list"):
            method(X, y, sample_weight=[1.0] * len(rows))
    with pytest.raises(TypeError, match="not a Bag of dask"):
        clf.explain(db.from_sequence([1]))
    with pytest.raises(TypeError, match="y must be a dask Series or a dask Array, not None"):
        clf.fit(X, None)


def test_data_of_other_shapes_is_refused(clf, loans):
    X, y = tables_of(loans, 2)
    flat = da.ones(10, chunks=5)
    with pytest.raises(ValueError, match=r"1 dimension; use X\.reshape"):
        clf.fit(flat, flat)
    with pytest.raises(ValueError, match="y must be one column"):
        clf.fit(X, X[["age", "car"]])
    assert clone(clf).fit(X, y.to_frame()).n_boxes_ == clf.n_boxes_


def test_labels_partitioned_otherwise_are_refused(clf, loans):
    X, y = tables_of(loans, 2)
    with pytest.raises(ValueError, match="X has 2 partitions, but y has 3"):
        clf.fit(X, tables_of(loans, 3)[1])
    table = da.ones((10, 2), chunks=(5, 2))
    message = r"partition 0 of X has 5 rows, but that of y has 4; use y\.rechunk\(\(X.chunks\[0\],"
    with pytest.raises(ValueError, match=message):
        clf.fit(table, da.ones(10, chunks=((4, 6),)))
    with pytest.raises(ValueError, match="partition 1: X has 600 rows, but y has 599"):
        clf.fit(X, dd.from_pandas(loans["decision"][:-1], npartitions=2, sort=False))
    weights = dd.from_pandas(loans["years"][::-1] + 1, npartitions=2, sort=False)
    with pytest.raises(ValueError, match=r"partition [01]: the index of sample_weight is not that"):
        clf.fit(X, y, sample_weight=weights)
    by_position = (
        clone(clf).set_params(max_boxes=None).fit(X, y, sample_weight=weights.to_dask_array())
    )
    assert by_position.boxes_.n_samples.sum() == (loans["years"] + 1).sum()


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ({"tune_rows": -1}, "tune_rows must be a whole number from 0 up, not -1"),
        ({"tune_rows": True}, "tune_rows must be a whole number from 0 up, not True"),
        ({"theta": -1}, "theta must be a number from 0"),
        ({"categorical_features": ["shoes"]}, "'shoes', but X has no such column"),
    ],
)
def test_parameters_are_checked_before_a_row_is_read(client, loans, parameter, message):
    X, y = tables_of(loans, 2)
    X = X.map_partitions(lambda part: 1 / 0, meta=X._meta)
    clf = DaskHyperboxClassifier(**parameter, client=client)
    with pytest.raises(ValueError, match=message):
        clf.fit(X, y)


def test_without_dask_the_error_says_what_to_install():
    code = "import sys; sys.modules['distributed'] = None; import boxwise.dask"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'pip install "boxwise[dask]"' in run.stderr.splitlines()[-1]


def test_boxwise_alone_does_not_import_dask():
    code = "import sys, boxwise; assert not {'dask', 'distributed'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True)
