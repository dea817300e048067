"""The parallel picture: an axis for each column, and a band across them for each box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boxwise.plot.bands import Bands
from boxwise.plot.canvas import INK, SMALL, TEXT, axes_for, head, legend_beside
from boxwise.plot.column_choice import choice_text, chosen_names
from boxwise.plot.distribution import draw_class_shapes
from boxwise.plot.scales import Scale
from boxwise.plot.texts import cut_text, drawn_boxes, in_lines
from boxwise.plot.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_AXES = 8  # unless the columns are given


def plot_parallel(
    model: Any,
    columns: Sequence[str | int] | None = None,
    *,
    max_boxes: int = 16,
    ax: Axes | None = None,
) -> Axes:
    """Draw boxes as bands across parallel axes, one for each column.

    On an axis of numbers a band is as wide as the interval of the box. On an axis of categories it
    goes to every value that the box holds, the fainter the smaller its share; shares below 20 % are
    left out. The ends of an axis that hold hardly any rows are cut off. A box with more rows is
    drawn stronger. Of many boxes those with most rows are drawn, some of each class, and shapes to
    the left of the axes show where the rows of all boxes of a class are. matplotlib is needed:
    ``pip install "boxwise[plot]"``.

    Parameters
    ----------
    model : estimator
        A fitted one with ``boxes_``.
    columns : sequence of str or int, optional
        The columns, by name or position, in this order; by default the eight that change
        predictions most, those first.
    max_boxes : int, default=16
        How many boxes to draw as bands.
    ax : matplotlib Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    matplotlib Axes
        The axes; ``ax.figure.savefig("parallel.png")`` writes the picture.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.plot import plot_parallel
    >>> rows = [{"age": 31, "job": "cook"}, {"age": 33, "job": "cook"}, {"age": 70, "job": "cook"}]
    >>> ax = plot_parallel(HyperboxClassifier().fit(rows, ["yes", "yes", "no"]))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['age', 'job']
    """
    view = View(model)
    chosen = chosen_names(view, columns, MOST_AXES)
    scales = [view.scale(j, rest=True, cut=True) for j in chosen]
    boxes = _some_of_each_class(view, max_boxes)
    ax = axes_for(ax, max(6.0, 1.12 * len(chosen) + 2.4), 5.0)
    Bands(view, chosen, scales, boxes).draw(ax)
    _draw_axes(ax, scales)
    rows, n_shown = view.boxes.n_samples, int(view.shown.sum())
    notes = choice_text(view, chosen, columns) + cut_text(scales)
    note = f"Bands: {drawn_boxes(len(boxes), n_shown)}"
    if len(boxes) < n_shown:
        note += f" ({_share(rows[boxes].sum() / rows[view.shown].sum())} of rows)"
        notes.append("Densities left of the axes: the rows of all boxes, by class")
        for x, (j, scale) in enumerate(zip(chosen, scales, strict=True)):
            draw_class_shapes(ax, view, x, j, scale)
    head(ax, "Boxes in parallel coordinates", [note, *notes])
    there = [view.styles.all[k] for k in np.unique(view.style_of[boxes])]
    handles = [(style.patch(), style.mark()) for style in there]
    legend_beside(ax, handles, [style.label for style in there], "class")
    return ax


def _share(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 else "under 1%"


def _some_of_each_class(view: View, most: int) -> NDArray[np.intp]:
    """Return the boxes with most rows, each class in turn as long as it has some."""
    if view.shown.sum() <= most:
        return view.strongest(most)
    queues = [view.strongest(most, view.style_of == k).tolist() for k in np.unique(view.style_of)]
    turns = [queue[turn] for turn in range(most) for queue in queues if turn < len(queue)]
    return np.array(turns[:most], dtype=np.intp)


def _draw_axes(ax: Axes, scales: Sequence[Scale]) -> None:
    """Draw the axes with a few values each, over the bands but legible."""
    back = {"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.75}
    for x, scale in enumerate(scales):
        ax.axvline(x, color=INK, linewidth=1.0, zorder=5)
        for value, text in scale.ticks(5):
            y = (value - scale.low) / (scale.high - scale.low)
            if 0 <= y <= 1:
                ax.plot([x, x + 0.03], [y, y], color=INK, linewidth=1.0, zorder=5)
                ax.text(
                    x + 0.05, y, text, fontsize=SMALL, color=INK, va="center", zorder=6, bbox=back,
                    gid="value",
                )  # fmt: skip
    spacing = ax.get_window_extent().width / ax.figure.dpi * 72 / (len(scales) + 0.2)
    width = max(6, int(spacing / (0.58 * TEXT)))
    names = [in_lines(scale.name, width) for scale in scales]
    ax.set_xticks(range(len(scales)), names, fontsize=TEXT)
    ax.set_yticks([])
    ax.set_xlim(-0.35, len(scales) - 1 + 0.6)
    ax.set_ylim(-0.02, 1.02)
    ax.tick_params(axis="x", length=0)
    ax.spines[:].set_visible(False)
