"""Onln-GFMM-M1 in plain Python: Onln-GFMM with two bounds per categorical feature.

Castillo and Cardeñosa, "Fuzzy min-max neural networks for categorical data: application to missing
data imputation" (2012). Two category values are near each other if the classes are about as
frequent with the one as with the other. So all rows are needed first: `prepare`, then `learn`.
"""

# All boxes of this learner are of its own kind.
# mypy: disable-error-code="override"

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import sqrt

from boxwise.reference.hyperbox import Box, Numbers, Values, covers, in_units, intervals_meet
from boxwise.reference.online import Online

Sample = tuple[Numbers, Numbers, Values, Hashable]


class Bound(Enum):
    """The mark of a bound that is not set: any value, None too, may be a category."""

    UNSET = "unset"


@dataclass
class BoundBox(Box):
    """A hyperbox that in categorical feature j lies between the values E[j] and F[j]."""

    E: list[Hashable] = field(default_factory=list)
    F: list[Hashable] = field(default_factory=list)

    def bounds(self, j: int) -> list[Hashable]:
        """Return the one or two values that bound feature j."""
        return [self.E[j]] if self.F[j] is Bound.UNSET else [self.E[j], self.F[j]]


class Distances:
    """The distances from 0 to 1 between the values of one categorical feature."""

    def __init__(self, values: Sequence[Hashable], labels: Sequence[Hashable]) -> None:
        classes = [c for c in dict.fromkeys(labels) if c is not None]
        self.P: dict[Hashable, list[float]] = {}  # P(class | value), in order of first appearance
        for value in dict.fromkeys(values):
            known = [c for v, c in zip(values, labels, strict=True) if v == value and c is not None]
            if known:  # a value that only unlabelled rows have is like one never seen
                self.P[value] = [known.count(c) / len(known) for c in classes]
        vectors = list(self.P.values())
        self.largest = max((euclidean(p, q) for p in vectors for q in vectors), default=0.0)

    def __call__(self, a: Hashable, b: Hashable) -> float:
        """Return the distance of two values; of an unset bound to any, 0."""
        if a == b or Bound.UNSET in (a, b):
            return 0.0
        if a not in self.P or b not in self.P or len(self.P) == 2:
            return 1.0
        return euclidean(self.P[a], self.P[b]) / self.largest if self.largest else 0.0


