"""The distribution of the rows of boxes over a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boxwise.plot.scales import CategoryScale, Scale
from boxwise.plot.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 24
SHAPE_WIDTH = 0.3  # of the distance between two axes


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


def draw_class_shapes(ax: Axes, view: View, x: float, j: int, scale: Scale) -> None:
    """Draw, to the left of an axis, the distribution of each class; each has the same area."""
    edges = edges_of(scale)
    there = np.unique(view.style_of).tolist()
    rows = [rows_along(view, j, scale, view.style_of == k) for k in there]
    shares = [its / (float(its.sum()) or 1.0) for its in rows]
    highest = max(float(its.max()) for its in shares) or 1.0
    places = (edges - scale.low) / (scale.high - scale.low)
    for k, its in zip(there, shares, strict=True):
        style = view.styles.all[k]
        outline = np.concatenate([[0.0], np.repeat(its, 2), [0.0]]) / highest
        upward = np.concatenate([places[:1], np.repeat(places, 2)[1:-1], places[-1:]])
        ax.fill(
            x - SHAPE_WIDTH * outline, upward, facecolor=(*style.tint, 0.5), edgecolor=style.colour,
            linewidth=1.3, linestyle=style.dashes, zorder=4, gid="shape",
        )  # fmt: skip
