"""The scores of a confusion table against scikit-learn's."""

import math
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score

from boxwise.evaluate import Confusion

PAIRS = st.lists(st.tuples(*[st.sampled_from("abcd")] * 2), min_size=1, max_size=60)


def confusion_of(pairs, window=None):
    table = Confusion(window)
    for truth, prediction in pairs:
        table.add(truth, prediction)
    return table


@given(PAIRS)
def test_kappa_is_scikit_learns(pairs):
    y_true, y_pred = zip(*pairs, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = cohen_kappa_score(y_true, y_pred)
    assert confusion_of(pairs).kappa == pytest.approx(wanted, nan_ok=True)


@given(PAIRS)
def test_balanced_accuracy_is_scikit_learns(pairs):
    y_true, y_pred = zip(*pairs, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that are predicted only
        wanted = balanced_accuracy_score(y_true, y_pred)
    assert confusion_of(pairs).balanced_accuracy == pytest.approx(wanted)


@given(PAIRS, st.integers(1, 70))
def test_a_window_scores_the_last_rows_only(pairs, window):
    recent, last = confusion_of(pairs, window), confusion_of(pairs[-window:])
    assert recent.kappa == pytest.approx(last.kappa, nan_ok=True)
    assert recent.balanced_accuracy == last.balanced_accuracy


@given(PAIRS, st.integers(1, 70), st.integers(1, 20))
def test_updates_of_any_size_count_as_single_rows_do(pairs, window, size):
    at_once, one_by_one = Confusion(window), confusion_of(pairs, window)
    for start in range(0, len(pairs), size):
        at_once.update(*zip(*pairs[start : start + size], strict=True))
    assert len(at_once) == len(one_by_one)
    assert at_once.accuracy == one_by_one.accuracy
    assert at_once.cba == one_by_one.cba


def test_guessing_is_worth_no_kappa_and_being_right_all_of_it():
    assert confusion_of([("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]).kappa == 0
    assert confusion_of([("a", "a"), ("b", "b")]).kappa == 1


def test_nothing_counted_has_no_score_and_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(Confusion().kappa)
        assert math.isnan(Confusion(window=5).balanced_accuracy)


def test_one_class_alone_has_no_kappa_and_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = confusion_of([("a", "a")] * 3)
        assert math.isnan(table.kappa)
        assert table.accuracy == table.cba == table.balanced_accuracy == 1