class Castillo(Online):
    """Onln-GFMM in which categories have distances, and boxes bounds among them."""

    def __init__(
        self,
        theta: float,
        eta: float,
        gamma: Sequence[float],
        ranges: Sequence[tuple[float, float] | None] | None = None,
        growing: bool = True,
    ) -> None:
        super().__init__(theta, gamma, ranges, growing)
        self.eta = eta
        self.d: list[Distances] = []
        self.kept_apart: list[BoundBox] = []  # see resolve

    def prepare(self, samples: Iterable[Sample]) -> None:
        """Find the distances between the values of each categorical feature, from all samples."""
        _, _, rows, labels = zip(*samples, strict=True)
        self.d = [Distances(column, labels) for column in zip(*rows, strict=True)]

    def membership(self, box: BoundBox, lower: Numbers, upper: Numbers, values: Values) -> float:
        """Return the least over all features, of both kinds; in whole units."""
        b_cat = (1 - self.outside(box, j, value) for j, value in enumerate(values))
        return in_units(min(self.b_num(box, lower, upper), *b_cat, 1.0))

    def contains(self, box: BoundBox, lower: Numbers, upper: Numbers, values: Values) -> bool:
        """Whether the membership is one, decided without rounding."""
        outside = (self.outside(box, j, value) for j, value in enumerate(values))
        return covers(box, lower, upper) and not any(outside)

    def outside(self, box: BoundBox, j: int, value: Hashable) -> float:
        """How far the value is from the bound that is further away; 0 for a bound itself."""
        if value in box.bounds(j):
            return 0.0
        return max(self.d[j](value, box.E[j]), self.d[j](value, box.F[j]))

    def may_take(self, box: BoundBox, lower: Numbers, upper: Numbers, values: Values) -> bool:
        """Whether the box stays small in every feature, of both kinds."""
        return self.fits(box, lower, upper) and all(
            value in box.bounds(j) or self.may_bound(box, j, value)
            for j, value in enumerate(values)
        )

    def may_bound(self, box: BoundBox, j: int, value: Hashable) -> bool:
        """Whether a value that is no bound yet may become one."""
        to_E, to_F = self.d[j](box.E[j], value), self.d[j](box.F[j], value)
        if box.F[j] is Bound.UNSET:
            return to_E <= self.eta
        # A value between the bounds is refused: odd, but so it is published.
        return max(to_E, to_F) > self.d[j](box.E[j], box.F[j]) and min(to_E, to_F) <= self.eta

    def take(self, box: BoundBox, lower: Numbers, upper: Numbers, values: Values) -> None:
        """Let the box grow to contain the sample; a new value moves one of the bounds."""
        super().take(box, lower, upper, values)
        self.kept_apart = []
        for j, value in enumerate(values):
            if value in box.bounds(j):
                continue
            further = self.d[j](box.E[j], box.F[j]) < self.d[j](box.E[j], value) <= self.eta
            if box.F[j] is Bound.UNSET or further:
                box.F[j] = value
            else:
                box.E[j] = value

    def resolve(self, box: BoundBox, other: BoundBox) -> None:
        """Undo the overlap of a box that has grown with a box of another class.

        Where they share a bound in every categorical feature, the grown box gets other bounds in
        the feature where this makes it least smaller, wherever the intervals of the two lie. Only
        if that cannot be done, intervals are cut. What was kept apart by categories stays so: boxes
        for which bounds were replaced, and boxes that meet the grown one in all intervals.
        """
        if is_unset(box) or is_unset(other):
            return
        if not bounds_meet(box, other):
            if intervals_meet(box, other):
                self.kept_apart.append(other)
            return
        options = [o for j in range(len(box.E)) if (o := self.replacement(box, other, j))]
        if options:
            _, j, E, F = min(options, key=lambda option: option[0])  # the first of the cheapest
            box.E[j], box.F[j] = E, F
            self.kept_apart.append(other)
        else:
            super().resolve(box, other)

    def replacement(
        self, box: BoundBox, other: BoundBox, j: int
    ) -> tuple[float, int, Hashable, Hashable] | None:
        """Return by how much feature j shrinks if no bound in it is shared, j and the new bounds.

        A shared bound gives way to the training value that is furthest from the bound that stays,
        but no further than the two are now; that may be the bound that stays itself. If both are
        shared, E gives way first. A lone bound gives way to a value at distance 0 only.
        """
        d, E, F = self.d[j], box.E[j], box.F[j]
        extent = d(E, F)
        rivals = [b for b in (other, *self.kept_apart) if bounds_meet(box, b, but=j)]
        shared = {value for b in rivals for value in b.bounds(j)}

        def instead(stays: Hashable) -> Hashable:
            near = (v for v in d.P if v not in shared and d(stays, v) <= extent)
            return max(near, key=lambda v: d(stays, v), default=Bound.UNSET)  # the first seen

        if E in shared:
            E = instead(E if F is Bound.UNSET else F)
        if F in shared and E is not Bound.UNSET:
            F = instead(E)
        return None if E is Bound.UNSET else (extent - d(E, F), j, E, F)

    def new_box(self, lower: Numbers, upper: Numbers, values: Values, label: Hashable) -> BoundBox:
        """Return a box of this one sample, whose values are all its bounds."""
        box = super().new_box(lower, upper, values, label)
        return BoundBox(
            box.V, box.W, box.D, box.n, box.label, [*values], [Bound.UNSET] * len(values)
        )


def euclidean(p: Sequence[float], q: Sequence[float]) -> float:
    """Return the distance of two vectors, added up in order; `sum` may round otherwise."""
    total = 0.0
    for a, b in zip(p, q, strict=True):
        total += (a - b) * (a - b)
    return sqrt(total)


def bounds_meet(a: BoundBox, b: BoundBox, but: int | None = None) -> bool:
    """Whether the boxes share a bound in every categorical feature (but one)."""
    return all(set(a.bounds(j)) & set(b.bounds(j)) for j in range(len(a.E)) if j != but)


def is_unset(box: Box) -> bool:
    """Whether the box has never seen a number in some feature: it takes no part in overlap."""
    return any(v > w for v, w in zip(box.V, box.W, strict=True))
