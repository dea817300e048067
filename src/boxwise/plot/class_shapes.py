"""The shapes at the axes of a parallel picture: where the rows of all boxes of a class are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boxwise.plot.distribution import edges_of, rows_along
from boxwise.plot.scales import Scale
from boxwise.plot.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 0.3  # of the distance between two axes


def draw_class_shapes(ax: Axes, view: View, x: float, j: int, scale: Scale) -> None:
    """Draw, to the left of an axis, the distribution of each class; each has the same area."""
    edges = edges_of(scale)
    there = np.unique(view.style_of).tolist()
    rows = [rows_along(view, j, scale, view.style_of == k) for k in there]
    shares = [its / max(float(its.sum()), 1.0) for its in rows]
    highest = max(float(its.max()) for its in shares) or 1.0
    places = (edges - scale.low) / (scale.high - scale.low)
    for k, its in zip(there, shares, strict=True):
        style = view.styles.all[k]
        outline = np.concatenate([[0.0], np.repeat(its, 2), [0.0]]) / highest
        upward = np.concatenate([places[:1], np.repeat(places, 2)[1:-1], places[-1:]])
        ax.fill(
            x - WIDTH * outline, upward, facecolor=(*style.tint, 0.5), edgecolor=style.colour,
            linewidth=1.3, linestyle=style.dashes, zorder=4, gid="shape",
        )  # fmt: skip
