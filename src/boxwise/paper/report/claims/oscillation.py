"""Measures of how much a score moves over a parameter, and which of two curves moves more."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from boxwise.paper.report.claims.claim import Finding, on_most

Scores = NDArray[np.float64]
Measure = Callable[[Scores], float]

STILL = 1e-9  # a smaller step is rounding


def value_range(scores: Scores) -> float:
    """Return the largest score less the smallest."""
    return float(np.ptp(scores))


def total_variation(scores: Scores) -> float:
    """Return the sum of all steps between neighbours, up or down."""
    return float(np.abs(np.diff(scores)).sum())


def deviation(scores: Scores) -> float:
    """Return the standard deviation of the scores."""
    return float(np.std(scores))


def turns(scores: Scores) -> float:
    """Return how often the curve turns from rising to falling or back."""
    steps = np.diff(scores)
    directions = np.sign(steps[np.abs(steps) > STILL])
    return float(np.count_nonzero(np.diff(directions)))


MEASURES: dict[str, Measure] = {
    "range": value_range,
    "total variation": total_variation,
    "standard deviation": deviation,
    "changes of direction": turns,
}


def moves_more(one: Mapping[str, Scores], other: Mapping[str, Scores], measure: str) -> Finding:
    """Find whether the first of two curves moves more, on more than half of the data sets."""
    moved = {d: (MEASURES[measure](one[d]), MEASURES[measure](other[d])) for d in one}
    finding = on_most({d: bool(a > b) for d, (a, b) in moved.items()})
    a, b = np.median([*moved.values()], axis=0)
    return Finding(finding.holds, f"{finding.numbers}; median {measure} {a:.3g} against {b:.3g}")
