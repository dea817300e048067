"""Settings learned together have the boxes and the answers that each has alone."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise.core import EntropySettings, FoldRows, try_settings

from .streams import Stream, streams


def fold_of(stream: Stream) -> FoldRows:
    """All rows to learn, all of them to predict."""
    X, upper = stream.table()
    table = stream.classifier()._read_training(X, stream.labels, upper)
    return FoldRows(table.batch, table.labels, table.ranges, table.batch)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(streams(max_rows=80), st.integers(1, 3))
def test_together_and_alone_are_the_same(stream: Stream, n_jobs: int) -> None:
    if not any(label >= 0 for label in stream.labels):
        return
    fold = fold_of(stream)
    thetas, deltas, alphas = (0, 0.1, 0.3, 1), (0, 0.3, 0.9, 1), (0, 0.2, 0.5, 1 - 1e-15, 1)
    trials = [
        (
            EntropySettings(
                theta=theta,
                gamma=stream.gamma,
                delta=delta,
                alpha=alpha,
                mean=stream.condition == "mean",
            ),
            fold,
        )
        for theta, delta, alpha in product(thetas, deltas, alphas)
    ]
    together = try_settings(trials, probabilities=True, n_jobs=n_jobs)
    for trial, outcome in zip(trials, together, strict=True):
        (alone,) = try_settings([trial], probabilities=True, n_jobs=1)
        assert outcome.n_boxes == alone.n_boxes
        np.testing.assert_array_equal(outcome.predicted, alone.predicted)
        np.testing.assert_array_equal(outcome.probabilities, alone.probabilities)
