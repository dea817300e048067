"""EIOL-GFMM, versions 1 and 2, in plain Python: the specification the engine is tested against.

Written to be read beside the paper (Khuat and Gabrys, "An Online Learning Algorithm for a
Neuro-Fuzzy Classifier with Mixed-Attribute Data"); the numbers in brackets are its equations.
It is slow on purpose: every step is spelled out and nothing is remembered between rows.
IOL-GFMM is the same without categorical features.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log2

from boxwise.reference.hyperbox import (
    Box,
    Network,
    Numbers,
    Values,
    covers,
    in_units,
    intervals_meet,
    same_class,
    stretch,
)

ROUNDING = 1e-12  # an entropy change this little above delta still counts as equal to it


class EIOL(Network):
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
        max_boxes: int | None = None,
    ) -> None:
        super().__init__(theta, gamma, ranges, growing)
        self.delta, self.alpha, self.condition = delta, alpha, condition
        self.max_boxes = max_boxes
        self.rejections = 0  # expansions that the overlap test refused

    def learn(self, lower: Numbers, upper: Numbers, values: Values, label: Hashable = None) -> None:
        """Let one box take the sample: one that contains it, one that may grow, or a new one."""
        self.meet(lower, upper, label)
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
        if candidates and self.max_boxes and len(self.boxes) >= self.max_boxes:
            self._take(candidates[0], lower, upper, values, label)  # not in the paper
            return
        self.boxes.append(Box([*lower], [*upper], [{value: 1} for value in values], 1, label))

    def predict(self, lower: Numbers, upper: Numbers, values: Values) -> Hashable:
        """Return the class of the box with the largest membership; ties as in (6)."""
        known = [b for b in self.boxes if b.label is not None]
        degree = [self.membership(b, lower, upper, values) for b in known]
        best = max(degree)
        winners = [b for b, b_i in zip(known, degree, strict=True) if b_i == best]
        return by_samples(self.classes, winners, best)

    def membership(self, box: Box, lower: Numbers, upper: Numbers, values: Values) -> float:
        """(7), or one half of it where there is one kind of feature only; in whole units."""
        b_num, b_cat = self.b_num(box, lower, upper), 1.0
        if box.D:  # (8), averaged; one division, so that equal shares are equal numbers
            b_cat = sum(counts(box, values)) / (box.n * len(box.D))
        if not box.D or not box.V:
            return in_units(b_cat if box.D else b_num)
        return in_units(self.alpha * b_num + (1 - self.alpha) * b_cat)

    def contains(self, box: Box, lower: Numbers, upper: Numbers, values: Values) -> bool:
        """Whether the membership is one, decided without rounding."""
        if box.D and (self.alpha < 1 or not box.V) and min(counts(box, values)) < box.n:
            return False
        return (bool(box.D) and self.alpha == 0) or covers(box, lower, upper)

    def stays_pure(self, box: Box, values: Values) -> bool:
        """(11) for version 1, (12) read as the mean for version 2."""
        Z = [entropy_change(d, value) for d, value in zip(box.D, values, strict=True)]
        if self.condition == "mean":
            return not Z or sum(Z) / len(Z) <= self.delta + ROUNDING
        return all(z <= self.delta + ROUNDING for z in Z)

    def _take(
        self, box: Box, lower: Numbers, upper: Numbers, values: Values, label: Hashable
    ) -> None:
        stretch(box, lower, upper)
        for d, value in zip(box.D, values, strict=True):  # (13)
            d[value] = d.get(value, 0) + 1
        box.n += 1
        box.label = label if box.label is None else box.label


def by_samples(classes: Sequence[Hashable], winners: Sequence[Box], best: float) -> Hashable:
    """(6): among the classes whose boxes tie, the one with most samples; then the one seen first.

    b_j is the same number for every winner, so n_j decides, in integers; if it is 0, nothing does.
    """
    tied = [c for c in classes if any(b.label == c for b in winners)]
    weight = {c: sum(b.n for b in winners if b.label == c) if best > 0 else 0 for c in tied}
    return max(tied, key=lambda c: weight[c])  # the first of the largest


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


def overlap(a: Box, b: Box) -> bool:
    """(14) and (15): the intervals meet in all features, and so do the frequencies of a value."""
    return intervals_meet(a, b) and all(
        any(value in d_b and d_a[value] * b.n == d_b[value] * a.n for value in d_a)
        for d_a, d_b in zip(a.D, b.D, strict=True)
    )
