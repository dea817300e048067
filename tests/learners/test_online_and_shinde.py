"""What is particular to the estimators that contract boxes; what all share is tested elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import boxwise
from boxwise import EIOLGFMM, OnlineGFMM, ShindeGFMM


def test_a_column_of_text_is_refused_with_what_to_do_about_it(table: pd.DataFrame) -> None:
    words = r"column 'city': '\w+' is not a number \(row 0\); OnlineGFMM takes numbers only: use "
    remedy = r"HyperboxClassifier or ShindeGFMM, which take categories as they are, or encode"
    with pytest.raises(ValueError, match=words + remedy):
        OnlineGFMM().partial_fit(table[["age", "city"]], ["a"] * len(table))


def test_a_category_that_comes_later_is_refused_and_nothing_is_learned(
    state: Callable[[Any], bytes],
) -> None:
    clf = OnlineGFMM().fit([{"age": 31}, {"age": 40}], ["a", "b"])
    before = state(clf)
    with pytest.raises(ValueError, match="column 'age': 'old' is not a number"):
        clf.partial_fit([{"age": 50}, {"age": "old"}], ["a", "b"])
    assert state(clf) == before


@pytest.mark.parametrize("value", [-0.1, 1.1, "half", None, float("nan")])
def test_a_wrong_beta_is_refused_in_words(value: Any) -> None:
    with pytest.raises(ValueError, match="beta must be a number from 0 to 1"):
        ShindeGFMM(beta=value).fit([["a"], ["b"]], [0, 1])


@pytest.mark.parametrize("clf", [OnlineGFMM(theta=0.6), ShindeGFMM(theta=0.6, beta=0.5)])
def test_a_loaded_model_goes_on_learning_where_it_was(
    clf: Any, table: pd.DataFrame, labels: list[str], state: Callable[[Any], bytes], tmp_path: Any
) -> None:
    X = table[["age", "income"]] if isinstance(clf, OnlineGFMM) else table
    clf = clone(clf).partial_fit(X[:60], labels[:60])
    clf.save(tmp_path / "model.box")
    loaded = boxwise.load(tmp_path / "model.box")
    assert state(loaded.partial_fit(X[60:], labels[60:])) == state(
        clf.partial_fit(X[60:], labels[60:])
    )


def test_other_parameters_hold_from_the_next_row_on() -> None:
    clf = ShindeGFMM(theta=1, beta=1, feature_range=(0, 1))
    clf.partial_fit([[0.1, "x", "y"], [0.2, "x", "z"]], ["a", "a"])
    assert len(clf.boxes_) == 2
    clf.set_params(beta=0.5).partial_fit([[0.3, "x", "w"]], ["a"])
    assert len(clf.boxes_) == 2  # one category of two is enough now
    clf.set_params(theta=0.01).partial_fit([[0.9, "x", "w"]], ["a"])
    assert len(clf.boxes_) == 3


def test_a_value_never_learned_is_one_that_no_box_knows() -> None:
    clf = ShindeGFMM().fit([[1.0, "x"], [2.0, "y"]], ["a", "b"])
    assert clf.membership([[1.0, "new"]]).tolist() == [[0.5, 0.0]]


def test_with_numbers_only_both_are_the_same_algorithm(
    table: pd.DataFrame, labels: list[str]
) -> None:
    X = table[["age", "income"]]
    online, shinde = OnlineGFMM(0.4).fit(X, labels), ShindeGFMM(0.4).fit(X, labels)
    np.testing.assert_array_equal(online.boxes_.lower, shinde.boxes_.lower)
    np.testing.assert_array_equal(online.boxes_.upper, shinde.boxes_.upper)
    np.testing.assert_array_equal(online.predict_proba(X), shinde.predict_proba(X))


def test_boxes_with_different_categories_are_contracted_all_the_same() -> None:
    """EIOL-GFMM, to which the boxes do not overlap, leaves them where they are."""
    rows = [[0.3, "x"], [0.7, "x"], [0.2, "y"], [0.5, "y"]]
    labels = ["b", "b", "a", "a"]
    shinde = ShindeGFMM(0.5, feature_range=(0, 1)).fit(rows, labels).boxes_
    np.testing.assert_allclose(shinde.lower.ravel(), [0.4 + 1e-5, 0.2], atol=1e-12)
    np.testing.assert_allclose(shinde.upper.ravel(), [0.7, 0.4], atol=1e-12)
    eiol = EIOLGFMM(0.5, feature_range=(0, 1)).fit(rows, labels).boxes_
    assert eiol.lower.ravel().tolist() == [0.3, 0.2]
    assert eiol.upper.ravel().tolist() == [0.7, 0.5]


def test_a_box_that_gets_its_class_when_it_grows_is_cut_apart_from_the_others() -> None:
    clf = OnlineGFMM(0.5, feature_range=(0, 1), unlabelled="?")
    clf.partial_fit([[0.3], [0.6], [0.2], [0.5]], ["b", "b", "?", "?"])
    assert clf.boxes_.labels.tolist() == ["b"]  # a row without a class may join any box
    assert clf.boxes_.upper.tolist() == [[0.6]]
    clf.partial_fit([[0.9], [0.5], [0.95]], ["?", "a", "c"])
    boxes = clf.boxes_
    assert boxes.labels.tolist() == ["b", "a", "c"]
    assert boxes.lower[1] > boxes.upper[0]
