"""Section IV.C.1: how long it takes to tune alpha, and how long to estimate it."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.paper.experiment import METHODS, VERSIONS
from boxwise.paper.find_alpha import find
from boxwise.paper.measurements.measurement import Measure, Measurement
from boxwise.paper.protocol import Fold

ROUNDS = 5
WAYS = ("tuned", "estimate")


class Times(Measurement):
    """The time to tune as a multiple of the time to estimate, on the same inner folds.

    Est-alpha-v2 takes the time of Est-alpha-v1: the same models are learned.
    """

    name = "times"
    about = "time to tune α over that to estimate it, θ = δ = 0.1 and 1"
    mixed_only = True
    n_folds = 1
    alone = True

    def run(self, fold: Fold) -> Iterator[Measure]:
        """Time both ways by turns, and divide the shortest times."""
        for version in VERSIONS:
            for size in (0.1, 1.0):
                learner = fold.learner(METHODS[version], theta=size, delta=size)
                rounds = [[_seconds(w, learner, fold) for w in WAYS] for _ in range(ROUNDS)]
                tune, estimate = (min(seconds) for seconds in zip(*rounds, strict=True))
                yield Measure(version, f"{size:g}", tune / estimate)


def _seconds(way: str, learner: HyperboxLearner, fold: Fold) -> float:
    # Processor time, which other work on the machine affects little.
    start = process_time()
    find(way, learner, fold)
    return process_time() - start
