"""Models learned from the partitions of a collection."""

from __future__ import annotations

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from boxwise import HyperboxClassifier, dumps, merge
from boxwise.dask import DaskHyperboxClassifier
from boxwise.learners import parts as scheme
from boxwise.learners.parts import merged_parts, quota, tuning_order, withheld_places
from boxwise.learners.saved import loads
from tests.dask.conftest import rows_and_labels, tables_of


def with_partitions(*frames: pd.DataFrame) -> tuple[dd.DataFrame, dd.Series]:
    """Return rows and labels with these partitions, as they are."""
    table = dd.from_map(lambda number: frames[number], range(len(frames)), meta=frames[0].iloc[:0])
    return table.drop(columns="decision"), table["decision"]


def bytes_of(clf: DaskHyperboxClassifier) -> bytes:
    return dumps(clf.to_local())


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_fit_with_one_partition_equals_a_local_fit(client, loans, class_weight):
    clf = DaskHyperboxClassifier(class_weight=class_weight, client=client).fit(*tables_of(loans, 1))
    local = HyperboxClassifier(class_weight=class_weight).fit(*rows_and_labels(loans))
    assert bytes_of(clf) == dumps(local)


def test_partial_fit_with_one_partition_a_call_equals_a_local_partial_fit(client, loans):
    clf, local = DaskHyperboxClassifier(client=client), HyperboxClassifier()
    for part in (loans[:700], loans[700:]):
        clf.partial_fit(*tables_of(part, 1), classes=["referred"])
        local.partial_fit(*rows_and_labels(part), classes=["referred"])
    assert bytes_of(clf) == dumps(local)
    assert list(clf.classes_) == ["approved", "declined", "referred"]


def test_fit_merges_the_parts_in_the_order_of_the_partitions(client, loans):
    X, y = tables_of(loans, 4)
    clf = DaskHyperboxClassifier(tune_rows=0, client=client).fit(X, y)
    parts = [loans[i : i + 300] for i in range(0, 1_200, 300)]
    merged = merge([HyperboxClassifier().fit(*rows_and_labels(part)) for part in parts])
    assert bytes_of(clf) == dumps(merged)
    other_order = merge([HyperboxClassifier().fit(*rows_and_labels(part)) for part in parts[::-1]])
    assert dumps(other_order) != dumps(merged)


def test_fit_merges_many_parts_in_groups_in_order(client, loans, monkeypatch):
    monkeypatch.setattr(scheme, "FAN_IN", 3)
    clf = DaskHyperboxClassifier(tune_rows=0, max_boxes=100, client=client)
    clf.fit(*tables_of(loans, 10))
    parts = [
        HyperboxClassifier(max_boxes=100).fit(*rows_and_labels(loans[i : i + 120]))
        for i in range(0, 1_200, 120)
    ]
    groups = [merge(parts[:3]), merge(parts[3:6]), merge(parts[6:9]), parts[9]]
    assert bytes_of(clf) == dumps(merge([merge(groups[:3]), groups[3]]))


@pytest.mark.parametrize("class_weight", [None, {"approved": 2.0}])
def test_fit_equals_the_scheme_of_the_library(client, loans, class_weight):
    """The same parts in the same order give the same bytes, withheld rows and all."""
    models, withheld = [], []
    for number in range(4):
        part = loans[300 * number : 300 * (number + 1)]
        places = withheld_places(300, number, quota(number, 4, most=90))
        withheld.append(part.iloc[places])
        rest = rows_and_labels(part.drop(index=withheld[-1].index))
        models.append(HyperboxClassifier(class_weight=class_weight).fit(*rest))
    rows = pd.concat(withheld)
    assert 45 <= len(rows) <= 90
    tune = rows_and_labels(rows.iloc[tuning_order(len(rows))])
    clf = DaskHyperboxClassifier(class_weight=class_weight, tune_rows=90, client=client)
    assert bytes_of(clf.fit(*tables_of(loans, 4))) == dumps(merged_parts(models, tune))


def test_partial_fit_with_many_partitions_takes_them_for_what_came_after(client, loans):
    clf = DaskHyperboxClassifier(tune_rows=0, client=client).fit(*tables_of(loans[:400], 1))
    reordered = loans[400:][[*loans.columns[::-1]]]
    clf.partial_fit(*tables_of(reordered, 2))
    first, *later = (
        HyperboxClassifier().fit(*rows_and_labels(part))
        for part in (loans[:400], loans[400:800], loans[800:])
    )
    assert bytes_of(clf) == dumps(merge([first, merge(later)], in_order=True))


def test_partial_fit_needs_no_model_to_learn_many_partitions(client, loans):
    begun = DaskHyperboxClassifier(client=client).partial_fit(*tables_of(loans, 3))
    fitted = DaskHyperboxClassifier(client=client).fit(*tables_of(loans, 3))
    assert bytes_of(begun) == bytes_of(fitted)


def test_fit_learns_every_row_once_withheld_or_not(client, loans):
    clf = DaskHyperboxClassifier(tune_rows=60, max_boxes=None, client=client)
    clf.fit(*tables_of(loans, 4))
    assert clf.boxes_.n_samples.sum() == 1_200
    withheld = bytes_of(clf)
    assert withheld != bytes_of(clf.set_params(tune_rows=0).fit(*tables_of(loans, 4)))


