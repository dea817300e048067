"""How the rows of boxes are distributed over a column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boxwise.plot.scales import CategoryScale, Scale
from boxwise.plot.view import View

BINS = 24


def edges_of(scale: Scale) -> NDArray[np.float64]:
    """Return where the parts of a scale begin and end: slots, or so many bins."""
    n = scale.n_slots if isinstance(scale, CategoryScale) else BINS
    edges: NDArray[np.float64] = np.linspace(scale.low, scale.high, n + 1)
    return edges


def rows_along(view: View, j: int, scale: Scale, among: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how many rows of some boxes lie in each part of a scale."""
    if not isinstance(scale, CategoryScale):
        return rows_between(view, j, edges_of(scale), among)
    boxes = np.flatnonzero(among)
    rows: NDArray[np.float64] = view.boxes.n_samples[boxes] @ view.shares(j, scale, boxes)
    return rows


def rows_between(
    view: View, j: int, edges: NDArray[np.float64], among: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return how many rows of some boxes lie between each two edges.

    A box knows its interval and its number of rows; these count as if they lay at even distances.
    """
    lower, upper = (side[among] for side in view.interval(j))
    rows = view.boxes.n_samples[among]
    single = lower == upper
    found: NDArray[np.float64]
    found, _ = np.histogram(lower[single], edges, weights=rows[single].astype(float))
    long = upper > lower  # and so not NaN
    lower, upper, rows = lower[long, None], upper[long, None], rows[long, None]
    below = np.clip((edges - lower) / (upper - lower), 0, 1)
    found += (np.diff(below, axis=1) * rows).sum(axis=0)
    return found
