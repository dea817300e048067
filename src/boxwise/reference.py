"""EIOL-GFMM, versions 1 and 2, in plain Python: the specification the engine is tested against.

Written to be read beside the paper (Khuat and Gabrys, "An Online Learning Algorithm for a
Neuro-Fuzzy Classifier with Mixed-Attribute Data"); the numbers in brackets are its equations.
It is slow on purpose: every step is spelled out and nothing is remembered between rows.

A sample is ``(lower, upper, values, label)``: two sequences of numbers (equal for a point; a
missing number is the empty interval from ``inf`` to ``-inf``), one of category values (a missing
category is a value like any other) and a label (``None`` for an unlabelled sample).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import inf, log2

Numbers = Sequence[float]
Values = Sequence[Hashable]

ROUNDING = 1e-12  # an entropy change this little above delta still counts as equal to it
NO_WIDTH = 1e-150  # a range no wider than this counts as a single point


@dataclass
class Box:
    """A hyperbox: from V to W, with the counted sets D, n samples and a class."""

    V: list[float]
    W: list[float]
    D: list[dict[Hashable, int]]
    n: int
    label: Hashable | None


class EIOL:
    """The learner: `learn` takes one sample, `predict` names the class of one."""

    def __init__(
        self,
        theta: float,
        delta: float,
        alpha: float,
        gamma: Sequence[float],
        condition: str = "each",
        ranges: Sequence[tuple[float, float] | None] | None = None,
        growing: bool = True,
    ) -> None:
        self.theta, self.delta, self.alpha, self.gamma = theta, delta, alpha, gamma
        self.condition = condition
        self.ranges = [r or (inf, -inf) for r in ranges or [None] * len(gamma)]
        self.growing = growing
        self.boxes: list[Box] = []
        self.classes: list[Hashable] = []  # in order of first appearance
        self.rejections = 0  # expansions that the overlap test refused

    def learn(self, lower: Numbers, upper: Numbers, values: Values, label: Hashable = None) -> None:
        """Let one box take the sample: one that contains it, one that may grow, or a new one."""
        self._widen_ranges(lower, upper)
        if label is not None and label not in self.classes:
            self.classes.append(label)
        candidates = [b for b in self.boxes if label is None or b.label in (label, None)]
        candidates.sort(key=lambda b: self.membership(b, lower, upper, values), reverse=True)
        for box in candidates:  # equal memberships: the oldest first, for the sort is stable
            if self.contains(box, lower, upper, values):
                self._take(box, box.V, box.W, values, label)
                return
        for box in candidates:
            if self.fits(box, lower, upper) and self.stays_pure(box, values):
                grown = Box([*box.V], [*box.W], [dict(d) for d in box.D], box.n, box.label)
                self._take(grown, lower, upper, values, label)
                others = (b for b in self.boxes if b is not box and not same_class(b, grown))
                if not any(overlap(grown, other) for other in others):
                    self._take(box, lower, upper, values, label)
                    return
                self.rejections += 1
        self.boxes.append(Box([*lower], [*upper], [{value: 1} for value in values], 1, label))

    def predict(self, lower: Numbers, upper: Numbers, values: Values) -> Hashable:
        """Return the class of the box with the largest membership; ties as in (6)."""
        known = [b for b in self.boxes if b.label is not None]
        degree = [self.membership(b, lower, upper, values) for b in known]
        best = max(degree)
        winners = [b for b, b_i in zip(known, degree, strict=True) if b_i == best]
        tied = [c for c in self.classes if any(b.label == c for b in winners)]
        # (6): b_j is the same number for every winner, so n_j decides, in integers; or nothing does
        weight = {c: sum(b.n for b in winners if b.label == c) if best > 0 else 0 for c in tied}
        return max(tied, key=lambda c: weight[c])  # the first of the largest: the class seen first

    def membership(self, box: Box, lower: Numbers, upper: Numbers, values: Values) -> float:
        """(7), or one half of it where there is one kind of feature only."""
        b_num, b_cat = 1.0, 1.0
        for j, (xl, xu) in enumerate(zip(lower, upper, strict=True)):
            v, w = box.V[j], box.W[j]
            if xl > xu or v > w:
                continue  # a missing value, or a feature the box has never seen: no constraint
            slope = self.gamma[j] / self.width(j) if self.width(j) else 0.0
            b_num = min(b_num, 1 - ramp(xu - w, slope), 1 - ramp(v - xl, slope))  # (2)
        if box.D:  # (8), averaged; one division, so that equal shares are equal numbers
            b_cat = sum(counts(box, values)) / (box.n * len(box.D))
        if not box.D or not box.V:
            return b_cat if box.D else b_num
        return self.alpha * b_num + (1 - self.alpha) * b_cat

    def contains(self, box: Box, lower: Numbers, upper: Numbers, values: Values) -> bool:
        """Whether the membership is one, decided without rounding."""
        if box.D and (self.alpha < 1 or not box.V) and min(counts(box, values)) < box.n:
            return False
        if box.D and self.alpha == 0:
            return True
        # A number in a feature the box has never seen lies outside: there is something to expand.
        return all(
            v <= xl and xu <= w for xl, xu, v, w in zip(lower, upper, box.V, box.W, strict=True)
        )

    def fits(self, box: Box, lower: Numbers, upper: Numbers) -> bool:
        """(4): grown to cover the sample, no side is longer than theta (of the range)."""
        return all(
            max(box.W[j], xu) - min(box.V[j], xl) <= self.theta * self.width(j)
            for j, (xl, xu) in enumerate(zip(lower, upper, strict=True))
            if xl <= xu
        )

    def stays_pure(self, box: Box, values: Values) -> bool:
        """(11) for version 1, (12) read as the mean for version 2."""
        Z = [entropy_change(d, value) for d, value in zip(box.D, values, strict=True)]
        if self.condition == "mean":
            return not Z or sum(Z) / len(Z) <= self.delta + ROUNDING
        return all(z <= self.delta + ROUNDING for z in Z)

    def width(self, j: int) -> float:
        """Width of the range of feature j: what the paper's scaling to [0, 1] divides by."""
        low, high = self.ranges[j]
        return high - low if high - low > NO_WIDTH else 0.0

    def _widen_ranges(self, lower: Numbers, upper: Numbers) -> None:
        for j, (xl, xu) in enumerate(zip(lower, upper, strict=True)):
            if self.growing:
                self.ranges[j] = min(self.ranges[j][0], xl), max(self.ranges[j][1], xu)

    def _take(
        self, box: Box, lower: Numbers, upper: Numbers, values: Values, label: Hashable
    ) -> None:
        box.V = [min(v, xl) for v, xl in zip(box.V, lower, strict=True)]  # (5)
        box.W = [max(w, xu) for w, xu in zip(box.W, upper, strict=True)]
        for d, value in zip(box.D, values, strict=True):  # (13)
            d[value] = d.get(value, 0) + 1
        box.n += 1
        box.label = label if box.label is None else box.label


