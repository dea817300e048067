"""The other implementation merges the same boxes, wherever no tie is left to its unstable sort."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from boxwise.reference.agglomerative import Agglomerative

pytest.importorskip("hbbrain", reason="needs hyperbox-brain")
accel_agglo_gfmm = pytest.importorskip("hbbrain.numerical_data.batch_learner.accel_agglo_gfmm")
agglo_gfmm = pytest.importorskip("hbbrain.numerical_data.batch_learner.agglo_gfmm")

THEIRS = {
    "agglo2": accel_agglo_gfmm.AccelAgglomerativeLearningGFMM,
    "agglosm": agglo_gfmm.AgglomerativeLearningGFMM,
}


class TieWatcher(Agglomerative):
    """The specification, noting whether two pairs to choose from were equally similar."""

    tied = False

    def _mergeable(self, pairs):
        pairs = [(a, b) for a, b in pairs if a.label == b.label]
        # By the shortest distance, all pairs that overlap are alike to degree 1, for example.
        degrees = [self.similarity(a, b) for a, b in pairs if self.may_merge(a, b)]
        self.tied = self.tied or bool(np.any(np.diff(np.sort(degrees)) < 1e-12))
        return super()._mergeable(pairs)


def interleaved(seed: int, n_rows: int, extent: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three classes that run into each other."""
    rng = np.random.default_rng(seed)
    lower = rng.random((n_rows, 3)) * (1 - extent)
    upper = lower + rng.random((n_rows, 3)) * extent
    labels = (lower[:, 0] + rng.random(n_rows) / 2 > 0.7) + (lower[:, 1] > 0.8)
    return lower, upper, labels.astype(int)


def learned_by_reference(method, similarity, theta, s_min, gamma, lower, upper, labels):
    watcher = TieWatcher(theta, 1, 1, gamma, "each", [(0, 1)] * 3, False, method, similarity, s_min)
    rows = zip(lower.tolist(), upper.tolist(), labels.tolist(), strict=True)
    watcher.fit((low, high, [], label) for low, high, label in rows)
    return watcher


@pytest.mark.parametrize("method", THEIRS)
@pytest.mark.parametrize("similarity", ["short", "long", "mid"])
@pytest.mark.parametrize(
    ("theta", "s_min", "gamma", "extent"),
    [(0.2, 0, 1, 0), (0.5, 0, 1, 0), (0.5, 0.7, 1, 0), (0.4, 0.5, 2, 0.1), (0.7, 0.9, 0.5, 0)],
)
def test_same_boxes_in_the_same_order(method, similarity, theta, s_min, gamma, extent):
    compared = merged = 0
    for seed in range(6):
        lower, upper, labels = interleaved(seed, 30, extent)
        ours = learned_by_reference(
            method, similarity, theta, s_min, [gamma] * 3, lower, upper, labels
        )
        if ours.tied:
            continue
        theirs = THEIRS[method](theta=theta, gamma=gamma, min_simil=s_min, simil_measure=similarity)
        theirs._fit(lower.copy(), upper.copy(), labels.copy())  # the one way in for intervals
        np.testing.assert_array_equal([box.V for box in ours.boxes], theirs.V)
        np.testing.assert_array_equal([box.W for box in ours.boxes], theirs.W)
        np.testing.assert_array_equal([box.n for box in ours.boxes], theirs.N_samples)
        np.testing.assert_array_equal([box.label for box in ours.boxes], theirs.C)
        compared += 1
        merged += len(labels) - len(ours.boxes)
    assert compared >= 3
    assert merged > 10


def test_a_tie_is_where_the_two_may_part():
    """Four points a step apart: which pair goes first is ours to say, the oldest."""
    points = np.array([[0.0], [0.2], [0.4], [0.6]])
    learner = Agglomerative(0.2, 1, 1, [1.0], "each", [(0, 1)], False, "agglosm", "long")
    learner.fit((point, point, [], 0) for point in points.tolist())
    assert [(box.V, box.W) for box in learner.boxes] == [([0.0], [0.2]), ([0.4], [0.6])]
    degrees = {learner.similarity(a, b) for a, b in combinations(learner.boxes, 2)}
    assert len(degrees) == 1
