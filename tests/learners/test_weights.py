"""Weights of rows and of classes: how often each row counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from boxwise import HyperboxClassifier, load
from boxwise.learners.weights import row_weights
from boxwise.store import ModelFileError

State = Callable[[HyperboxClassifier], bytes]
NAN = float("nan")


def repeated(table: pd.DataFrame, labels: list[str], times: Any) -> tuple[pd.DataFrame, list[str]]:
    rows = np.repeat(np.arange(len(table)), times)
    return table.iloc[rows], [labels[i] for i in rows]


@pytest.fixture
def weights(table: pd.DataFrame) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 4, len(table))


@pytest.mark.parametrize("scale", ["range", "quantile"])
def test_whole_weights_are_repeated_rows_and_zero_is_absent(
    table: pd.DataFrame, labels: list[str], weights: np.ndarray, state: State, scale: str
) -> None:
    assert (weights[:3] == 0).any()  # values, classes and columns begin with other rows then
    weighted, plain = (HyperboxClassifier(theta=0.3, scale=scale) for _ in range(2))
    weighted.partial_fit(table, labels, sample_weight=weights)
    plain.partial_fit(*repeated(table, labels, weights))
    assert state(weighted) == state(plain)
    np.testing.assert_array_equal(weighted.predict_proba(table), plain.predict_proba(table))


@pytest.mark.parametrize("scale", ["range", "quantile"])
def test_fit_leaves_rows_of_weight_zero_out(
    table: pd.DataFrame, labels: list[str], weights: np.ndarray, state: State, scale: str
) -> None:
    kept = np.flatnonzero(weights)
    weighted, plain = (HyperboxClassifier(theta=0.3, scale=scale) for _ in range(2))
    weighted.fit(table, labels, sample_weight=weights)
    plain.fit(table.iloc[kept], [labels[i] for i in kept], sample_weight=weights[kept])
    assert state(weighted) == state(plain)
    np.testing.assert_array_equal(weighted.predict_proba(table), plain.predict_proba(table))


def test_fit_learns_a_whole_weight_as_so_many_equal_rows_in_a_row(
    table: pd.DataFrame, labels: list[str], weights: np.ndarray, state: State
) -> None:
    # With fixed ranges and without a look for changes, fit learns as partial_fit does.
    ranges = {"age": (0, 100), "income": (0, 60_000)}
    given: dict[str, Any] = {"theta": 0.3, "scale": "range", "feature_range": ranges}
    order = np.random.RandomState(0).permutation(np.flatnonzero(weights))
    weighted, plain = (HyperboxClassifier(adapt=False, **given) for _ in range(2))
    weighted.fit(table, labels, sample_weight=weights)
    drawn = repeated(table.iloc[order], [labels[i] for i in order], weights[order])
    assert state(weighted) == state(plain.partial_fit(*drawn))


@pytest.mark.parametrize("scale", ["range", "quantile"])
def test_fit_measures_columns_by_the_rows_as_often_as_they_count(
    table: pd.DataFrame, labels: list[str], weights: np.ndarray, scale: str
) -> None:
    clf = HyperboxClassifier(scale=scale)
    weighted = clf._read_training(table, labels, sample_weight=weights).ranges
    plain = clf._read_training(*repeated(table, labels, weights)).ranges
    assert [r[:3] for r in weighted] == [r[:3] for r in plain]
    if scale == "quantile":
        even = clf._read_training(table[weights > 0], np.array(labels)[weights > 0]).ranges
        for ours, theirs, other in zip(weighted, plain, even, strict=True):
            # The sketch of a column has its values in the order in which they came.
            np.testing.assert_array_equal(np.sort(ours.scale), np.sort(theirs.scale))
            assert len(ours.scale) > len(other.scale)


def test_weights_in_pieces_give_the_same_model(
    table: pd.DataFrame, labels: list[str], weights: np.ndarray, state: State
) -> None:
    fractions = weights + 0.3
    bulk = HyperboxClassifier().partial_fit(table, labels, sample_weight=fractions)
    singly = HyperboxClassifier()
    for i in range(len(table)):
        part = slice(i, i + 1)
        singly.partial_fit(table[part], labels[part], sample_weight=fractions[part])
    assert state(singly) == state(bulk)


@pytest.mark.parametrize("weight", [1, 1.0, [1] * 120, pd.Series(np.ones(120))])
def test_a_weight_of_one_changes_nothing(
    table: pd.DataFrame, labels: list[str], state: State, weight: Any
) -> None:
    plain = HyperboxClassifier().fit(table, labels)
    assert state(HyperboxClassifier().fit(table, labels, sample_weight=weight)) == state(plain)


def test_a_class_of_weight_zero_does_not_exist() -> None:
    X, y = [["x"], ["y"], ["z"], ["z"]], ["a", "b", "c", "c"]
    clf = HyperboxClassifier().fit(X, y, sample_weight=[0, 1, 0, 2])
    assert clf.classes_.tolist() == ["b", "c"]
    assert sorted(clf.schema_.vocabularies[0].values) == ["y", "z"]
    assert clf.predict(X[1:]).tolist() == ["b", "c", "c"]
    clf.partial_fit([["x"], ["w"]], ["a", "d"], sample_weight=[1, 0])
    assert clf.classes_.tolist() == ["a", "b", "c"]


def test_fractions_are_counted_and_shown() -> None:
    clf = HyperboxClassifier().partial_fit(
        [["x"], ["x"], ["y"]], ["a", "a", "b"], sample_weight=[0.5, 1, 2]
    )
    assert clf.boxes_.n_samples.tolist() == [1.5, 2]
    assert clf.boxes_.counts == [[{"x": 1.5}], [{"y": 2}]]
    assert clf.boxes_.describe(1) == "b, 2 rows: x0 is y"
    assert "1.5 rows" in clf.boxes_.describe(0)


def test_fractions_are_rounded_in_words_and_kept_in_explanations() -> None:
    clf = HyperboxClassifier().partial_fit([["a"], ["b"]], ["x", "y"], sample_weight=[0.7, 0.7])
    assert repr(clf.boxes_) == "Boxes(2 boxes, 2 classes, 1.4 rows)"
    assert clf.boxes_.describe(0) == "x, 0.7 rows: x0 is a"
    (why,) = clf.explain([["a"]])
    assert why.winner.rows == pytest.approx(0.7, abs=1e-6)
    (feature,) = why.winner.features
    assert (feature.inside, feature.count) == (True, why.winner.rows)
    assert feature.term == 1
    assert "100% of the box" in str(why)
    assert "not in the box" not in str(why)


def test_whole_weights_are_explained_in_whole_rows() -> None:
    clf = HyperboxClassifier().partial_fit([["a"], ["b"]], ["x", "y"], sample_weight=[1234, 1])
    assert repr(clf.boxes_) == "Boxes(2 boxes, 2 classes, 1,235 rows)"
    (why,) = clf.explain([["a"]], counterfactual=False)
    assert (why.winner.rows, type(why.winner.rows)) == (1234, int)
    assert type(why.winner.features[0].count) is int


def test_a_heavier_class_is_more_probable() -> None:
    X, y = [[0.0], [1.0]] * 20, ["a", "b"] * 20
    even = HyperboxClassifier().fit(X, y).predict_proba([[0.5]])[0]
    heavy = HyperboxClassifier().fit(X, y, sample_weight=[1, 5] * 20).predict_proba([[0.5]])[0]
    assert heavy[1] > even[1] + 0.1


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -1, 1], r"sample_weight of row 1 is -1: it must be from 0 to 10000; 0 leaves it out"),
        ([1, NAN, 1], r"sample_weight of row 1 is nan"),
        ([1, 1, 1e9], r"sample_weight of row 2 is 1e\+09.*divide all weights"),
        ([1, 1, np.inf], r"sample_weight of row 2 is inf"),
        ([1, 1], r"sample_weight has shape \(2,\), but there are 3 rows"),
        ([[1], [1], [1]], r"sample_weight has shape \(3, 1\)"),
        (["1", "two", "3"], r"sample_weight must be numbers, one per row"),
        (-1, r"sample_weight of row 0 is -1"),
        ("heavy", r"sample_weight must be numbers"),
        ([1j, 2.0, 3.0], r"sample_weight must be numbers"),
    ],
)
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_bad_weights_are_refused_by_name(learn: str, weight: Any, message: str) -> None:
    clf = HyperboxClassifier()
    with pytest.raises(ValueError, match=message):
        getattr(clf, learn)([[1.0], [2.0], [3.0]], ["a", "b", "a"], sample_weight=weight)
    assert not clf.__sklearn_is_fitted__()


def test_rows_that_all_weigh_nothing_teach_nothing(state: State) -> None:
    with pytest.raises(ValueError, match="the weight of every row is zero"):
        HyperboxClassifier().fit([[1.0]], ["a"], sample_weight=[0])
    clf = HyperboxClassifier().fit([[1.0], [2.0]], ["a", "b"])
    before = state(clf)
    clf.partial_fit([[3.0]], ["c"], sample_weight=[0])
    assert state(clf) == before


def test_class_weights_are_weights_of_the_rows(
    table: pd.DataFrame, labels: list[str], state: State
) -> None:
    given = {"yes": 2, "refer": 0.5, "of no row": 7.0}
    by_class = HyperboxClassifier(class_weight=given)
    by_row = HyperboxClassifier()
    rows = [given.get(label, 1) for label in labels]
    assert state(by_class.fit(table, labels)) == state(
        by_row.fit(table, labels, sample_weight=rows)
    )
    by_class.partial_fit(table, labels, sample_weight=2.0)
    by_row.partial_fit(table, labels, sample_weight=np.multiply(rows, 2))
    assert state(by_class) == state(by_row)


def test_balanced_class_weights_let_all_classes_weigh_the_same(
    table: pd.DataFrame, labels: list[str], weights: np.ndarray, state: State
) -> None:
    clf = HyperboxClassifier(class_weight="balanced", max_boxes=None).fit(table, labels)
    sums = [clf.boxes_.n_samples[clf.boxes_.labels == label].sum() for label in clf.classes_]
    np.testing.assert_allclose(sums, len(table) / 3, rtol=1e-4)
    weighted = HyperboxClassifier(class_weight="balanced").fit(table, labels, sample_weight=weights)
    kept = HyperboxClassifier(class_weight="balanced")
    kept.fit(table[weights > 0], np.array(labels)[weights > 0], sample_weight=weights[weights > 0])
    assert state(weighted) == state(kept)


@pytest.mark.parametrize("sample_weight", [None, 3.0])
def test_balanced_class_weights_of_a_very_rare_class_are_scaled(sample_weight: Any) -> None:
    n = 30_000
    X, y = np.arange(n).reshape(-1, 1) / n, np.array(["rare"] + ["common"] * (n - 1))
    clf = HyperboxClassifier(class_weight="balanced", max_boxes=20, additive=False)
    boxes = clf.fit(X, y, sample_weight=sample_weight).boxes_
    sums = {k: boxes.n_samples[boxes.labels == k].sum() for k in ("rare", "common")}
    assert sums["rare"] == 10_000
    assert sums["common"] <= 10_000
    given = None if sample_weight is None else np.full(n, sample_weight)
    codes, names = (y == "rare").astype(np.int32), ["common", "rare"]
    found = row_weights(given, "balanced", codes, names, whole_table=True)
    assert found is not None
    assert found.max() == found[0] == 10_000
    assert found[1:].sum() == pytest.approx(10_000, rel=1e-4)


def test_weights_of_class_and_row_that_are_too_large_together_are_refused_by_name() -> None:
    clf = HyperboxClassifier(class_weight={"b": 5_000})
    message = (
        r"class_weight of 'b' times sample_weight of row 1 is 15000: it must be at most 10000; "
        "divide all of sample_weight by the same number"
    )
    with pytest.raises(ValueError, match=message):
        clf.partial_fit([[1.0], [2.0]], ["a", "b"], sample_weight=[3, 3])
    clf.partial_fit([[1.0], [2.0]], ["a", "b"], sample_weight=[1, 1])


@pytest.mark.parametrize("learn", ["partial_fit", "test_then_train"])
def test_balanced_class_weights_need_the_whole_table(learn: str) -> None:
    clf = HyperboxClassifier(class_weight="balanced").fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(ValueError, match=r"class_weight='balanced' needs the whole table"):
        getattr(clf, learn)([[1.0]], ["a"])


def test_class_weights_count_in_test_then_train(
    table: pd.DataFrame, labels: list[str], state: State
) -> None:
    given = {"yes": 3, "refer": 0.25}
    clf, twin = (HyperboxClassifier(class_weight=given) for _ in range(2))
    found = clf.test_then_train(table, labels)
    expected: list[Any] = [None]
    twin.partial_fit(table[:1], labels[:1])
    for i in range(1, len(table)):
        expected += twin.predict(table[i : i + 1]).tolist()
        twin.partial_fit(table[i : i + 1], labels[i : i + 1])
    assert found.tolist() == expected
    assert state(clf) == state(twin)
    without = HyperboxClassifier(class_weight={labels[0]: 0})
    found = without.test_then_train(table, labels)
    assert labels[0] not in found.tolist()
    assert labels[0] not in without.classes_


def test_class_weights_are_saved_and_checked_when_loaded(tmp_path: Any) -> None:
    path = tmp_path / "m.box"
    given = {"a": 2, True: 0.5}
    clf = HyperboxClassifier(class_weight=given)
    clf.fit([[1.0], [2.0]], np.array(["a", True], dtype=object)).save(path)
    assert load(path).class_weight == given
    clf.class_weight = {"a": -1}
    with pytest.raises((ValueError, ModelFileError), match="class_weight of 'a' must be"):
        clf.save(path)


@pytest.mark.parametrize(
    "given", [["1", "2"], np.array(["2020-01-01"] * 2, "M8[D]"), [10**400, 1]], ids=str
)
def test_weights_that_are_no_numbers_are_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="sample_weight must be numbers"):
        HyperboxClassifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=given)


def test_rules_of_boxes_with_little_weight_say_that_there_was_a_row() -> None:
    clf = HyperboxClassifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=[0.2, 0.3])
    assert [rule.rows for rule in clf.rules()] == [1, 1]


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_values_beyond_the_limit_go_on_to_share_a_code_where_rows_do_not_count(method):
    values = [f"v{k}" for k in range(300)]
    weights = np.ones(300)
    weights[3:60] = 0
    clf = getattr(HyperboxClassifier(), method)(
        [[value] for value in values], [k % 2 for k in range(300)], sample_weight=weights
    )
    assert clf.schema_.columns[0].vocabulary.values[255] == "(other values)"
    p = clf.predict_proba([["v299"], ["never seen"], ["v100"]])
    assert p[0].tolist() == p[1].tolist() != p[2].tolist()
