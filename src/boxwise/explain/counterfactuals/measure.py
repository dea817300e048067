"""The unit of distances in a numeric column: its range, or the ranks of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Range
from boxwise.reference.hyperbox import NO_WIDTH

Floats = NDArray[np.float64]


class Measure:
    """The measure of one column, with the numbers of the engine bit for bit.

    Attributes
    ----------
    width : float
        What a distance is divided by; 0 while the column has one value only, and tells nothing.
    low, high : float
        The range in the units of the input; NaN while there is none.

    Examples
    --------
    >>> ages = Measure(Range(20.0, 70.0))
    >>> ages.share(np.array([30.0]), 20.0)
    array([0.2])
    """

    def __init__(self, of: Range) -> None:
        self.low, self.high = of.low, of.high
        self._x, self._y = np.empty(0), np.empty(0)
        if of.scale is None:
            whole = of.high - of.low
            self.width = whole if whole > NO_WIDTH else 0.0
            return
        points = int(of.scale[7])  # the function goes straight from one point to the next
        x, y = np.split(of.scale[len(of.scale) - 2 * points :], 2)
        ready = points > 1 and x[-1] - x[0] > NO_WIDTH
        self.width = 1.0 if ready else 0.0
        if ready:
            self._x, self._y = x, y
        if points:
            self.low, self.high = float(x[0]), float(x[-1])

    def __call__(self, values: Any) -> Floats:
        """Return where values lie: as they are, or by rank."""
        at: Floats = np.asarray(values, dtype=np.float64)
        x, y = self._x, self._y
        if not len(x):
            return at
        i = np.clip(np.searchsorted(x, at, side="right"), 1, len(x) - 1)
        along = (at - x[i - 1]) / (x[i] - x[i - 1])
        ranks = np.minimum(y[i - 1] + along * (y[i] - y[i - 1]), y[i])
        whole = x[-1] - x[0]
        ranks = np.where(at < x[0], (at - x[0]) / whole, ranks)  # beyond all, on with the range
        return np.where(at >= x[-1], 1.0 + (at - x[-1]) / whole, ranks)

    @property
    def points(self) -> Floats:
        """The numbers between which the measure is linear."""
        return self._x if len(self._x) else np.array([self.low, self.high])

    def values_at(self, shares: Any) -> Floats:
        """Return the numbers at shares of the range, or of the rows."""
        x, y = self.points, self._y if len(self._y) else np.array([0.0, 1.0])
        values: Floats = np.interp(shares, y, x)
        return values

    def share(self, to: Any, start: float) -> Floats:
        """Return how far it is from `start` to others, as a share of the range or of the rows."""
        return np.abs(self(to) - self(start)) / self.width
