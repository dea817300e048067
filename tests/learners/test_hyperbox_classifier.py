"""The classifier as scikit-learn sees it, and what fit and partial_fit promise."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.datasets import loans

State = Callable[[HyperboxClassifier], bytes]


def test_fit_starts_anew(table: pd.DataFrame, labels: list[str], state: State) -> None:
    clf = HyperboxClassifier(theta=0.3).fit(table[["city", "age"]], labels)
    clf.partial_fit(table[["city", "age"]], ["other"] * len(table), classes=["announced"])
    clf.fit(table, labels)
    assert state(clf) == state(HyperboxClassifier(theta=0.3).fit(table, labels))
    assert clf.classes_.tolist() == ["no", "refer", "yes"]
    assert clf.n_features_in_ == 4


def test_fit_learns_in_an_order_that_is_drawn_once_and_partial_fit_in_the_order_given(
    table: pd.DataFrame, labels: list[str], state: State
) -> None:
    # With fixed ranges and without a look for changes, they differ in nothing else.
    given: dict[str, Any] = {"adapt": False, "scale": "range", "theta": 0.3}
    given["feature_range"] = {"age": (0, 100), "income": (0, 60_000)}
    order = np.random.RandomState(0).permutation(len(table))
    drawn = HyperboxClassifier(**given).partial_fit(table.iloc[order], np.array(labels)[order])
    assert state(HyperboxClassifier(**given).fit(table, labels)) == state(drawn)
    assert state(HyperboxClassifier(**given).partial_fit(table, labels)) != state(drawn)


def test_fit_learns_a_sorted_table_as_well_as_a_shuffled_one() -> None:
    rows, labels = loans(1_300, function=7, seed=7)
    by_class = sorted(range(1_000), key=lambda i: labels[i])
    in_order = [rows[i] for i in by_class], [labels[i] for i in by_class]
    shuffled = HyperboxClassifier().fit(rows[:1_000], labels[:1_000])
    by_order, by_draw = HyperboxClassifier().partial_fit(*in_order), HyperboxClassifier()
    right = shuffled.score(rows[1_000:], labels[1_000:])
    assert by_draw.fit(*in_order).score(rows[1_000:], labels[1_000:]) > right - 0.03
    assert by_order.score(rows[1_000:], labels[1_000:]) < right - 0.1


def test_a_failed_fit_leaves_the_old_model(
    table: pd.DataFrame, labels: list[str], state: State
) -> None:
    clf = HyperboxClassifier().fit(table, labels)
    before = state(clf)
    with pytest.raises(ValueError, match="inconsistent"):
        clf.fit(table, labels[:-1])
    assert state(clf) == before


@pytest.mark.parametrize("learner", [EIOLGFMM, partial(EIOLGFMM, version=2), HyperboxClassifier])
def test_rows_one_by_one_in_bulk_or_in_chunks_give_the_same_model(
    table: pd.DataFrame, labels: list[str], state: State, learner: Any
) -> None:
    def learn(cuts: list[int]) -> bytes:
        clf = learner(theta=0.3, delta=0.6)
        for begin, end in itertools.pairwise([0, *cuts, len(table)]):
            clf.partial_fit(table[begin:end], labels[begin:end])
        return state(clf)

    rng = np.random.default_rng(3)
    bulk = learn([])
    # From row 3 on: a column needs a value that is not missing before its kind is known.
    assert learn([*range(3, len(table))]) == bulk
    for _ in range(5):
        assert learn(sorted(rng.choice(np.arange(3, len(table)), 6, replace=False))) == bulk


def test_single_rows_of_every_form_give_the_same_model(
    table: pd.DataFrame, labels: list[str], state: State
) -> None:
    rows = table.to_dict("records")
    as_dicts, as_frames = HyperboxClassifier(theta=0.3), HyperboxClassifier(theta=0.3)
    as_lists, as_arrays = HyperboxClassifier(theta=0.3), HyperboxClassifier(theta=0.3)
    for clf in as_dicts, as_frames:
        clf.partial_fit(rows[:3], labels[:3])
    for clf in as_lists, as_arrays:
        clf.partial_fit([[*row.values()] for row in rows[:3]], labels[:3])
    for i in range(3, len(rows)):
        as_dicts.partial_fit([rows[i]], [labels[i]])
        as_frames.partial_fit(table[i : i + 1], np.array(labels[i : i + 1]))
        as_lists.partial_fit([[*rows[i].values()]], labels[i : i + 1])
        as_arrays.partial_fit(table.to_numpy(dtype=object)[i : i + 1], labels[i : i + 1])
    bulk = HyperboxClassifier(theta=0.3).partial_fit(table, labels)
    assert state(as_dicts) == state(as_frames) == state(bulk)
    assert state(as_lists) == state(as_arrays)
    assert as_lists.boxes_.counts == bulk.boxes_.counts


def test_new_classes_and_categories_may_come_at_any_time() -> None:
    clf = HyperboxClassifier(theta=0.1, scale="range", feature_range=(0, 1))
    clf.partial_fit([[0.1, "a"]], ["m"])
    clf.partial_fit([[0.5, "b"]], ["z"])
    clf.partial_fit([[0.9, "c"], [0.9, None]], ["c", "n"])
    assert clf.classes_.tolist() == ["c", "m", "n", "z"]
    rows = [[0.1, "a"], [0.5, "b"], [0.9, "c"], [0.9, None]]
    assert clf.predict(rows).tolist() == ["m", "z", "c", "n"]
    assert clf.schema_.vocabularies[0].values == ["a", "b", "c", None]


def test_announced_classes_have_a_column_before_their_first_row() -> None:
    clf = HyperboxClassifier().partial_fit([[0.0], [1.0]], ["b", "d"], classes=["d", "a", "c"])
    assert clf.classes_.tolist() == ["a", "b", "c", "d"]
    (shares,) = clf.predict_proba([[0.0]])
    assert shares[[0, 2]].tolist() == [0, 0]
    assert shares[1] > shares[3] > 0
    clf.partial_fit([[0.5]], ["c"])
    assert clf.predict_proba([[0.5]]).argmax() == 2
    assert clf.predict([[0.5]]).tolist() == ["c"]


def test_announced_classes_are_kept_over_calls_and_do_not_change_the_model(state: State) -> None:
    plain = HyperboxClassifier().partial_fit([[0.0], [1.0]], [3, 1])
    clf = HyperboxClassifier().partial_fit([[0.0], [1.0]], [3, 1], classes=[1, 2, 3])
    clf.partial_fit([[0.2]], [3], classes=[9])
    assert clf.classes_.tolist() == [1, 2, 3, 9]
    assert state(clf) == state(plain.partial_fit([[0.2]], [3]))


@pytest.mark.parametrize(
    ("y", "classes", "kind"),
    [
        (["b", "a", "b"], ["a", "b"], "U"),
        ([3, -1, 3], [-1, 3], "i"),
        ([True, False, True], [False, True], "b"),
        ([2.0, 1.0, 2.0], [1.0, 2.0], "f"),
        (np.array([2, 1, 2], dtype=np.int8), [1, 2], "i"),
        (np.array(["b", "a", "b"], dtype=object), ["a", "b"], "U"),
        (np.array([True, False, True]), [False, True], "b"),
        (pd.Series(["b", "a", "b"]), ["a", "b"], "U"),
        (pd.Series(["b", "a", "b"], dtype="category"), ["a", "b"], "U"),
        (pd.Series([2, 1, 2], dtype="Int64"), [1, 2], "i"),
        (pl.Series(["b", "a", "b"]), ["a", "b"], "U"),
        (pl.Series([2, 1, 2]), [1, 2], "i"),
        (pl.Series(["b", "a", "b"], dtype=pl.Categorical), ["a", "b"], "U"),
        (pa.array(["b", "a", "b"]), ["a", "b"], "U"),
        (pa.chunked_array([["b"], ["a", "b"]]), ["a", "b"], "U"),
        (pa.array(["b", "a", "b"]).dictionary_encode(), ["a", "b"], "U"),
    ],
)
def test_labels_of_every_type_come_back_as_they_were(y: Any, classes: list[Any], kind: str) -> None:
    X = [[0.0], [0.5], [1.0]]
    clf = HyperboxClassifier(theta=0.0).fit(X, y)
    assert clf.classes_.tolist() == classes
    assert clf.classes_.dtype.kind == clf.predict(X).dtype.kind == kind
    assert clf.predict(X).tolist() == [classes[1], classes[0], classes[1]]
    assert clf.boxes_.labels.tolist() == [classes[1], classes[0], classes[1]]


def test_labels_of_several_types_come_back_as_they_were() -> None:
    X, y = [[0.0], [0.5], [1.0]], np.array(["b", 7, True], dtype=object)
    clf = HyperboxClassifier(theta=0.0).partial_fit(X, y)
    assert clf.predict(X).tolist() == ["b", 7, True]
    assert [type(label) for label in clf.predict(X)] == [str, int, bool]
    assert clf.classes_.tolist() == ["b", 7, True]  # they have no order, so as they came
    assert clf.predict_proba(X).argmax(axis=1).tolist() == [0, 1, 2]
    clf.fit(X, y)
    assert [*map(repr, clf.predict(X))] == ["'b'", "7", "True"]
    best = clf.predict_proba(X).argmax(axis=1)  # columns are in the order of learning
    assert clf.classes_[best].tolist() == ["b", 7, True]


@pytest.mark.parametrize("y", [[-1, 2**63 + 1], [1, 2**63 + 1], [1, 2**70], ["a\0", "a"]])
def test_unusual_labels_come_back_exactly(y: list[Any]) -> None:
    clf = HyperboxClassifier().fit([[0.0], [1.0]], y)
    assert clf.predict([[0.0], [1.0]]).tolist() == y
    assert sorted(clf.classes_.tolist()) == sorted(y)
    assert sorted(clf.boxes_.labels.tolist()) == sorted(y)


def test_equal_labels_of_different_types_are_one_class() -> None:
    clf = HyperboxClassifier().partial_fit([[0.0]], [1]).partial_fit([[1.0]], [1.0])
    assert clf.classes_.tolist() == [1]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.5, 1.0], "0.5"),
        ([None, "a"], "row 0 is missing"),
        (["a", float("nan")], "row 1 is missing"),
        ([1.0, float("inf")], "inf"),
        (np.array([["a", "b"]] * 2), "1d"),
        ([b"a", b"b"], "bytes"),
        (None, "requires y"),
        (["a"], "X has 2 rows, y has 1"),
        ([("a",), ("b",)], "1d|type"),
    ],
)
def test_labels_that_cannot_be_classes_are_refused(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HyperboxClassifier().fit([[0.0], [1.0]], y)


@pytest.mark.parametrize("use", ["predict", "predict_proba", "membership"])
def test_an_unfitted_classifier_says_so(use: str) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(HyperboxClassifier(), use)([[0.0]])


def test_an_unfitted_classifier_has_no_learned_attributes_and_no_file(tmp_path: Any) -> None:
    clf = HyperboxClassifier()
    for name in "boxes_", "classes_", "schema_", "n_features_in_", "feature_names_in_":
        with pytest.raises((NotFittedError, AttributeError)):
            getattr(clf, name)
    with pytest.raises(NotFittedError):
        clf.save(tmp_path / "model.box")
    assert not [*tmp_path.iterdir()]


def test_the_schema_is_a_copy_with_the_ranges(table: pd.DataFrame, labels: list[str]) -> None:
    clf = HyperboxClassifier().fit(table, labels)
    schema = clf.schema_
    assert schema.columns[0].range == (table["age"].min(), table["age"].max())
    schema.absorb([["astronaut"], []])
    assert "astronaut" not in clf.schema_.vocabularies[0].codes
    assert clf.feature_names_in_.tolist() == ["age", "job", "income", "city"]
    assert not hasattr(HyperboxClassifier().fit([[1.0]], ["a"]), "feature_names_in_")


def test_the_callers_data_is_not_changed(table: pd.DataFrame, labels: list[str]) -> None:
    copy, y = table.copy(deep=True), np.array(labels)
    HyperboxClassifier(theta=0.4).fit(table, y).partial_fit(table, y).predict(table)
    pd.testing.assert_frame_equal(table, copy)
    assert y.tolist() == labels
    numbers = np.random.default_rng(0).random((20, 3))
    kept = numbers.copy()
    clf = HyperboxClassifier().fit(numbers, [0, 1] * 10)
    numbers[:] = -1
    assert clf.boxes_.lower.min() == kept.min()


def test_the_name_of_all_other_values_is_refused_as_a_value() -> None:
    values = ["(other values)", *(f"v{k}" for k in range(300))]
    labels = [k % 2 for k in range(301)]
    words = r"column 'x0': '\(other values\)' stands for .* first 255 \(row 0\); give yours another"
    with pytest.raises(ValueError, match=words):
        HyperboxClassifier().fit([[value] for value in values], labels)
    clf = HyperboxClassifier().fit([[value] for value in values[1:]], labels[1:])
    p = clf.predict_proba([["(other values)"], ["never seen"], ["v299"]])
    assert p[0].tolist() == p[1].tolist() == p[2].tolist()
    clf.partial_fit([["(other values)"]], [1])  # what is beyond the limit counts as one anyway
