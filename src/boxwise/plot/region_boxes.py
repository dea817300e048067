"""The boxes in a regions picture: sides over numbers, bars and areas over categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core.words import counted
from boxwise.plot.class_styles import ClassStyle
from boxwise.plot.scales import CategoryScale, Scale
from boxwise.plot.texts import drawn_boxes
from boxwise.plot.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STRIP = 0.86  # of a slot, for what is in it
LEAST = 0.006  # of an axis: what has no length is drawn with this one, so that it is seen


def draw_boxes(
    ax: Axes, view: View, columns: tuple[int, int], scales: tuple[Scale, Scale], most: int
) -> str:
    """Draw the boxes and say what is seen of them."""
    across, upward = scales
    if isinstance(across, CategoryScale) and isinstance(upward, CategoryScale):
        _draw_rows(ax, view, columns, (across, upward))
        n_boxes = counted(int(view.shown.sum()), "box", "boxes")
        return f"Rectangles: the rows of {n_boxes}, by class and pair of values"
    seen = view.shown.copy()
    for j in columns:
        if view.is_number(j):
            seen &= ~np.isnan(view.interval(j)[0])
    boxes = view.strongest(most, seen)
    drawn = drawn_boxes(len(boxes), int(view.shown.sum()))
    if isinstance(across, CategoryScale) or isinstance(upward, CategoryScale):
        _draw_bars(ax, view, columns, scales, boxes)
        return f"Bars: {drawn}, in the strips of their values"
    sides = [_sides(view, j, scale, boxes) for j, scale in zip(columns, scales, strict=True)]
    for k, x, y in zip(view.style_of[boxes], *sides, strict=True):
        style = view.styles.all[k]
        _draw_box(ax, x, y, **_outline(style))
        # In the corner is its mark, for those who see no colour.
        ax.plot(
            x[0], y[1], marker=style.marker, color=style.colour, markersize=6.5, zorder=3.5,
            markeredgecolor="white", markeredgewidth=0.8, gid="mark",
        )  # fmt: skip
    return f"Outlines: {drawn}"


def _sides(view: View, j: int, scale: Scale, boxes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return begin and end of each box in a numeric column, far enough apart to be seen."""
    ends = np.column_stack([side[boxes] for side in view.interval(j)])
    short = np.maximum(LEAST * (scale.high - scale.low) - (ends[:, 1] - ends[:, 0]), 0) / 2
    widened: NDArray[np.float64] = ends + np.column_stack([-short, short])
    return widened


def _draw_box(ax: Axes, x: Sequence[float], y: Sequence[float], **look: Any) -> None:
    from matplotlib.patches import Rectangle

    corner = (float(x[0]), float(y[0]))
    ax.add_patch(Rectangle(corner, x[1] - x[0], y[1] - y[0], zorder=3, gid="box", **look))


def _outline(style: ClassStyle) -> dict[str, Any]:
    look = {"edgecolor": style.colour, "linewidth": 1.3, "linestyle": style.dashes}
    return {"fill": False, **look}


def _filled(style: ClassStyle) -> dict[str, Any]:
    look = {"edgecolor": "white", "linewidth": 0.5, "hatch": style.hatch}
    return {"facecolor": style.colour, "alpha": 0.9, **look}


def _draw_bars(
    ax: Axes,
    view: View,
    columns: tuple[int, int],
    scales: tuple[Scale, Scale],
    boxes: NDArray[np.intp],
) -> None:
    """Draw, in the strip of each value, the boxes that hold it side by side, class by class."""
    k = 0 if isinstance(scales[0], CategoryScale) else 1
    strips = scales[k]
    assert isinstance(strips, CategoryScale)
    boxes = boxes[np.argsort(view.style_of[boxes], kind="stable")]
    shares = view.shares(columns[k], strips, boxes)
    sides = _sides(view, columns[1 - k], scales[1 - k], boxes)
    for slot in range(strips.n_slots):
        here = np.flatnonzero(shares[:, slot])
        lane = STRIP / max(len(here), 6)
        begin = slot - lane * len(here) / 2
        for place, i in enumerate(here.tolist()):
            style = view.styles.all[view.style_of[boxes[i]]]
            strip = (begin + lane * (place + 0.1), begin + lane * (place + 0.9))
            x, y = (strip, sides[i]) if k == 0 else (sides[i], strip)
            _draw_box(ax, x, y, **_filled(style))


def _draw_rows(
    ax: Axes, view: View, columns: tuple[int, int], scales: tuple[CategoryScale, CategoryScale]
) -> None:
    """Draw a rectangle for each class and pair of values, as large as it has rows.

    A box counts its values column by column; its rows are shared out among pairs accordingly.
    """
    boxes = np.flatnonzero(view.shown)
    styles, samples = view.style_of[boxes], view.boxes.n_samples[boxes]
    across, upward = (
        view.shares(j, scale, boxes) for j, scale in zip(columns, scales, strict=True)
    )
    there = np.unique(styles)
    rows = np.array(
        [(across[held] * samples[held, None]).T @ upward[held]
         for held in (styles == k for k in there)]
    )  # fmt: skip
    lane = STRIP / len(there)
    for place, column, row in np.argwhere(rows > 0).tolist():
        size = float(np.sqrt(rows[place, column, row] / rows.max()))
        middle = column - STRIP / 2 + lane * (place + 0.5)
        width, height = 0.92 * lane * size, STRIP * size
        x = (middle - width / 2, middle + width / 2)
        y = (row - height / 2, row + height / 2)
        _draw_box(ax, x, y, **_filled(view.styles.all[there[place]]))
