"""Onln-GFMM in plain Python: boxes that grow first and are cut apart from other classes then.

Gabrys and Bargiela, "General fuzzy min-max neural network for clustering and classification"
(2000), with the contraction cases of `contraction`. Its relatives for mixed data replace single
steps of it: see `Online.learn`.
"""

from __future__ import annotations

from collections.abc import Hashable

from boxwise.reference.contraction import EPSILON, contract
from boxwise.reference.eiol import by_samples
from boxwise.reference.hyperbox import (
    Box,
    Network,
    Numbers,
    Values,
    covers,
    in_units,
    same_class,
    stretch,
)

FAR = 1000  # distances of so many ranges are compared as they are


class Online(Network):
    """The learner: `learn` takes one sample, `predict` names the class of one."""

    def learn(self, lower: Numbers, upper: Numbers, values: Values, label: Hashable = None) -> None:
        """Let one box take the sample: one that contains it, one that may grow, or a new one."""
        self.meet(lower, upper, label)
        candidates = [b for b in self.boxes if label is None or b.label in (label, None)]
        candidates.sort(key=lambda b: self.membership(b, lower, upper, values), reverse=True)
        for box in candidates:  # equal memberships: the oldest first, for the sort is stable
            if self.contains(box, lower, upper, values):
                self.count(box, values, label)
                return
        for box in candidates:
            if self.may_take(box, lower, upper, values):
                self.take(box, lower, upper, values)
                self.count(box, values, label)
                for other in self.boxes:
                    if other is not box and not same_class(other, box):
                        self.resolve(box, other)
                return
        self.boxes.append(self.new_box(lower, upper, values, label))

    def predict(self, lower: Numbers, upper: Numbers, values: Values) -> Hashable:
        """Return the class of the box with the largest membership; of several, the nearest."""
        known = [b for b in self.boxes if b.label is not None]
        degree = [self.membership(b, lower, upper, values) for b in known]
        best = max(degree)
        winners = [b for b, b_i in zip(known, degree, strict=True) if b_i == best]
        if not lower:  # without numeric features there are no distances
            return by_samples(self.classes, winners, best)
        near = {
            c: min(self.distance(b, lower, upper) for b in winners if b.label == c)
            for c in self.classes
            if any(b.label == c for b in winners)
        }
        return min(near, key=lambda c: near[c])  # the first seen of the nearest

    def membership(self, box: Box, lower: Numbers, upper: Numbers, values: Values) -> float:
        """How well the sample fits the box, from 0 to 1, in whole units."""
        return in_units(self.b_num(box, lower, upper))

    def contains(self, box: Box, lower: Numbers, upper: Numbers, values: Values) -> bool:
        """Whether the membership is one, decided without rounding."""
        return covers(box, lower, upper)

    def may_take(self, box: Box, lower: Numbers, upper: Numbers, values: Values) -> bool:
        """Whether the box may grow to contain the sample."""
        return self.fits(box, lower, upper)

    def take(self, box: Box, lower: Numbers, upper: Numbers, values: Values) -> None:
        """Let the box grow to contain the sample."""
        stretch(box, lower, upper)

    def count(self, box: Box, values: Values, label: Hashable) -> None:
        """One more sample in the box."""
        for d, value in zip(box.D, values, strict=True):
            d[value] = d.get(value, 0) + 1
        box.n += 1
        box.label = label if box.label is None else box.label

    def resolve(self, box: Box, other: Box) -> None:
        """Undo the overlap of a box that has grown with a box of another class."""
        contract(box, other, [EPSILON * self.width(j) for j in range(len(box.V))])

    def new_box(self, lower: Numbers, upper: Numbers, values: Values, label: Hashable) -> Box:
        """Return a box of this one sample."""
        return Box([*lower], [*upper], [{value: 1} for value in values], 1, label)

    def distance(self, box: Box, lower: Numbers, upper: Numbers) -> float:
        """Manhattan distance of the centres, the ranges taken as 1; compared as memberships are."""
        total = 0.0
        for j, (xl, xu) in enumerate(zip(lower, upper, strict=True)):
            v, w = box.V[j], box.W[j]
            if xl <= xu and v <= w and self.width(j):  # else nothing to measure, or by
                total += abs((xl + xu) / 2 - (v + w) / 2) / self.width(j)
        return in_units(total) if total < FAR else total
