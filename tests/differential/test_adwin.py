"""ADWIN: the specification, and the engine by its state, against River."""

from __future__ import annotations

import random

import numpy as np
import pytest
from river.drift import ADWIN

from boxwise import HyperboxClassifier
from boxwise.core import Model
from boxwise.reference.adwin import Adwin

FIRST_ALARM = 300  # rows before an alarm counts


def errors(seed: int, rates: list[float], rows: int = 600) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.random(rows) < rate for rate in rates]).astype(float)


def jumping(seed: int) -> np.ndarray:
    """Return errors whose rate jumps, also to 0 and 1: rounding leaves a variance below 0."""
    rng = random.Random(seed)
    rate, values = rng.random() * 0.3, []
    for _ in range(3_000):
        if rng.random() < 0.003:
            rate = rng.choice([0, 0, 1, rng.random()])
        values.append(float(rng.random() < rate))
    return np.array(values)


SLOWLY = np.random.default_rng(4).random(4_000) < np.linspace(0, 0.8, 4_000)
STREAMS = {  # and how many changes there are at least
    "steady": (errors(0, [0.2, 0.2, 0.2]), 0),
    "rises": (errors(1, [0.1, 0.4]), 1),
    "falls": (errors(2, [0.6, 0.05]), 1),
    "back and forth": (errors(3, [0.1, 0.7, 0.1, 0.7, 0.1]), 4),
    "jumps": (jumping(94), 1),
    "slowly": (SLOWLY.astype(float), 3),
    "constant": (np.zeros(500), 0),
    "step": (np.repeat([0.0, 1.0, 0.0], 400), 2),
    "numbers": (np.random.default_rng(5).normal(np.repeat([0, 1, -3], 700), 1.0), 2),
}


@pytest.mark.parametrize(("stream", "changes"), STREAMS.values(), ids=STREAMS.keys())
def test_reference_equals_river(stream, changes):
    ours, theirs, found = Adwin(), ADWIN(), []
    for i, value in enumerate(stream.tolist()):
        theirs.update(value)
        assert ours.update(value) == theirs.drift_detected, i
        if theirs.drift_detected:
            found.append(i)
        assert ours.window.size == theirs.width
        assert ours.window.total == pytest.approx(theirs.total, rel=0, abs=1e-9)
        assert ours.window.variance == pytest.approx(theirs.variance, rel=1e-9, abs=1e-9)
    assert len(found) >= changes


def drifting(seed: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((3 * rows, 2))
    y = (X[:, 0] > 0.5).astype(int)
    y[rows : 2 * rows] ^= X[rows : 2 * rows, 1] > 0.5
    y[rng.random(3 * rows) < 0.1] ^= 1
    return X, y


@pytest.mark.parametrize("seed", range(3))
def test_engine_raises_the_alarms_of_river(seed):
    """Up to the first alarm, on a fixed scale, the errors of the expert are those of the model."""
    X, y = drifting(seed, 700)
    clf = HyperboxClassifier(scale="range", feature_range=(0, 1), additive=False)
    theirs = ADWIN()
    for i, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        before = theirs.estimation
        if i > 0:
            theirs.update(float(clf.predict([x])[0] != label))
        clf.partial_fit([x], [label], classes=[0, 1])
        _, total, variance, width = clf._model.engine.snapshot()["adwin"][:4]
        assert (width, total) == (theirs.width, theirs.total)
        assert variance == pytest.approx(theirs.variance, abs=1e-9)
        alarm = theirs.drift_detected and theirs.estimation > before and i >= FIRST_ALARM
        assert bool(clf.changes_) == alarm
        if alarm:
            assert (clf.changes_[0].row, clf.changes_[0].event) == (i + 1, "alarm")
            return
    pytest.fail("there was no alarm")


# The state: delta, total, variance, width, means before and after, whether changed, ticks, rows of
# buckets; then for each row how many, and of each its errors and its variance.
DAMAGED = {
    "no delta": (0, 0.0),
    "another total": (1, 1e9),
    "another width": (3, 7.0),
    "no buckets": (8, 0.0),
    "too many buckets": (9, 6.0),
    "half an error": (10, 0.5),
    "more errors than rows": (10, 2.0),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_detector_is_refused_when_it_is_loaded(case):
    clf = HyperboxClassifier().partial_fit(*drifting(0, 100))
    header, arrays = clf._model.to_state()
    Model.from_state(header, arrays)
    position, value = DAMAGED[case]
    arrays["adwin"] = arrays["adwin"].copy()
    assert arrays["adwin"][position] != value
    arrays["adwin"][position] = value
    with pytest.raises(ValueError, match="change detector is damaged"):
        Model.from_state(header, arrays)
