"""Onln-GFMM and Onln-GFMM-M2: the other implementation makes the same boxes, but for ties.

On purpose we differ where it leaves equal memberships to an unstable sort, where a box is smaller
than epsilon, where a share of the categories is no whole number in binary only, and on tables of
categories alone, with which it fails.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from boxwise import OnlineGFMM, ShindeGFMM
from boxwise.reference import Box
from boxwise.reference.contraction import EPSILON, contract
from boxwise.reference.hyperbox import intervals_meet
from boxwise.reference.online import Online
from boxwise.reference.shinde import Shinde

from .cases import mostly_long

numerical = pytest.importorskip(
    "hbbrain.numerical_data.incremental_learner.onln_gfmm", reason="needs hyperbox-brain"
)
mixed = pytest.importorskip("hbbrain.mixed_data.onehot_onln_gfmm", reason="needs hyperbox-brain")


class TieWatcher(Online):
    """A specification that notes whether two candidates for a row had the same membership."""

    tied = False

    def learn(self, lower, upper, values, label=None):
        degrees = [
            self.membership(b, lower, upper, values)
            for b in self.boxes
            if label is None or b.label in (label, None)
        ]
        # The other implementation computes the memberships in another order: near ties count too.
        self.tied = self.tied or bool(np.any(np.diff(np.sort(degrees)) < 1e-9))
        super().learn(lower, upper, values, label)


class WatchedShinde(TieWatcher, Shinde):
    pass


def interval_pair(rng: Any, dimensions: int, grid: int | None) -> tuple[Any, Any, Any, Any]:
    corners = rng.random((4, dimensions))
    if grid is not None:
        corners = np.round(corners * grid) / grid
    (a, b), (c, d) = np.sort(corners[:2], axis=0), np.sort(corners[2:], axis=0)
    return a, b, c, d


@pytest.mark.parametrize("grid", [None, 3, 4, 8])
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_the_same_contraction_of_two_boxes_grids_and_points_included(grid, dimensions):
    rng = np.random.default_rng(dimensions)
    contracted = 0
    for _ in range(2_000):
        a_v, a_w, b_v, b_w = interval_pair(rng, dimensions, grid)
        a = Box(a_v.tolist(), a_w.tolist(), [], 1, 0)
        b = Box(b_v.tolist(), b_w.tolist(), [], 1, 1)
        assert intervals_meet(a, b) == bool(
            numerical.is_two_hyperboxes_overlap_num_data_general(a_v, a_w, b_v, b_w)
        )
        if not intervals_meet(a, b):
            continue
        contracted += contract(a, b, [EPSILON] * dimensions)
        theirs = numerical.overlap_resolving_num_data(a_v, a_w, 0, b_v, b_w, 1, EPSILON)
        for ours, bound in zip((a.V, a.W, b.V, b.W), theirs, strict=True):
            np.testing.assert_array_equal(ours, bound)
    assert contracted > 300


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param((0.5, 0.500004), (0.500002, 0.500006), id="k ends within epsilon"),
        pytest.param((0.5, 0.500004), (0.500002, 0.500003), id="i begins within epsilon"),
    ],
)
def test_difference_it_turns_a_box_smaller_than_epsilon_inside_out(a, b):
    sides = [np.array([bound]) for bound in (*a, *b)]
    theirs = numerical.overlap_resolving_num_data(
        sides[0], sides[1], 0, sides[2], sides[3], 1, EPSILON
    )
    assert theirs[0] > theirs[1] or theirs[2] > theirs[3]
    ours = Box([a[0]], [a[1]], [], 1, 0), Box([b[0]], [b[1]], [], 1, 1)
    assert contract(*ours, [EPSILON])
    assert all(box.V <= box.W for box in ours)
    assert not intervals_meet(*ours)


def numbers(seed: int, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, 3))
    return X, (X[:, 0] + X[:, 1] + rng.random(n_rows) / 2 > 1.2).astype(int)


def clear_rows(membership: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The rows that no two classes tie for."""
    best = [membership[:, labels == label].max(axis=1) for label in np.unique(labels)]
    return np.abs(best[0] - best[1]) > 1e-9


