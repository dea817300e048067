"""Intervals, missing values and rows without a label."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier

State = Callable[[HyperboxClassifier], bytes]
NAN = float("nan")


@pytest.fixture
def bounds() -> tuple[pd.DataFrame, pd.DataFrame, list[int]]:
    rng = np.random.default_rng(5)
    lower = pd.DataFrame(
        {"a": rng.random(60), "c": rng.choice(["x", "y"], 60), "b": rng.random(60)}
    )
    lower.loc[::9, "a"] = np.nan
    upper = lower[["a", "b"]] + rng.random((60, 2)) / 5
    return lower, upper, rng.integers(0, 3, 60).tolist()


def joined(lower: pd.DataFrame, upper: pd.DataFrame) -> pd.DataFrame:
    whole = lower.copy()
    for name in upper:
        whole[name] = pd.arrays.IntervalArray.from_arrays(lower[name], upper[name], closed="both")
    return whole


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_interval_columns_and_upper_bounds_are_the_same_thing(
    bounds: tuple[pd.DataFrame, pd.DataFrame, list[int]], state: State, learn: str
) -> None:
    lower, upper, y = bounds
    as_columns, as_upper = HyperboxClassifier(theta=0.4), HyperboxClassifier(theta=0.4)
    for part in [slice(0, 60)] if learn == "fit" else [slice(0, 25), slice(25, 60)]:
        getattr(as_columns, learn)(joined(lower[part], upper[part]), y[part])
        getattr(as_upper, learn)(lower[part], y[part], upper=upper[part])
    assert state(as_columns) == state(as_upper)
    assert (as_upper.boxes_.upper >= as_upper.boxes_.lower).sum() > 0
    whole = joined(lower, upper)
    for use in "predict", "predict_proba", "membership":
        found = getattr(as_columns, use)(whole)
        np.testing.assert_array_equal(found, getattr(as_upper, use)(lower, upper=upper))
    # A point is an interval from itself to itself.
    np.testing.assert_array_equal(
        as_upper.membership(lower), as_upper.membership(lower, upper=lower)
    )


def test_an_interval_makes_a_box_of_its_size_even_beyond_theta() -> None:
    for learner in (EIOLGFMM(), HyperboxClassifier(scale="range")):
        clf = learner.set_params(theta=0.1, feature_range=(0, 10))
        clf.fit([[1.0], [4.0]], ["a", "a"], upper=[[3.0], [4.5]])
        assert sorted(clf.boxes_.lower.tolist()) == [[1], [4]]
        assert sorted(clf.boxes_.upper.tolist()) == [[3], [4.5]]
        longest = clf.boxes_.lower[:, 0].argmin()  # each has its own upper bound
        assert (clf.boxes_.lower[longest, 0], clf.boxes_.upper[longest, 0]) == (1, 3)


def test_eiol_puts_a_row_into_a_box_that_holds_it_even_beyond_theta() -> None:
    clf = EIOLGFMM(theta=0.1, feature_range=(0, 10))
    clf.fit([[1.0], [4.0]], ["a", "a"], upper=[[3.0], [4.5]])
    clf.partial_fit([[2.0]], ["a"])
    assert clf.boxes_.n_samples.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("upper", "message"),
    [
        ([[0.0]], "column 'x0': the lower bound 1.0 is above"),
        ([[NAN]], "column 'x0': the upper bound is missing"),
        ([[2.0, 3.0]], "upper has 2 columns"),
        ([[2.0], [3.0]], "upper has 2 rows"),
        ([["high"]], "column 'x0': 'high' is not a number"),
        ([[math.inf]], "column 'x0': inf is not finite"),
    ],
)
@pytest.mark.parametrize("use", ["fit", "partial_fit", "predict", "predict_proba", "membership"])
def test_bad_upper_bounds_are_refused_everywhere(use: str, upper: Any, message: str) -> None:
    clf = HyperboxClassifier().fit([[0.0], [5.0]], ["a", "b"])
    arguments = [[[1.0]], ["a"]] if "fit" in use else [[[1.0]]]
    with pytest.raises(ValueError, match=message):
        getattr(clf, use)(*arguments, upper=upper)


def test_intervals_and_upper_bounds_at_once_are_refused() -> None:
    X = pd.DataFrame({"a": pd.arrays.IntervalArray.from_tuples([(1, 2)])})
    with pytest.raises(ValueError, match="X holds intervals and upper is given"):
        HyperboxClassifier().fit(X, ["p"], upper=[[3.0]])


@pytest.mark.parametrize("missing", [None, NAN, pd.NA, np.float64("nan")])
@pytest.mark.parametrize("learner", [EIOLGFMM, HyperboxClassifier])
def test_a_missing_number_constrains_nothing(missing: Any, learner: Any) -> None:
    clf = learner(theta=0.1, scale="range", feature_range=(0, 1))
    clf.fit([[0.1, 0.9], [0.1, missing], [missing, 0.95]], ["a"] * 3)
    assert clf.boxes_.lower.tolist() == [[0.1, 0.9]]
    assert clf.boxes_.upper.tolist() == [[0.1, 0.95]]
    assert clf.boxes_.n_samples.tolist() == [3]
    assert clf.membership([[missing, missing]]).tolist() == [[1]]
    found = clf.membership([[0.4, missing], [0.4, 0.9]])
    assert found[0, 0] == found[1, 0] < 1
    if learner is EIOLGFMM:
        np.testing.assert_allclose(found[:1], [[0.7]])


@pytest.mark.parametrize("learner", [EIOLGFMM, HyperboxClassifier])
def test_a_feature_that_a_box_has_never_seen_is_filled_in_later(learner: Any) -> None:
    clf = learner(theta=0.1, scale="range", feature_range=(0, 1))
    clf.fit(np.array([[0.1, NAN]]), ["a"])
    assert np.isnan(clf.boxes_.lower[0, 1])
    found = clf.membership([[0.2, 0.7], [0.2, NAN]])
    assert found[0, 0] == found[1, 0] < 1
    if learner is EIOLGFMM:
        np.testing.assert_allclose(found[:1], [[0.9]])
    clf.partial_fit([[0.15, 0.7]], ["a"])
    assert clf.boxes_.lower.tolist() == [[0.1, 0.7]]
    assert clf.boxes_.upper.tolist() == [[0.15, 0.7]]


def test_a_box_with_a_feature_never_seen_blocks_no_other_class() -> None:
    clf = EIOLGFMM(theta=0.5, feature_range=(0, 1))
    clf.fit([[0.5, NAN], [0.4, 0.4], [0.6, 0.6]], ["a", "b", "b"])
    assert len(clf.boxes_) == 2
    full = EIOLGFMM(theta=0.5, feature_range=(0, 1))
    full.fit([[0.5, 0.5], [0.4, 0.4], [0.6, 0.6]], ["a", "b", "b"])
    assert len(full.boxes_) == 3


def test_a_column_missing_throughout_is_learned_without_a_range() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [NAN, NAN]})
    clf = HyperboxClassifier().fit(X, ["p", "q"])
    assert np.isnan(clf.boxes_.lower[:, 1]).all()
    assert np.isnan(clf.schema_.columns[1].range).all()
    assert clf.predict(X).tolist() == ["p", "q"]
    clf.partial_fit(pd.DataFrame({"a": [1.0], "b": [3.0]}), ["p"])
    assert clf.schema_.columns[1].range == (3, 3)


@pytest.mark.parametrize("missing", [None, NAN, pd.NA])
def test_a_missing_category_is_a_value_of_its_own(missing: Any) -> None:
    clf = HyperboxClassifier(delta=0).partial_fit([["x"], [missing], [None]], ["a", "b", "b"])
    assert clf.boxes_.counts == [[{"x": 1}], [{None: 2}]]
    assert clf.predict([[missing]]).tolist() == ["b"]


@pytest.mark.parametrize(
    ("mark", "y"),
    [
        (-1, [-1, 3, 5]),
        (-1, np.array([-1, 3, 5], dtype=np.int8)),
        (NAN, [NAN, 3, 5]),
        (NAN, np.array([None, 3, 5], dtype=object)),
        (NAN, pd.Series([pd.NA, 3, 5], dtype="Int64")),
        ("?", np.array(["?", 3, 5], dtype=object)),
    ],
)
def test_rows_with_the_mark_are_learned_without_a_label(mark: Any, y: Any) -> None:
    clf = HyperboxClassifier(0.1, scale="range", feature_range=(0, 1), unlabelled=mark)
    clf.partial_fit([[0.1], [0.5], [0.9]], y)
    assert clf.classes_.tolist() == [3, 5]
    assert len(clf.boxes_) == 3
    label = clf.boxes_.labels[0]
    assert label == mark or (math.isnan(mark) and math.isnan(label))
    # The box without a class has the largest membership here, and takes no part.
    assert clf.predict([[0.15]]).tolist() == [3]
    assert clf.predict_proba([[0.15]]).shape == (1, 2)
    assert clf.membership([[0.15]]).shape == (1, 3)


def test_a_labelled_row_gives_an_unlabelled_box_its_class() -> None:
    clf = HyperboxClassifier(0.2, scale="range", feature_range=(0, 1), unlabelled="?")
    clf.fit([[0.1], [0.15], [0.1]], ["?", "?", "yes"])
    assert clf.boxes_.labels.tolist() == ["yes"]
    assert clf.boxes_.n_samples.tolist() == [3]
    clf.partial_fit([[0.5], [0.55]], ["?", "no"])  # by growing, not by holding the row
    assert clf.boxes_.labels.tolist() == ["yes", "no"]
    assert clf.boxes_.upper.tolist() == [[0.15], [0.55]]


def test_an_unlabelled_row_joins_a_labelled_box_and_leaves_its_class() -> None:
    clf = HyperboxClassifier(0.2, scale="range", feature_range=(0, 1), unlabelled=-1)
    clf.fit([[0.1], [0.2]], [4, -1])
    assert clf.boxes_.labels.tolist() == [4]
    assert clf.boxes_.upper.tolist() == [[0.2]]


@pytest.mark.parametrize("missing", [None, NAN, pd.NA])
def test_a_missing_label_is_an_error_that_names_the_row(missing: Any) -> None:
    with pytest.raises(ValueError, match="row 1 is missing"):
        HyperboxClassifier().fit([[0.1], [0.2]], np.array(["a", missing], dtype=object))
    with pytest.raises(ValueError, match="row 1 is missing"):
        HyperboxClassifier(unlabelled=-1).fit([[0.1], [0.2]], np.array([-1, missing], object))


@pytest.mark.parametrize("use", ["predict", "predict_proba"])
def test_predicting_without_a_labelled_row_says_so(use: str) -> None:
    clf = HyperboxClassifier(unlabelled=-1).fit([[0.1], [0.9]], [-1, -1])
    assert clf.classes_.tolist() == []
    with pytest.raises(ValueError, match="no row with a label"):
        getattr(clf, use)([[0.1]])
    clf.partial_fit([[0.1]], [1])
    assert clf.predict([[0.1]]).tolist() == [1]


def test_unlabelled_rows_in_pieces_give_the_same_model(state: State) -> None:
    rng = np.random.default_rng(1)
    X = rng.random((200, 2)).round(1)
    y = rng.integers(-1, 3, 200)
    bulk = HyperboxClassifier(theta=0.3, unlabelled=-1).partial_fit(X, y)
    singly = HyperboxClassifier(theta=0.3, unlabelled=-1)
    for i in range(200):
        singly.partial_fit(X[i : i + 1], y[i : i + 1])
    assert state(singly) == state(bulk)
