"""Reliability and its error against their definition and against scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from boxwise.evaluate import Reliability, expected_calibration_error, reliability

CLASSES = ["a", "b", "c"]


def synthetic_predictions(n_rows, n_classes, seed):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(n_classes, 0.5), size=n_rows)
    return rng.integers(n_classes, size=n_rows), p


def by_definition(y_true, p, n_bins):
    """Return the error by a loop over the bins, each open on the left and closed on the right."""
    confidence, right = p.max(axis=1), p.argmax(axis=1) == y_true
    error = 0.0
    for k in range(n_bins):
        held = (confidence > k / n_bins) & (confidence <= (k + 1) / n_bins)
        if held.any():
            error += held.mean() * abs(right[held].mean() - confidence[held].mean())
    return error


@given(st.integers(1, 60), st.integers(1, 5), st.integers(1, 20), st.integers(0, 10**6))
def test_the_error_is_the_weighted_mean_over_the_bins(n_rows, n_classes, n_bins, seed):
    y, p = synthetic_predictions(n_rows, n_classes, seed)
    error = expected_calibration_error(y, p, range(n_classes), n_bins)
    assert error == pytest.approx(by_definition(y, p, n_bins))
    assert 0 <= error <= 1


@given(st.integers(1, 200), st.integers(1, 20), st.integers(0, 10**6))
def test_the_curve_of_two_classes_is_scikit_learns(n_rows, n_bins, seed):
    y, p = synthetic_predictions(n_rows, 2, seed)
    found = reliability(y, p, [0, 1], n_bins)
    right, confidence = p.argmax(axis=1) == y, p.max(axis=1)
    accuracy, mean = calibration_curve(right, confidence, n_bins=n_bins, pos_label=True)
    held = found.count > 0
    np.testing.assert_allclose(found.accuracy[held], accuracy)
    np.testing.assert_allclose(found.confidence[held], mean)


def test_an_edge_belongs_to_the_bin_below_it():
    found = reliability(["a"] * 3, [[0.5, 0.5], [0.75, 0.25], [1, 0]], ["a", "b"], n_bins=4)
    assert found.edges.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert found.count.tolist() == [0, 1, 1, 1]


def test_a_bin_without_predictions_has_no_means_and_no_weight():
    found = reliability(["a", "b"], [[1, 0], [0, 1]], ["a", "b"])
    assert found.count.tolist() == [0] * 14 + [2]
    assert np.isnan(found.accuracy[:-1]).all() and np.isnan(found.confidence[:-1]).all()
    assert found.error == 0


def test_all_wrong_with_certainty_is_the_largest_error():
    assert expected_calibration_error(["a", "a"], [[0, 1], [0, 1]], ["a", "b"]) == 1


def test_of_equal_probabilities_the_first_class_is_predicted():
    assert expected_calibration_error(["a"], [[0.5, 0.5]], ["a", "b"]) == 0.5
    assert reliability(["b"], [[0.5, 0.5]], ["a", "b"]).accuracy[7] == 0


def test_a_label_that_is_no_class_is_wrong_whatever_was_predicted():
    p = [[0.8, 0.2], [0.8, 0.2]]
    assert expected_calibration_error(["a", "new"], p, ["a", "b"]) == pytest.approx(0.3)


def test_the_shares_of_the_classes_have_no_error():
    y = ["a"] * 70 + ["b"] * 30
    assert expected_calibration_error(y, [[0.7, 0.3]] * 100, ["a", "b"]) == pytest.approx(0)


@given(st.integers(1, 50), st.integers(1, 50), st.integers(0, 10**6))
def test_parts_added_are_the_whole(n, m, seed):
    y, p = synthetic_predictions(n + m, 3, seed)
    whole = reliability(y, p, range(3))
    added = reliability(y[:n], p[:n], range(3)) + reliability(y[n:], p[n:], range(3))
    assert isinstance(added, Reliability)
    assert added.count.tolist() == whole.count.tolist()
    np.testing.assert_allclose(added.confidence, whole.confidence)
    np.testing.assert_allclose(added.accuracy, whole.accuracy)
    assert added.error == pytest.approx(whole.error)


def test_other_bins_cannot_be_added():
    one, two = (reliability(["a"], [[1.0]], ["a"], n_bins=n) for n in (5, 10))
    with pytest.raises(ValueError, match="5 and 10 bins cannot be added"):
        one + two
    with pytest.raises(TypeError):
        one + 1


@pytest.mark.parametrize("labels", [[1, 2], [True, False], ["x", "y"], [("a", 1), ("b", 2)]])
def test_any_hashable_label_will_do(labels):
    assert expected_calibration_error(labels, [[1, 0], [0, 1]], labels) == 0


def test_labels_from_arrays_and_lists_agree():
    y, p = synthetic_predictions(40, 3, 1)
    names = np.array(CLASSES)
    assert expected_calibration_error(names[y], p, names) == expected_calibration_error(
        [CLASSES[k] for k in y], p.tolist(), CLASSES
    )


def test_probabilities_rounded_to_32_bits_will_do():
    y, p = synthetic_predictions(500, 40, 2)
    rounded = expected_calibration_error(y, p.astype(np.float32), range(40))
    assert math.isclose(rounded, expected_calibration_error(y, p, range(40)), abs_tol=1e-3)
    above = [[1 + 1e-7, -1e-7]]
    assert expected_calibration_error(["a"], above, ["a", "b"]) == 0


@pytest.mark.parametrize(
    ("y", "p", "classes", "words"),
    [
        ([], np.empty((0, 2)), ["a", "b"], "at least one row; y_true is empty"),
        (["a"], [0.2], ["a", "b"], "must be a table.* not an array of 1 dimension$"),
        (["a"], [[0.2, 0.8]] * 2, ["a", "b"], "y_true has 1 rows, probabilities has 2"),
        (["a"], [[0.2, 0.8]], ["a"], "2 columns, but there are 1 classes"),
        (["a"], [[0.2, 0.8]], ["a", "a"], "class 'a' occurs more than once"),
        (["a", "b"], [[0.2, 0.8], [-0.1, 1.1]], ["a", "b"], "row 1, class 'a': -0.1 is not a"),
        (["a"], [[math.nan, 1]], ["a", "b"], "row 0, class 'a': nan is not a probability"),
        (["a", "b"], [[0, 1], [0.5, 0.4]], ["a", "b"], "row 1 sum to 0.9, not to 1"),
        ([1, 2], [[0, 1], [1, 0]], ["1", "2"], "label 1, .*but '1' is: give both in the same"),
        (np.zeros((2, 1)), [[0, 1], [1, 0]], [0, 1], "y_true must be one column"),
    ],
)
def test_what_cannot_be_is_named(y, p, classes, words):
    with pytest.raises(ValueError, match=words):
        expected_calibration_error(y, p, classes)


def test_a_string_is_not_taken_for_a_list_of_letters():
    with pytest.raises(TypeError, match="y_true is one string, 'ab'"):
        reliability("ab", [[1, 0], [0, 1]], ["a", "b"])


def test_no_bins_is_an_error():
    with pytest.raises(ValueError, match="n_bins must be at least 1, not 0"):
        reliability(["a"], [[1.0]], ["a"], n_bins=0)
