"""The other implementation makes the same boxes, wherever no tie is left to its unstable sort."""

from __future__ import annotations

import numpy as np
import pytest

from boxwise import EIOLGFMM, ImprovedOnlineGFMM
from boxwise.reference import EIOL

hbbrain = pytest.importorskip("hbbrain.mixed_data.eiol_gfmm", reason="needs hyperbox-brain")


class TieWatcher(EIOL):
    """The specification, noting whether two candidates for a row had the same membership."""

    tied = False

    def learn(self, lower, upper, values, label=None):
        degrees = [self.membership(b, lower, upper, values) for b in self.boxes if b.label == label]
        # The other implementation computes the memberships in another order: near ties count too.
        self.tied = self.tied or bool(np.any(np.diff(np.sort(degrees)) < 1e-9))
        super().learn(lower, upper, values, label)


def mixed_stream(seed: int, n_rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Classes that depend on both kinds of columns."""
    rng = np.random.default_rng(seed)
    numbers = rng.random((n_rows, 3))
    values = rng.integers(0, 3, (n_rows, 2))
    noise = rng.random(n_rows) / 5
    labels = (numbers[:, 0] + values[:, 0] / 5 + noise > 0.7).astype(int)
    return numbers, values, labels


@pytest.mark.parametrize("condition", ["each", "mean"])
@pytest.mark.parametrize(("theta", "delta"), [(0.1, 0.1), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9)])
def test_same_boxes_and_predictions_on_streams_without_ties(condition, theta, delta):
    compared = 0
    for seed in range(40):
        numbers, values, labels = mixed_stream(seed, n_rows=60)
        watcher = TieWatcher(theta, delta, 0.6, [1.0] * 3, condition, [(0, 1)] * 3, growing=False)
        for point, categories, label in zip(
            numbers.tolist(), values.tolist(), labels.tolist(), strict=True
        ):
            watcher.learn(point, point, categories, label)
        if watcher.tied:
            continue
        compared += 1
        X = np.empty((len(numbers), 5), dtype=object)
        X[:, :3], X[:, 3:] = numbers, values
        theirs = hbbrain.ExtendedImprovedOnlineGFMM(theta=theta, delta=delta, alpha=0.6, gamma=1)
        theirs.fit(
            X, labels, categorical_features=[3, 4], type_cat_expansion=int(condition == "mean")
        )
        ours = EIOLGFMM(
            theta,
            delta,
            version=2 if condition == "mean" else 1,
            alpha=0.6,
            categorical_features=[3, 4],
            feature_range=(0, 1),
        ).fit(X, labels)
        boxes = ours.boxes_
        np.testing.assert_array_equal(boxes.lower, theirs.V)
        np.testing.assert_array_equal(boxes.upper, theirs.W)
        np.testing.assert_array_equal(boxes.n_samples, theirs.N_samples)
        np.testing.assert_array_equal(boxes.labels, theirs.C)
        assert boxes.counts == [[dict(d) for d in box] for box in theirs.D]
        unseen_numbers, unseen_values, _ = mixed_stream(1000 + seed, n_rows=50)
        X[:50, :3], X[:50, 3:] = unseen_numbers, unseen_values
        membership = ours.membership(X[:50])
        best = [membership[:, boxes.labels == label].max(axis=1) for label in (0, 1)]
        clear = np.abs(best[0] - best[1]) > 1e-9
        assert clear.sum() > 40
        np.testing.assert_array_equal(ours.predict(X[:50])[clear], theirs.predict(X[:50])[clear])
    assert compared >= 5


@pytest.mark.parametrize("theta", [0.1, 0.3, 0.5, 0.7])
def test_iol_makes_the_same_boxes_and_predictions_on_streams_without_ties(theta):
    iol = pytest.importorskip("hbbrain.numerical_data.incremental_learner.iol_gfmm")
    compared = 0
    for seed in range(40):
        numbers, _, labels = mixed_stream(seed, n_rows=60)
        watcher = TieWatcher(theta, 1, 1, [1.0] * 3, "each", [(0, 1)] * 3, growing=False)
        for point, label in zip(numbers.tolist(), labels.tolist(), strict=True):
            watcher.learn(point, point, [], label)
        if watcher.tied:
            continue
        compared += 1
        theirs = iol.ImprovedOnlineGFMM(theta=theta, gamma=1).fit(numbers, labels)
        ours = ImprovedOnlineGFMM(theta, feature_range=(0, 1)).fit(numbers, labels)
        np.testing.assert_array_equal(ours.boxes_.lower, theirs.V)
        np.testing.assert_array_equal(ours.boxes_.upper, theirs.W)
        np.testing.assert_array_equal(ours.boxes_.n_samples, theirs.N_samples)
        np.testing.assert_array_equal(ours.boxes_.labels, theirs.C)
        unseen, _, _ = mixed_stream(1000 + seed, n_rows=50)
        membership = ours.membership(unseen)
        best = [membership[:, ours.boxes_.labels == label].max(axis=1) for label in (0, 1)]
        clear = np.abs(best[0] - best[1]) > 1e-9
        np.testing.assert_array_equal(ours.predict(unseen)[clear], theirs.predict(unseen)[clear])
    assert compared >= 5
