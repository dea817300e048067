"""ADaptive WINdowing (ADWIN) in plain Python: a detector of changes in the mean of a stream.

A window over the numbers drops its older part when the means of the two parts differ by more than
chance allows. A. Bifet and R. Gavaldà, "Learning from Time-Changing Data with Adaptive Windowing",
SDM 2007. The window is kept as an exponential histogram, and all numbers come out as those of
`river.drift.ADWIN` with its defaults.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, log, sqrt

DELTA = 0.002  # probability of a false alarm at a test
MAX_BUCKETS = 5  # of one size
CLOCK = 32  # numbers between two tests
GRACE, MIN_WINDOW = 10, 5  # the shortest window that is tested, the shortest part of it


@dataclass
class Bucket:
    """Consecutive numbers: how many, their sum, and the sum of their squared deviations."""

    size: float
    total: float
    variance: float


class Adwin:
    """The detector: `update` takes a number and tells whether the mean has changed."""

    def __init__(self) -> None:
        self.window = Bucket(0.0, 0.0, 0.0)
        self.rows: list[list[Bucket]] = [[]]  # row i: buckets of 2^i numbers, the oldest first
        self.ticks = 0
        self.changed = False
        self.older = self.newer = 0.0  # the means of the two parts at the last change

    def update(self, value: float) -> bool:
        """Take in a number; after a change the window starts anew."""
        if self.changed:
            older, newer = self.older, self.newer
            self.__init__()  # type: ignore[misc]
            self.older, self.newer = older, newer
        self._insert(value)
        self.ticks += 1
        if self.ticks % CLOCK == 0 and self.window.size > GRACE:
            while self._cut():
                self._drop_oldest()
        return self.changed

    def _insert(self, value: float) -> None:
        one = Bucket(1.0, value, 0.0)
        self.window = joined(self.window, one)
        self.rows[0].append(one)
        i = 0
        while len(self.rows[i]) > MAX_BUCKETS:
            if i + 1 == len(self.rows):
                self.rows.append([])
            self.rows[i + 1].append(joined(*self.rows[i][:2]))
            del self.rows[i][:2]
            i += 1

    def _buckets(self) -> Iterator[Bucket]:
        for row in reversed(self.rows):
            yield from row

    def _cut(self) -> bool:
        """Whether the window falls into two parts with different means."""
        n0, total0, n1, total1 = 0.0, 0.0, self.window.size, self.window.total
        for bucket in self._buckets():
            n0, total0 = n0 + bucket.size, total0 + bucket.total
            n1, total1 = n1 - bucket.size, total1 - bucket.total
            if min(n0, n1) < MIN_WINDOW:
                continue
            if abs(total0 / n0 - total1 / n1) > self._by_chance(n0, n1):
                if not self.changed:
                    self.older, self.newer = total0 / n0, total1 / n1
                self.changed = True
                return True
        return False

    def _by_chance(self, n0: float, n1: float) -> float:
        """How far apart the means of two parts may be."""
        width, variance = self.window.size, self.window.variance
        if variance < 0:  # left by rounding; River's square root is then NaN, which finds no change
            return inf
        chance = log(2 * log(width) / DELTA)
        m = 1 / (n0 - MIN_WINDOW + 1) + 1 / (n1 - MIN_WINDOW + 1)
        return sqrt(2 * m * (variance / width) * chance) + 2 / 3 * chance * m

    def _drop_oldest(self) -> None:
        oldest = self.rows[-1].pop(0)
        size, total = self.window.size - oldest.size, self.window.total - oldest.total
        apart = oldest.total / oldest.size - total / size
        between = oldest.size * size * apart * apart / (oldest.size + size)
        self.window = Bucket(size, total, self.window.variance - (oldest.variance + between))
        while len(self.rows) > 1 and not self.rows[-1]:
            self.rows.pop()


def joined(a: Bucket, b: Bucket) -> Bucket:
    """Return the bucket of the numbers of both."""
    size, total = a.size + b.size, a.total + b.total
    if not a.size:
        return b
    apart = a.total / a.size - b.total / b.size
    between = a.size * b.size * apart * apart / size
    return Bucket(size, total, a.variance + b.variance + between)
