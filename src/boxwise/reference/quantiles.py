"""Numeric features measured by rank, in plain Python: any learner of the reference, rescaled.

The learner itself works in ranks, from 0 to 1. They are those of the values so far, taken anew with
the first that differs and whenever there are half as many again; then its boxes, whose bounds are
kept in the units of the input, are measured anew too.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable
from math import inf

from boxwise.reference.eiol import EIOL
from boxwise.reference.hyperbox import NO_WIDTH, Box, Numbers, Values

FULL = 256  # values of a level of the sketch
STEP = 1 / 64  # between two points of the function, at least
LARGEST = 1e150  # as far away as a value can be


class QuantileScale:
    """A monotone function that follows the distribution of the values it is told of."""

    def __init__(self) -> None:
        self.levels: list[list[float]] = []  # a value of level k stands for 2^k values
        self.odd: list[bool] = []  # by level: which of two goes on next time
        self.low, self.high = inf, -inf
        self.seen, self.due = 0, 1
        self.points: list[tuple[float, float]] = []

    def meet(self, low: float, high: float) -> bool:
        """Take note of a value, or of both ends of an interval; return whether ranks change."""
        self.low, self.high = min(self.low, low), max(self.high, high)
        for value in dict.fromkeys((low, high)):
            self._put(0, value)
        self.seen += 1
        differ = self.high - self.low > NO_WIDTH
        if self.seen < self.due and (self.is_ready or not differ):
            return False
        self.refresh()
        return True

    def _put(self, k: int, value: float) -> None:
        if k == len(self.levels):
            self.levels.append([])
            self.odd.append(False)
        self.levels[k].append(value)
        if len(self.levels[k]) == FULL:
            half = sorted(self.levels[k])[self.odd[k] :: 2]
            self.levels[k], self.odd[k] = [], not self.odd[k]
            for one in half:
                self._put(k + 1, one)

    def refresh(self) -> None:
        """Take the ranks of the values so far."""
        self.due = self.seen + max(1, self.seen // 2)
        times = Counter[float]()
        for k, level in enumerate(self.levels):
            for value in level:
                times[value] += 2**k
        total, below = sum(times.values()), 0
        ranks = [] if self.low in times else [(self.low, 0.0)]
        for value in sorted(times):  # a rank is in the middle of the values that are equal
            ranks.append((value, (2 * below + times[value]) / (2.0 * total)))
            below += times[value]
        if self.high not in times:
            ranks.append((self.high, 1.0))
        kept: list[tuple[float, float]] = []
        for value, rank in ranks:
            if not kept or value == self.high or rank >= kept[-1][1] + STEP:
                kept.append((value, rank))
        first, whole = kept[0][1], kept[-1][1] - kept[0][1]
        self.points = [(value, (rank - first) / whole if whole else 0.0) for value, rank in kept]

    @property
    def is_ready(self) -> bool:
        """Whether there are two values."""
        return len(self.points) > 1 and self.points[-1][0] - self.points[0][0] > NO_WIDTH

    def standardised(self, x: float) -> float:
        """Return the distance to the median by that of the outer twentieths, from -2 to 2."""
        low, median, high = (self._value_at(rank) for rank in (0.05, 0.5, 0.95))
        spread = high - low if high - low > NO_WIDTH else self.points[-1][0] - self.points[0][0]
        return min(max(2 * (x - median) / spread, -2.0), 2.0)

    def _value_at(self, rank: float) -> float:
        i = bisect_left(self.points, rank, key=lambda point: point[1])
        (x0, y0), (x1, y1) = self.points[i - 1 : i + 1]
        return x0 + (rank - y0) / (y1 - y0) * (x1 - x0)

    def __call__(self, x: float) -> float:
        """Return the rank of a value; beyond all others it goes on as the range does."""
        if not self.is_ready:
            return x
        first, last = self.points[0][0], self.points[-1][0]
        if x < first:
            return max((x - first) / (last - first), -LARGEST)
        if x >= last:
            return min(1.0 + (x - last) / (last - first), LARGEST)
        i = bisect_right(self.points, x, key=lambda point: point[0])
        (x0, y0), (x1, y1) = self.points[i - 1 : i + 1]
        return min(y0 + (x - x0) / (x1 - x0) * (y1 - y0), y1)


class ByQuantiles:
    """A learner whose numeric features are measured by rank."""

    def __init__(self, learner: EIOL) -> None:
        self.learner = learner
        n = len(learner.gamma)
        self.scales = [QuantileScale() for _ in range(n)]
        learner.ranges, learner.growing = [(0.0, 0.0)] * n, False  # nothing known: a single point
        self.bounds: list[tuple[list[float], list[float]]] = []  # V and W in the units of the input

    def learn(self, lower: Numbers, upper: Numbers, values: Values, label: Hashable = None) -> None:
        """Let the learner take the sample, and note how far its box reaches now."""
        for j, scale in enumerate(self.scales):
            if lower[j] <= upper[j] and scale.meet(lower[j], upper[j]):
                self._rescale(j)
        before = [(box.V, box.W) for box in self.learner.boxes]
        self.learner.learn(*self.ranks(lower, upper), values, label)
        for i, box in enumerate(self.learner.boxes):
            if i == len(before):
                self.bounds.append(([*lower], [*upper]))
                break
            V, W = self.bounds[i]
            for j in range(len(V)):
                V[j] = lower[j] if box.V[j] < before[i][0][j] else V[j]
                W[j] = upper[j] if box.W[j] > before[i][1][j] else W[j]

    @property
    def boxes(self) -> list[Box]:
        """The boxes in the units of the input."""
        pairs = zip(self.learner.boxes, self.bounds, strict=True)
        return [Box(V, W, box.D, box.n, box.label) for box, (V, W) in pairs]

    def _rescale(self, j: int) -> None:
        if self.scales[j].is_ready:
            self.learner.ranges[j] = (0.0, 1.0)
        for box, (V, W) in zip(self.learner.boxes, self.bounds, strict=True):
            if V[j] <= W[j]:
                box.V[j], box.W[j] = self.scales[j](V[j]), self.scales[j](W[j])

    def ranks(self, lower: Numbers, upper: Numbers) -> tuple[list[float], list[float]]:
        """Return the ranks of a sample's numbers; a missing one stays missing."""
        ranked = [
            (scale(low), scale(high)) if low <= high else (low, high)
            for scale, low, high in zip(self.scales, lower, upper, strict=True)
        ]
        return [low for low, _ in ranked], [high for _, high in ranked]

    def predict(self, lower: Numbers, upper: Numbers, values: Values) -> Hashable:
        """Return what the learner predicts."""
        return self.learner.predict(*self.ranks(lower, upper), values)