def ramp(xi: float, slope: float) -> float:
    """(3)."""
    return min(max(xi * slope, 0.0), 1.0)


def counts(box: Box, values: Values) -> list[int]:
    """How often the box has seen each of the values: the numerators of (8)."""
    return [d.get(value, 0) for d, value in zip(box.D, values, strict=True)]


def entropy(d: dict[Hashable, int]) -> float:
    """(9)."""
    n = sum(d.values())
    return -sum(count / n * log2(count / n) for count in d.values())


def entropy_change(d: dict[Hashable, int], value: Hashable) -> float:
    """(10): Z_j, what one more value does to the entropy of a feature."""
    n = sum(d.values())
    return entropy({**d, value: d.get(value, 0) + 1}) - n / (n + 1) * entropy(d)


def same_class(a: Box, b: Box) -> bool:
    """Return whether both are known to be of one class; an unlabelled box might be of any."""
    return a.label is not None and a.label == b.label


def overlap(a: Box, b: Box) -> bool:
    """(14) and (15): the intervals meet in all features, and so do the frequencies of a value."""
    # A feature never seen is an empty interval and meets nothing.
    if not all(
        v_a <= w_b and v_b <= w_a for v_a, w_a, v_b, w_b in zip(a.V, a.W, b.V, b.W, strict=True)
    ):
        return False
    return all(
        any(value in d_b and d_a[value] * b.n == d_b[value] * a.n for value in d_a)
        for d_a, d_b in zip(a.D, b.D, strict=True)
    )
