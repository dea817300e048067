"""Rows of data in a regions picture: a point each, with the mark of its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boxwise.core.words import counted
from boxwise.plot.canvas import INK
from boxwise.plot.held_values import HeldValues
from boxwise.plot.rows import Rows
from boxwise.plot.scales import CategoryScale, Scale
from boxwise.plot.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCATTER = 0.38  # of a slot, on both sides: rows of one value would hide each other


def draw_points(
    ax: Axes,
    view: View,
    rows: Rows,
    columns: tuple[int, int],
    scales: tuple[Scale, Scale],
    most: int,
) -> str:
    """Draw the rows that have a place, and say how many these are."""
    rng = np.random.default_rng(0)
    x, y = (_places(rows, j, scale, rng) for j, scale in zip(columns, scales, strict=True))
    placed = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    drawn = placed if len(placed) <= most else np.sort(rng.choice(placed, most, replace=False))
    styles = view.styles.of(rows.class_of[drawn])
    size = float(np.clip(5_000 / max(len(drawn), 1), 8, 24))
    for k in np.unique(styles):
        style, its = view.styles.all[k], drawn[styles == k]
        ax.scatter(
            x[its], y[its], s=size, marker=style.marker, zorder=2.5, gid="points", linewidths=0.4,
            color=style.colour if rows.labelled else INK, edgecolors="white",
        )  # fmt: skip
    of = f"{len(drawn):,} of " if len(drawn) < len(rows) else ""
    note = f"Points: {of}{counted(len(rows), 'row', 'rows')}"
    lost = len(rows) - len(placed)
    have = "has" if lost == 1 else "have"
    return f"{note} ({lost:,} {have} no position here)" if lost else note


def _places(rows: Rows, j: int, scale: Scale, rng: np.random.Generator) -> NDArray[np.float64]:
    if not isinstance(scale, CategoryScale):
        return rows.numbers(j)
    return rows.slots(j, scale) + rng.uniform(-SCATTER, SCATTER, len(rows))


def draw_row(
    ax: Axes, held: HeldValues, columns: tuple[int, int], scales: tuple[Scale, Scale]
) -> None:
    """Draw a star where the row is that was given; a category without a slot has no place."""
    places = []
    for j, scale in zip(columns, scales, strict=True):
        if isinstance(scale, CategoryScale):
            places.append(float(scale.slots([held.value(j)])[0]))
        else:
            places.append(held.number(j))
    if not np.isnan(places).any():
        ax.plot(
            *([place] for place in places), marker="*", markersize=14, color="white",
            markeredgecolor=INK, markeredgewidth=1.2, linestyle="", zorder=5, gid="row",
        )  # fmt: skip
