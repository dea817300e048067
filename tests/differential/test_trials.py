"""Settings learned together have the boxes and the answers that each has alone."""

from __future__ import annotations

from itertools import cycle, product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise import EIOLGFMM
from boxwise.core import EntropySettings, FoldRows, try_settings
from boxwise.learners.base.hyperbox_learner import TrainingTable

from .streams import Stream, streams


@pytest.fixture
def with_and_without_an_index() -> None:
    """Trials have no index, and those alone take turns below: there are many."""


def assert_together_as_alone(
    table: TrainingTable, gamma: list[float], mean: bool, n_jobs: int
) -> None:
    """Learn all rows and predict all of them: with a grid of settings, and with each by itself."""
    fold = FoldRows(table.batch, table.labels, table.ranges, table.batch)
    thetas, deltas, alphas = (0, 0.1, 0.3, 1), (0, 0.3, 0.9, 1), (0, 0.2, 0.5, 1 - 1e-15, 1)
    chosen = [
        EntropySettings(theta=theta, gamma=gamma, delta=delta, alpha=alpha, mean=mean)
        for theta, delta, alpha in product(thetas, deltas, alphas)
    ]
    together = try_settings([(s, fold) for s in chosen], probabilities=True, n_jobs=n_jobs)
    rows = (table.batch.lower, table.batch.upper, table.batch.codes)
    modes = cycle([("off", 64), ("on", 4)])
    for setting, outcome, mode in zip(chosen, together, modes, strict=False):
        alone = setting.new_engine(fold.n_categorical, fold.ranges)
        alone.set_index(*mode)
        alone.learn(*rows, table.labels)
        assert outcome.n_boxes == alone.n_boxes
        np.testing.assert_array_equal(outcome.predicted, alone.predict(*rows))
        np.testing.assert_array_equal(outcome.probabilities, alone.probabilities(*rows))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(streams(max_rows=80), st.integers(1, 3))
def test_together_and_alone_are_the_same(stream: Stream, n_jobs: int) -> None:
    if not any(label >= 0 for label in stream.labels):
        return
    X, upper = stream.table()
    table = stream.classifier()._read_training(X, stream.labels, upper)
    assert_together_as_alone(table, stream.gamma, stream.condition == "mean", n_jobs)


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("n_numbers", [16, 17, 40])
def test_with_more_numbers_than_are_measured_at_once(n_numbers: int, mean: bool) -> None:
    rng = np.random.default_rng(n_numbers)
    numbers = rng.random((150, n_numbers)).round(1)
    numbers[rng.random(numbers.shape) < 0.05] = np.nan
    X = [[*row, "abc"[k]] for row, k in zip(numbers, rng.integers(0, 3, 150), strict=True)]
    table = EIOLGFMM()._read_training(X, rng.integers(0, 2, 150), None)
    assert_together_as_alone(table, [1.0] * n_numbers, mean, n_jobs=2)
