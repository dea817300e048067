"""Class balanced accuracy against its definition on a confusion matrix."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from boxwise.evaluate import Confusion, cba_scorer, class_balanced_accuracy

PAIRS = st.lists(st.tuples(*[st.sampled_from("abcd")] * 2), min_size=1, max_size=60)


def by_definition(y_true, y_pred):
    classes = sorted({*y_true, *y_pred})
    c = np.array([[np.sum((y_true == i) & (y_pred == j)) for j in classes] for i in classes])
    return float(np.mean(np.diag(c) / np.maximum(c.sum(axis=0), c.sum(axis=1))))


@given(PAIRS)
def test_it_is_the_mean_over_classes_of_the_diagonal_over_the_larger_margin(pairs):
    y_true, y_pred = zip(*pairs, strict=True)
    wanted = by_definition(np.array(y_true), np.array(y_pred))
    assert class_balanced_accuracy(y_true, y_pred) == pytest.approx(wanted)


@given(PAIRS)
def test_truth_and_prediction_can_change_places(pairs):
    y_true, y_pred = zip(*pairs, strict=True)
    there, back = class_balanced_accuracy(y_true, y_pred), class_balanced_accuracy(y_pred, y_true)
    assert there == pytest.approx(back)


def test_a_class_that_only_a_prediction_has_counts_as_missed():
    assert class_balanced_accuracy(["a", "a"], ["a", "b"]) == 0.25


def test_a_class_that_occurs_in_neither_does_not_count():
    assert class_balanced_accuracy(["a", "b"], ["a", "b"]) == 1.0


def test_always_the_common_class_is_no_better_than_its_share():
    assert class_balanced_accuracy([0] * 90 + [1] * 10, [0] * 100) == pytest.approx(0.45)


@pytest.mark.parametrize(
    "labels",
    [
        [1, 2, 2],
        [True, False, False],
        ["x", "y", "y"],
        [("a", 1), ("b", 2), ("b", 2)],
        [None, 1, 1],
    ],
)
def test_any_hashable_label_will_do(labels):
    assert class_balanced_accuracy(labels, labels) == 1.0


def test_arrays_and_lists_of_the_same_labels_agree():
    y_true, y_pred = ["a", "b", "b", "c"], ["a", "b", "c", "c"]
    assert class_balanced_accuracy(np.array(y_true), np.array(y_pred)) == class_balanced_accuracy(
        y_true, y_pred
    )
    assert class_balanced_accuracy(np.array(y_true), y_true) == 1.0


@given(PAIRS)
def test_adding_one_by_one_is_the_same_as_all_at_once(pairs):
    y_true, y_pred = zip(*pairs, strict=True)
    online = Confusion()
    for truth, prediction in pairs:
        online.add(truth, prediction)
    assert len(online) == len(pairs)
    assert online.cba == pytest.approx(class_balanced_accuracy(y_true, y_pred))
    assert online.accuracy == pytest.approx(accuracy_score(y_true, y_pred))


@given(PAIRS, st.integers(1, 70))
def test_a_window_scores_the_last_rows_only(pairs, window):
    recent, last = Confusion(window=window), Confusion()
    recent.update(*zip(*pairs, strict=True))
    last.update(*zip(*pairs[-window:], strict=True))
    assert len(recent) == len(last) == min(window, len(pairs))
    assert recent.accuracy == last.accuracy
    assert recent.cba == pytest.approx(last.cba)


def test_nothing_added_has_no_score():
    assert len(Confusion()) == 0
    assert math.isnan(Confusion().accuracy)
    assert math.isnan(Confusion().cba)


def test_no_rows_is_an_error():
    with pytest.raises(ValueError, match="at least one row"):
        class_balanced_accuracy([], [])


def test_unequal_lengths_are_an_error():
    with pytest.raises(ValueError, match="y_true has 2 rows, y_pred has 1"):
        class_balanced_accuracy(["a", "b"], ["a"])


def test_a_string_is_not_taken_for_a_list_of_letters():
    with pytest.raises(TypeError, match="y_true is one string, 'approved'"):
        Confusion().update("approved", "declined")


def test_a_table_is_not_taken_for_a_column():
    with pytest.raises(ValueError, match="y_pred must be one column"):
        class_balanced_accuracy([0, 1], np.zeros((2, 1)))


def test_a_window_of_no_rows_is_an_error():
    with pytest.raises(ValueError, match="window must be at least 1 row, not 0"):
        Confusion(window=0)


def test_the_scorer_scores_folds_as_the_function_does():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    wanted = [
        class_balanced_accuracy(y[test], tree.fit(X[train], y[train]).predict(X[test]))
        for train, test in folds.split(X, y)
    ]
    assert cross_val_score(tree, X, y, scoring=cba_scorer, cv=folds).tolist() == wanted


def test_the_scorer_takes_the_larger_score_for_the_better_in_a_grid_search():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    search = GridSearchCV(tree, {"max_depth": [1, 3]}, scoring=cba_scorer, cv=3)
    search.fit(X, np.array(["setosa", "versicolor", "virginica"])[y])
    assert search.best_params_ == {"max_depth": 3}
    assert search.best_score_ > 0.9


def test_the_scorer_can_be_pickled():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    assert pickle.loads(pickle.dumps(cba_scorer))(tree, X, y) == cba_scorer(tree, X, y)