def test_fit_is_about_as_good_as_one_pass(client, loans):
    clf = DaskHyperboxClassifier(client=client).fit(*tables_of(loans[:1_000], 4))
    X, y = rows_and_labels(loans[1_000:])
    local = HyperboxClassifier().fit(*rows_and_labels(loans[:1_000]))
    assert clf.to_local().score(X, y) > local.score(X, y) - 0.05


def test_fit_forgets_and_partial_fit_does_not(client, loans):
    clf = DaskHyperboxClassifier(max_boxes=None, client=client).fit(*tables_of(loans[:600], 2))
    fitted = clf.to_local()
    clf.partial_fit(*tables_of(loans[600:], 2))
    assert clf.boxes_.n_samples.sum() == 1_200
    clf.fit(*tables_of(loans[:600], 2))
    assert bytes_of(clf) == dumps(fitted)


def test_empty_partitions_change_nothing(client, loans):
    half, rest, none = loans[:600], loans[600:], loans[:0]
    clf = DaskHyperboxClassifier(tune_rows=0, client=client)
    full = bytes_of(clf.fit(*with_partitions(half, rest)))
    assert bytes_of(clf.fit(*with_partitions(none, half, none, rest, none))) == full


def test_fit_without_a_row_says_so(client, loans):
    clf = DaskHyperboxClassifier(client=client)
    with pytest.raises(ValueError, match="all 2 partitions are empty"):
        clf.fit(*with_partitions(loans[:0], loans[:0]))
    with pytest.raises(ValueError, match="is not fitted yet"):
        clf.predict(tables_of(loans, 1)[0])


def test_partitions_may_know_other_categories_and_have_one_class_each(client, loans):
    by_class = [part for _, part in loans.groupby("decision")]
    by_class[1] = by_class[1].assign(car="Trabant")
    clf = DaskHyperboxClassifier(client=client).fit(*with_partitions(*by_class))
    assert list(clf.classes_) == ["approved", "declined"]
    values = clf.schema_.columns[clf.schema_.names.index("car")].vocabulary.values
    assert "Trabant" in values
    assert "Audi" in values
    X, y = rows_and_labels(pd.concat(by_class))
    assert clf.to_local().score(X, y) > 0.95


def test_a_class_of_one_partition_is_learned(client, loans):
    rare = loans.copy()
    rare.loc[rare.index[1_100:1_140], "decision"] = "referred"
    rare.loc[rare.index[1_100:1_140], "salary"] = 900_000
    clf = DaskHyperboxClassifier(client=client).fit(*tables_of(rare, 6))
    local = clf.to_local()
    assert list(local.classes_) == ["approved", "declined", "referred"]
    X, _ = rows_and_labels(rare[1_100:1_140])
    assert np.mean(local.predict(X) == "referred") > 0.8


def test_categoricals_may_differ_in_their_categories(client, loans):
    codes = loans.assign(zip_code=loans["zip_code"].astype(int))
    parts = [codes[:600], codes[600:].query("zip_code > 40000")]
    as_category = [part.assign(zip_code=part["zip_code"].astype("category")) for part in parts]
    X, y = with_partitions(*as_category)
    clf = DaskHyperboxClassifier(client=client).fit(X, y)
    listed = DaskHyperboxClassifier(categorical_features=["education", "car", "zip_code"])
    listed.set_params(client=client).fit(*with_partitions(*parts))
    rows = codes.drop(columns="decision")
    expected = listed.to_local().predict_proba(rows)
    np.testing.assert_array_equal(clf.to_local().predict_proba(rows), expected)


def test_a_column_without_a_value_in_some_partition_has_its_kind_from_others(client, loans):
    parts = [loans[:600].astype({"car": object}), loans[600:].astype({"car": object})]
    parts[0]["car"] = np.array([None] * 600, dtype=object)
    clf = DaskHyperboxClassifier(client=client).fit(*with_partitions(*parts))
    assert "car" in clf.schema_.categorical_names


def test_a_column_of_two_kinds_names_the_partitions(client):
    X = np.array([[1, 2.0], [2, 3.0], ["x", 1.0], ["y", 2.0]], dtype=object)
    y = da.from_array(np.array([0, 1, 0, 1]), chunks=2)
    clf = DaskHyperboxClassifier(client=client)
    message = "'x0' is numeric in partition 0 and categorical in partition 1; .*categorical_feat"
    with pytest.raises(ValueError, match=message):
        clf.fit(da.from_array(X, chunks=(2, 2)), y)
    clf.set_params(categorical_features=[0]).fit(da.from_array(X, chunks=(2, 2)), y)
    assert clf.schema_.categorical_names == ("x0",)