def assert_same_model(ours: Any, theirs: Any) -> None:
    np.testing.assert_array_equal(ours.boxes_.lower, theirs.V)
    np.testing.assert_array_equal(ours.boxes_.upper, theirs.W)
    np.testing.assert_array_equal(ours.boxes_.labels, theirs.C)


@pytest.mark.parametrize(
    ("theta", "unlabelled"),
    mostly_long(
        product([0.1, 0.3, 0.5, 0.7], [0, 0.3]), quick=[(0.1, 0), (0.3, 0.3), (0.5, 0), (0.7, 0.3)]
    ),
)
def test_onln_makes_the_same_boxes_and_predictions_on_streams_without_ties(theta, unlabelled):
    compared = 0
    for seed in range(20):
        X, labels = numbers(seed, n_rows=80)
        labels[np.random.default_rng(seed).random(80) < unlabelled] = numerical.UNLABELED_CLASS
        watcher = TieWatcher(theta, [1.0] * 3, [(0, 1)] * 3, growing=False)
        for point, label in zip(X.tolist(), labels.tolist(), strict=True):
            watcher.learn(point, point, [], None if label == numerical.UNLABELED_CLASS else label)
        if watcher.tied:
            continue
        compared += 1
        theirs = numerical.OnlineGFMM(theta=theta).fit(X, labels)
        ours = OnlineGFMM(theta, feature_range=(0, 1), unlabelled=numerical.UNLABELED_CLASS)
        assert_same_model(ours.fit(X, labels), theirs)
        if unlabelled:
            continue
        unseen, _ = numbers(1000 + seed, n_rows=60)
        clear = clear_rows(ours.membership(unseen), ours.boxes_.labels)
        np.testing.assert_array_equal(ours.predict(unseen)[clear], theirs.predict(unseen)[clear])
    assert compared >= 5


def test_onln_decides_tied_memberships_by_the_same_nearest_centre():
    tied = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, labels = rng.integers(0, 9, (25, 2)) / 8, rng.integers(0, 3, 25)
        theirs = numerical.OnlineGFMM(theta=0.25, gamma=4).fit(X, labels)
        ours = Online(0.25, [4.0] * 2, [(0, 1)] * 2, growing=False)
        ours.boxes = [
            Box(v.tolist(), w.tolist(), [], 1, label)
            for v, w, label in zip(theirs.V, theirs.W, theirs.C.tolist(), strict=True)
        ]
        ours.classes = sorted(set(theirs.C.tolist()))
        rows = rng.integers(0, 17, (30, 2)) / 16
        for x, answer in zip(rows.tolist(), theirs.predict(rows), strict=True):
            degrees = [ours.b_num(box, x, x) for box in ours.boxes]
            best = [box for box, b in zip(ours.boxes, degrees, strict=True) if b == max(degrees)]
            if any(0 < max(degrees) - b < 1e-9 for b in degrees):  # a tie for us, not for them
                continue
            nearest = [
                min(ours.distance(box, x, x) for box in best if box.label == label)
                for label in {box.label for box in best}
            ]
            if len(nearest) > 1 and np.diff(np.sort(nearest))[0] > 1e-9:
                tied += 1
                assert ours.predict(x, x, []) == answer
    assert tied > 100


def mixed_stream(seed: int, n_rows: int, n: int, r: int) -> tuple[Any, Any, Any, Any, Any]:
    """Intervals and categories, of which the classes depend on both."""
    rng = np.random.default_rng(seed)
    lower = rng.random((n_rows, n)) * 0.9
    upper = lower + rng.random((n_rows, n)) * 0.05 * (seed % 2)  # every second stream: intervals
    values = rng.integers(0, 3, (n_rows, r))
    labels = (lower[:, 0] + values[:, 0] / 3 + rng.random(n_rows) / 3 > 0.9).astype(int)
    X = np.empty((n_rows, n + r), dtype=object)
    X[:, :n], X[:, n:] = lower, values
    return X, lower, upper, values, labels


