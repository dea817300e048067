"""Section IV.A.2: how much the rows of a box differ in their categories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log2
from statistics import fmean

import numpy as np

from boxwise.core import Boxes
from boxwise.paper.experiment import METHODS, VERSIONS
from boxwise.paper.measurements.measurement import Measure, Measurement
from boxwise.paper.protocol import Fold

DELTAS = (0.1, 0.3, 0.5, 0.7, 0.9)


class Homogeneity(Measurement):
    """The entropy of the categories in a box, with theta = 1 and alpha = n/(n+r) as in figure 4."""

    name = "homogeneity"
    about = "entropy of the categories within a box, θ = 1, δ from 0.1 to 0.9"

    def run(self, fold: Fold) -> Iterator[Measure]:
        """Learn with each version and delta, and take the entropy of the boxes."""
        X, y = fold.table.X[fold.train], fold.table.y[fold.train]
        for version in VERSIONS:
            for delta in fold.protocol.thin(DELTAS, (0.1, 0.5, 0.9)):
                learner = fold.learner(METHODS[version], theta=1.0, delta=delta).fit(X, y)
                yield Measure(version, f"{delta:g}", mean_entropy(learner.boxes_))


def mean_entropy(boxes: Boxes) -> float:
    """Return the entropy of the categories of a box in bits.

    It is the mean over the categorical columns and over the boxes, each as often as it has rows:
    what a row may expect of the box it is in.
    """
    bits = [fmean(map(entropy, columns)) for columns in boxes.counts]
    return float(np.average(bits, weights=boxes.n_samples))


def entropy(counts: Mapping[object, int]) -> float:
    """Return the entropy of some counts in bits; of one value it is 0, exactly."""
    total = sum(counts.values())
    return sum(n / total * log2(total / n) for n in counts.values())
