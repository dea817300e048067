"""The base of every algorithm of the family: boxes, ranges, size test, numeric membership.

The numbers in brackets are equations of Khuat and Gabrys, "An Online Learning Algorithm for a
Neuro-Fuzzy Classifier with Mixed-Attribute Data".

A sample is ``(lower, upper, values, label)``: two sequences of numbers (equal for a point; a
missing number is the empty interval from ``inf`` to ``-inf``), one of category values (a missing
category is a value like any other) and a label (``None`` for an unlabelled sample).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import inf

Numbers = Sequence[float]
Values = Sequence[Hashable]

NO_WIDTH = 1e-150  # a range no wider than this counts as a single point
UNITS_PER_ONE = 1e12  # memberships are compared in whole units of 1e-12


@dataclass
class Box:
    """A hyperbox: from V to W, with the counted sets D, n samples and a class."""

    V: list[float]
    W: list[float]
    D: list[dict[Hashable, int]]
    n: int
    label: Hashable | None


class Network:
    """Boxes and classes in order of creation, and what one range per numeric feature gives."""

    def __init__(
        self,
        theta: float,
        gamma: Sequence[float],
        ranges: Sequence[tuple[float, float] | None] | None = None,
        growing: bool = True,
    ) -> None:
        self.theta, self.gamma = theta, gamma
        self.ranges = [r or (inf, -inf) for r in ranges or [None] * len(gamma)]
        self.growing = growing
        self.boxes: list[Box] = []
        self.classes: list[Hashable] = []  # in order of first appearance

    def meet(self, lower: Numbers, upper: Numbers, label: Hashable) -> None:
        """Take note of a sample: its class, and how far its numbers stretch the ranges."""
        for j, (xl, xu) in enumerate(zip(lower, upper, strict=True)):
            if self.growing:
                self.ranges[j] = min(self.ranges[j][0], xl), max(self.ranges[j][1], xu)
        if label is not None and label not in self.classes:
            self.classes.append(label)

    def width(self, j: int) -> float:
        """Width of the range of feature j: what the paper's scaling to [0, 1] divides by."""
        low, high = self.ranges[j]
        return high - low if high - low > NO_WIDTH else 0.0

    def b_num(self, box: Box, lower: Numbers, upper: Numbers) -> float:
        """(2): the membership over the numeric features."""
        b = 1.0
        for j, (xl, xu) in enumerate(zip(lower, upper, strict=True)):
            v, w = box.V[j], box.W[j]
            if xl > xu or v > w:
                continue  # a missing value, or a feature the box has never seen: no constraint
            slope = self.gamma[j] / self.width(j) if self.width(j) else 0.0
            b = min(b, 1 - ramp(xu - w, slope), 1 - ramp(v - xl, slope))
        return b

    def fits(self, box: Box, lower: Numbers, upper: Numbers) -> bool:
        """(4): grown to cover the sample, no side is longer than theta (of the range)."""
        return all(
            max(box.W[j], xu) - min(box.V[j], xl) <= self.theta * self.width(j)
            for j, (xl, xu) in enumerate(zip(lower, upper, strict=True))
            if xl <= xu
        )


def in_units(b: float) -> float:
    """Round a membership to the nearest whole unit of 1e-12.

    What is equal on paper may differ in its last bits: 0.3 * 0.8 + 0.6 is 0.84, and
    0.6 * 0.8 + 0.4 * 0.9 is 0.8400000000000001. After rounding, equal is equal again, and ``==``
    and ``<`` order candidates without contradiction, as a tolerance between pairs would not: a may
    be within it of b and b of c, but not a of c.
    """
    return round(b * UNITS_PER_ONE) / UNITS_PER_ONE


def ramp(xi: float, slope: float) -> float:
    """(3)."""
    return min(max(xi * slope, 0.0), 1.0)


def covers(box: Box, lower: Numbers, upper: Numbers) -> bool:
    """Return whether the sample's intervals lie within the box; a missing number lies anywhere."""
    # A number in a feature the box has never seen lies outside: there is something to expand.
    return all(v <= xl and xu <= w for xl, xu, v, w in zip(lower, upper, box.V, box.W, strict=True))


def stretch(box: Box, lower: Numbers, upper: Numbers) -> None:
    """(5): move V and W so that the box covers the sample."""
    box.V = [min(v, xl) for v, xl in zip(box.V, lower, strict=True)]
    box.W = [max(w, xu) for w, xu in zip(box.W, upper, strict=True)]


def same_class(a: Box, b: Box) -> bool:
    """Return whether both are known to be of one class; an unlabelled box might be of any."""
    return a.label is not None and a.label == b.label


def intervals_meet(a: Box, b: Box) -> bool:
    """(14): in all features; one that was never seen is an empty interval and meets nothing."""
    return all(
        v_a <= w_b and v_b <= w_a for v_a, w_a, v_b, w_b in zip(a.V, a.W, b.V, b.W, strict=True)
    )