@pytest.mark.parametrize(
    ("theta", "beta", "n", "r"),
    mostly_long(
        [
            (theta, beta, n, r)
            for theta, beta in product([0.1, 0.3, 0.7], [0.25, 0.5, 0.75, 1])
            for n, r in [(3, 2), (2, 4)]
        ],
        quick=[
            *((0.1, 0.25, 3, 2), (0.1, 0.75, 2, 4), (0.3, 0.5, 2, 4), (0.3, 1, 3, 2)),
            *((0.7, 0.75, 3, 2), (0.7, 0.25, 2, 4)),
        ],
    ),
)
def test_m2_makes_the_same_boxes_and_predictions_on_streams_without_ties(theta, beta, n, r):
    compared = 0
    for seed in range(10):
        X, lower, upper, values, labels = mixed_stream(seed, 50, n, r)
        watcher = WatchedShinde(theta, beta, [1.0] * n, [(0, 1)] * n, growing=False)
        for sample in zip(
            lower.tolist(), upper.tolist(), values.tolist(), labels.tolist(), strict=True
        ):
            watcher.learn(*sample)
        if watcher.tied:
            continue
        compared += 1
        both = np.vstack([X, X])  # as it takes intervals: all lower bounds, then all upper ones
        both[len(X) :, :n] = upper
        categorical = list(range(n, n + r))
        theirs = mixed.OneHotOnlineGFMM(theta=theta, min_percent_overlap_cat=beta)
        theirs.fit(both, labels, categorical_features=categorical)
        ours = ShindeGFMM(theta, beta, categorical_features=categorical, feature_range=(0, 1))
        assert_same_model(ours.fit(X, labels, upper=upper), theirs)
        # Theirs is one truth value for each of the categories 0, 1 and 2, which all occur.
        known = [[set(np.flatnonzero(d).tolist()) for d in box] for box in theirs.D]
        assert [[set(d) for d in box] for box in ours.boxes_.counts] == known
        unseen = mixed_stream(1000 + 2 * seed, 40, n, r)[0]
        clear = clear_rows(ours.membership(unseen), ours.boxes_.labels)
        np.testing.assert_array_equal(ours.predict(unseen)[clear], theirs.predict(unseen)[clear])
    assert compared >= 3


def test_m2_is_onln_on_a_table_of_numbers_in_both():
    X, labels = numbers(0, n_rows=80)
    theirs = mixed.OneHotOnlineGFMM(theta=0.3)
    theirs.fit(X.astype(object), labels, categorical_features=[])
    for ours in (OnlineGFMM(0.3, feature_range=(0, 1)), ShindeGFMM(0.3, feature_range=(0, 1))):
        assert_same_model(ours.fit(X, labels), theirs)


def test_difference_58_percent_of_50_categories_are_29_here_and_28_there():
    rows = np.empty((2, 51), dtype=object)
    rows[:, 0] = 0.5
    rows[0, 1:], rows[1, 1:29], rows[1, 29:] = 0, 0, 1  # 28 in common
    categorical = list(range(1, 51))
    theirs = mixed.OneHotOnlineGFMM(theta=0.5, min_percent_overlap_cat=0.58)
    theirs.fit(rows, np.array([0, 0]), categorical_features=categorical)
    assert len(theirs.V) == 1
    ours = ShindeGFMM(0.5, 0.58, categorical_features=categorical).fit(rows, [0, 0])
    assert len(ours.boxes_) == 2


def test_difference_it_fails_on_categories_alone():
    rows = np.array([["a", "b"], ["a", "c"], ["d", "b"]], dtype=object)
    theirs = mixed.OneHotOnlineGFMM(theta=0.5)
    with pytest.raises(AttributeError):
        theirs.fit(rows, np.array([0, 0, 1]), categorical_features=[0, 1])
    assert ShindeGFMM(0.5).fit(rows, [0, 0, 1]).predict(rows).tolist() == [0, 0, 1]
