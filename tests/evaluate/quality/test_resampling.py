"""Intervals: known cases, and how often they hold the truth."""

import math

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from boxwise.evaluate import assess
from boxwise.evaluate.quality.resampling import Bootstrap, Folds


def accuracy(right, **options):
    """Return the figure of the accuracy of predictions that are right or not."""
    y = ["a" if one else "b" for one in right]
    return assess(y, None, ["a", "b"], y_pred=["a"] * len(y), **options).figures["accuracy"]


def test_bootstrap_interval_of_a_share_is_that_of_the_binomial_distribution():
    right = np.arange(1000) % 5 > 0
    figure = accuracy(right)
    half = norm.ppf(0.975) * math.sqrt(0.8 * 0.2 / 1000)
    assert figure.value == 0.8
    assert (figure.low, figure.high) == pytest.approx((0.8 - half, 0.8 + half), abs=0.006)


def test_intervals_have_the_level_asked_for():
    right = np.arange(1000) % 5 > 0
    narrow, wide = accuracy(right, level=0.5), accuracy(right, level=0.99)
    assert wide.low < narrow.low < 0.8 < narrow.high < wide.high


def test_the_same_seed_gives_the_same_intervals_and_another_one_others():
    right = np.arange(300) % 3 > 0
    assert accuracy(right, seed=1) == accuracy(right, seed=1) != accuracy(right, seed=2)


def test_blocks_give_wider_intervals_where_errors_come_in_runs():
    runs = np.repeat(np.arange(50) % 2 == 0, 40)
    scattered = np.arange(2000) % 2 == 0
    assert accuracy(runs, n_blocks=50).high - accuracy(runs, n_blocks=50).low > 0.2
    by_rows = accuracy(runs)
    assert by_rows.high - by_rows.low < 0.06
    figure = accuracy(scattered, n_blocks=50)  # each block has as many right as wrong
    assert figure.low == figure.high == 0.5


def test_blocks_are_consecutive_and_of_about_the_same_length():
    weights = next(Bootstrap(n_blocks=7).weights(100, 2))
    lengths = np.diff([0, *np.flatnonzero(np.diff(np.arange(100) * 7 // 100)) + 1, 100])
    assert set(lengths) <= {14, 15}
    assert all(len(set(part)) == 1 for part in np.split(weights, np.cumsum(lengths)[:-1]))


def test_more_blocks_than_rows_are_as_many_as_rows():
    assert next(Bootstrap(n_blocks=50).weights(3, 2)).sum() == 3


def test_bootstrap_intervals_hold_the_truth_about_as_often_as_they_say():
    random = np.random.default_rng(0)
    held = [
        f.low <= 0.7 <= f.high
        for f in (accuracy(random.random(200) < 0.7, seed=s) for s in range(80))
    ]
    assert 0.88 < np.mean(held) <= 1


def test_folds_give_the_mean_over_folds_and_the_interval_of_nadeau_and_bengio():
    right = np.tile([1, 1, 0, 1, 1, 1], 10)
    right[:3] = 1
    right[58:] = 0
    folds = np.arange(60) // 15  # 4 folds
    shares = np.array([right[folds == f].mean() for f in range(4)])
    figure = accuracy(right == 1, folds=folds)
    reach = student.ppf(0.975, 3) * shares.std(ddof=1) * math.sqrt(1 / 4 + 1 / 3)
    assert figure.value == pytest.approx(shares.mean())
    assert figure.low == pytest.approx(max(0, shares.mean() - reach))
    assert figure.high == pytest.approx(min(1, shares.mean() + reach))


def test_folds_without_a_figure_are_left_out_of_its_mean():
    found = Folds(np.array([0, 1, 2], np.int32)).summarise(
        np.array([0.5]), np.array([[0.4], [math.nan], [0.6]]), 0.95
    )
    assert found[0, 0] == 0.5
    one = Folds(np.array([0, 1], np.int32)).summarise(
        np.array([0.5]), np.array([[0.4], [math.nan]]), 0.95
    )
    assert one[0, 0] == 0.4
    assert math.isnan(one[1, 0])