def test_sample_weight_counts_as_in_a_local_model(client, loans):
    weights = pd.Series(np.arange(len(loans)) % 3, index=loans.index, name="w")
    X, y = tables_of(loans, 1)
    w = dd.from_pandas(weights, npartitions=1, sort=False)
    clf = DaskHyperboxClassifier(client=client).fit(X, y, sample_weight=w)
    local = HyperboxClassifier().fit(*rows_and_labels(loans), sample_weight=weights)
    assert bytes_of(clf) == dumps(local)
    X, y = tables_of(loans, 4)
    w = dd.from_pandas(weights, npartitions=4, sort=False)
    clf.set_params(max_boxes=None).fit(X, y, sample_weight=w)
    assert clf.boxes_.n_samples.sum() == weights.sum()
    clf.partial_fit(X, y, sample_weight=w)
    assert clf.boxes_.n_samples.sum() == 2 * weights.sum()


def test_partitions_of_weight_zero_count_as_empty(client, loans):
    weights = pd.Series([0.0] * 600 + [1.0] * 600, index=loans.index)
    X, y = tables_of(loans, 2)
    clf = DaskHyperboxClassifier(tune_rows=0, client=client)
    clf.fit(X, y, sample_weight=dd.from_pandas(weights, npartitions=2, sort=False))
    assert bytes_of(clf) == dumps(HyperboxClassifier().fit(*rows_and_labels(loans[600:])))


def test_balanced_weights_are_those_of_all_partitions(client, loans):
    skewed = loans.sort_values("decision", kind="stable")
    counts = skewed["decision"].value_counts()
    given = {name: 1_200 / 2 / count for name, count in counts.items()}
    clf = DaskHyperboxClassifier(class_weight="balanced", client=client)
    balanced = clf.fit(*tables_of(skewed, 4)).to_local()
    assert balanced.class_weight == "balanced"
    clf = DaskHyperboxClassifier(class_weight=given, client=client).fit(*tables_of(skewed, 4))
    assert dumps(balanced.set_params(class_weight=given)) == bytes_of(clf)


def test_balanced_weights_need_the_whole_table(client, loans):
    clf = DaskHyperboxClassifier(class_weight="balanced", client=client)
    with pytest.raises(ValueError, match="needs the whole table: call fit"):
        clf.partial_fit(*tables_of(loans, 2))


def test_rows_without_a_label_are_learned_as_such(client, loans):
    marked = loans.copy()
    marked.loc[marked.index[:400], "decision"] = "?"
    clf = DaskHyperboxClassifier(unlabelled="?", max_boxes=None, client=client).fit(
        *tables_of(marked, 3)
    )
    assert list(clf.classes_) == ["approved", "declined"]
    assert clf.boxes_.n_samples.sum() == 1_200


def test_arrays_of_any_chunks_are_learned(client, loans):
    X = loans[["salary", "age", "loan"]].to_numpy(float)
    y = loans["decision"].to_numpy(str)
    clf = DaskHyperboxClassifier(client=client)
    clf.fit(da.from_array(X, chunks=(400, 3)), da.from_array(y, chunks=400))
    whole = bytes_of(clf)
    clf.fit(da.from_array(X, chunks=(400, 2)), da.from_array(y[:, np.newaxis], chunks=(400, 1)))
    assert bytes_of(clf) == whole
    frame = dd.from_array(X, chunksize=400)
    unknown = frame.to_dask_array(), dd.from_array(y, chunksize=400).to_dask_array()
    assert np.isnan(unknown[0].shape[0])
    assert bytes_of(clf.fit(*unknown)) == whole


def test_partial_fit_takes_an_array_by_the_positions_of_its_columns(client, loans):
    numbers = loans[["salary", "age", "decision"]]
    clf = DaskHyperboxClassifier(max_boxes=None, client=client).fit(*tables_of(numbers, 2))
    X = da.from_array(numbers[["salary", "age"]].to_numpy(), chunks=(600, 2))
    y = da.from_array(numbers["decision"].to_numpy(str), chunks=600)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        clf.partial_fit(X, y)
    assert list(clf.feature_names_in_) == ["salary", "age"]
    assert clf.boxes_.n_samples.sum() == 2_400


def test_partial_fit_refuses_other_columns(client, loans):
    clf = DaskHyperboxClassifier(client=client).fit(*tables_of(loans, 2))
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- wage"):
        clf.partial_fit(*tables_of(loans.rename(columns={"salary": "wage"}), 2))
    with pytest.raises(ValueError, match=r"partition [01]: column 'salary'.*is not a number"):
        clf.partial_fit(*tables_of(loans.assign(salary="much"), 2))


def test_errors_name_the_partition_and_the_row_in_it(client, loans):
    parts = [loans[:600], loans[600:].astype({"decision": object})]
    parts[1].iloc[7, parts[1].columns.get_loc("decision")] = None
    with pytest.raises(ValueError, match="partition 1: Input y contains NaN: the label of row 7"):
        DaskHyperboxClassifier(client=client).fit(*with_partitions(*parts))


def test_the_model_goes_on_learning_locally(client, loans):
    local = DaskHyperboxClassifier(client=client).fit(*tables_of(loans[:800], 2)).to_local()
    again = loads(dumps(local))
    local.partial_fit(*rows_and_labels(loans[800:]))
    again.partial_fit(*rows_and_labels(loans[800:]))
    assert local.adapt
    assert dumps(local) == dumps(again)
