"""The regions picture: which class a model predicts where, over two of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core.words import counted
from boxwise.plot.canvas import axes_for, head, legend_beside
from boxwise.plot.column_choice import deciding_pair, most_influential
from boxwise.plot.held_values import HeldValues
from boxwise.plot.region_boxes import draw_boxes
from boxwise.plot.region_points import draw_points, draw_row
from boxwise.plot.rows import Rows
from boxwise.plot.scales import CategoryScale, NumberScale, Scale
from boxwise.plot.texts import cut_text, shown
from boxwise.plot.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FINEST, COARSEST = 120, 40  # cells along an axis of numbers
WORK = 40_000_000  # boxes times cells: a few seconds


def plot_regions(
    model: Any,
    x: str | int | None = None,
    y: str | int | None = None,
    *,
    X: Any = None,
    labels: Any = None,
    upper: Any = None,
    at: Any = None,
    max_boxes: int = 25,
    max_points: int = 600,
    ax: Axes | None = None,
) -> Axes:
    """Draw which class a model predicts over two columns, with its boxes and rows of data.

    The background is the class that is predicted while all other columns keep one value. Boxes are
    drawn by their sides in the two columns, whatever they hold in the others. In a column of
    categories each value has a strip: a box has a bar in the strip of every value that it holds;
    over two such columns areas show how many rows of boxes of each class there are. Each class
    has a colour, a hatch and a mark. matplotlib is needed: ``pip install "boxwise[plot]"``.

    Parameters
    ----------
    model : estimator
        A fitted one with ``boxes_``.
    x, y : str or int, optional
        The two columns, by name or position. By default the two over which predictions vary most,
        of all pairs of the six columns that change them most.
    X : table, optional
        Rows to draw as points, in any form that the model takes.
    labels : array-like, optional
        Their classes.
    upper : table, optional
        The upper bounds, if X holds intervals by their lower ones; points are in the middle.
    at : mapping or row, optional
        The values that the other columns keep: some of them by name, or a whole row, which is then
        marked by a star. None is a missing value. Other columns keep the median of the boxes by
        rows, or the category with most rows; the picture says which these are.
    max_boxes : int, default=25
        Of how many boxes to draw the sides: those with most rows.
    max_points : int, default=600
        How many rows of X to draw: of more, a random sample, always the same.
    ax : matplotlib Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    matplotlib Axes
        The axes; ``ax.figure.savefig("regions.png")`` writes the picture.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.plot import plot_regions
    >>> rows = [{"age": 31, "rent": 9}, {"age": 33, "rent": 8}, {"age": 70, "rent": 2}]
    >>> clf = HyperboxClassifier().fit(rows, ["yes", "yes", "no"])
    >>> ax = plot_regions(clf, "age", "rent", X=rows, labels=["yes", "yes", "no"])
    >>> ax.get_title(loc="left")
    'Predicted class over age and rent'
    """
    view = View(model)
    held = HeldValues(view, at)
    first, second = _columns(view, x, y, held)
    rows = None if X is None else Rows(view, X, labels, upper)
    scales = (_scale(view, first, rows, held), _scale(view, second, rows, held))
    ax = axes_for(ax, 7.6, 5.2)
    if view.classes:
        _draw_background(ax, view, held, (first, second), scales)
    notes = [draw_boxes(ax, view, (first, second), scales, max_boxes)]
    if rows is not None:
        notes.append(draw_points(ax, view, rows, (first, second), scales, max_points))
    if held.gives(first) and held.gives(second):
        draw_row(ax, held, (first, second), scales)
    notes += held.notes(first, second) + cut_text(scales)
    _dress(ax, scales)
    names = [shown(view.schema.names[j]) for j in (first, second)]
    head(ax, f"Predicted class over {names[0]} and {names[1]}", notes)
    _legend(ax, view)
    return ax


def _columns(
    view: View, x: str | int | None, y: str | int | None, held: HeldValues
) -> tuple[int, int]:
    """Return the columns asked for, or those over which predictions vary most."""
    if x is not None and y is not None:
        first, second = view.position(x), view.position(y)
        if first == second:
            name = view.schema.names[first]
            raise ValueError(f"x and y are the same column {name!r}; choose two")
        return first, second
    given = x if y is None else y
    one = None if given is None else view.position(given)
    seen = most_influential(view, view.schema.n_features)
    pair = deciding_pair(view, seen, held, one) if view.classes else None
    if pair is None:
        n = counted(len(seen), "column with values", "columns with values")
        raise ValueError(f"regions are over two columns, and the model has {n}")
    return pair if y is None else pair[::-1]


def _scale(view: View, j: int, rows: Rows | None, held: HeldValues) -> Scale:
    if not view.is_number(j):
        return view.scale(j)
    more = [np.array([held.number(j)])] if held.gives(j) else []
    scale = view.scale(j, *more, cut=True)
    if rows is None or getattr(scale, "is_cut", False):
        return scale
    return view.scale(j, *more, rows.numbers(j))


def _draw_background(
    ax: Axes, view: View, held: HeldValues, columns: tuple[int, int], scales: tuple[Scale, Scale]
) -> None:
    """Colour each cell by the class predicted, and hatch it for those who see no colours."""
    from matplotlib.colors import BoundaryNorm, ListedColormap, to_rgba

    fine = int(np.clip(np.sqrt(WORK / len(view.boxes)), COARSEST, FINEST))
    (across, edges_x), (upward, edges_y) = (_cells(scale, fine) for scale in scales)
    predicted = held.predicted(columns, across, upward)
    styles = view.styles.of(predicted).reshape(len(upward), len(across))
    colours = ListedColormap([style.tint for style in view.styles.all])
    ax.pcolormesh(
        edges_x, edges_y, styles, cmap=colours, rasterized=True, zorder=0, gid="regions",
        norm=BoundaryNorm(np.arange(len(view.styles.all) + 1) - 0.5, colours.N),
    )  # fmt: skip
    inner_x, inner_y = _corners(edges_x), _corners(edges_y)
    for k in np.unique(styles):
        style = view.styles.all[k]
        inside = np.repeat(np.repeat(styles == k, 2, axis=0), 2, axis=1).astype(float)
        if style.hatch:
            hatched = ax.contourf(
                inner_x, inner_y, inside, [0.5, 1.5], colors="none", hatches=[style.hatch], zorder=1
            )
            # Its own alpha would fill it too.
            hatched.set(edgecolor=to_rgba(style.colour, 0.5), linewidth=0, gid="hatch")


def _cells(scale: Scale, most: int) -> tuple[list[Any], NDArray[Any]]:
    """Return the values of the cells along an axis, and where the cells begin and end."""
    if isinstance(scale, NumberScale):
        edges = np.linspace(scale.low, scale.high, most + 1)
        return ((edges[1:] + edges[:-1]) / 2).tolist(), edges
    return [*scale.values], np.arange(len(scale.values) + 1) - 0.5


def _corners(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return two points in each cell, close to its ends, so that contours keep to the cells."""
    inset = 1e-3 * np.diff(edges)
    return np.column_stack([edges[:-1] + inset, edges[1:] - inset]).ravel()


def _dress(ax: Axes, scales: tuple[Scale, Scale]) -> None:
    across, upward = scales
    across.dress(ax.xaxis)
    upward.dress(ax.yaxis)
    ax.set_xlim(across.low, across.high)
    ax.set_ylim(upward.low, upward.high)
    ax.set_xlabel(across.label)
    ax.set_ylabel(upward.label)
    ax.tick_params(labelsize=9)
    for scale, draw in ((across, ax.axvline), (upward, ax.axhline)):
        if isinstance(scale, CategoryScale):
            for edge in range(1, scale.n_slots):
                draw(edge - 0.5, color="white", linewidth=2, zorder=1.5)


def _legend(ax: Axes, view: View) -> None:
    there = {*view.styles.of(np.arange(len(view.classes))).tolist(), *view.style_of.tolist()}
    styles = [view.styles.all[k] for k in sorted(there)]
    handles: list[Any] = [(style.patch(), style.mark()) for style in styles]
    labels = [style.label for style in styles]
    star = next((line for line in ax.lines if line.get_gid() == "row"), None)
    if star is not None:
        handles.append(star)
        labels.append("the row given")
    legend_beside(ax, handles, labels, "class")
