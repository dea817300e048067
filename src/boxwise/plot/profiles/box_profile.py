"""The picture of one box: what it holds in each column, against all rows and those of its class."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from boxwise.core.words import counted
from boxwise.plot.canvas import INK, SMALL, TEXT, TITLE, head, pyplot
from boxwise.plot.column_choice import choice_text, chosen_names
from boxwise.plot.held_values import HeldValues
from boxwise.plot.profiles.profile import Profile
from boxwise.plot.profiles.profile_panels import draw_categories, draw_numbers
from boxwise.plot.rows import Rows
from boxwise.plot.texts import shown
from boxwise.plot.view import View

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase


def plot_box(
    model: Any,
    box: int,
    columns: Sequence[str | int] | None = None,
    *,
    X: Any = None,
    labels: Any = None,
    upper: Any = None,
    row: Any = None,
    figure: FigureBase | None = None,
) -> FigureBase:
    """Draw what one box holds in each column, against all rows and those of its class.

    A numeric column shows the interval over the distribution of the rows; a categorical one the
    share of each value in the box beside the share among all rows. Without X, the
    rows are those of the boxes: the rows of each are spread evenly over its interval. matplotlib is
    needed: ``pip install "boxwise[plot]"``.

    Parameters
    ----------
    model : estimator
        A fitted one with ``boxes_``.
    box : int
        The number of the box in ``boxes_``; -1 is the last.
    columns : sequence of str or int, optional
        The columns, by name or position; by default the twelve that change
        predictions most.
    X : table, optional
        The rows to compare with, in any form that the model takes.
    labels : array-like, optional
        Their classes.
    upper : table, optional
        The upper bounds, if X holds intervals by their lower ones.
    row : mapping or row, optional
        A row to mark: some columns by name, or all of them.
    figure : matplotlib Figure or SubFigure, optional
        Where to draw: there are several axes. A new figure unless given.

    Returns
    -------
    matplotlib Figure
        The figure; ``figure.savefig("box.png")`` writes the picture.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.plot import plot_box
    >>> rows = [{"age": 31, "job": "cook"}, {"age": 33, "job": "cook"}, {"age": 70, "job": "cook"}]
    >>> clf = HyperboxClassifier().fit(rows, ["yes", "yes", "no"])
    >>> figure = plot_box(clf, 0, X=rows, row={"age": 40})
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['age', 'job']
    """
    view = View(model)
    if not -len(view.boxes) <= box < len(view.boxes):
        n = counted(len(view.boxes), "box", "boxes")
        raise IndexError(f"there is no box {box}; there are {n}, the first is 0")
    box = range(len(view.boxes))[box]
    chosen = chosen_names(view, columns)
    rows = None if X is None else Rows(view, X, labels, upper)
    profile = Profile(view, box, rows, HeldValues(view, row, "row"))
    across = min(3, len(chosen))
    down = ceil(len(chosen) / across)
    if figure is None:
        size = (max(5.6, 3.1 * across), 1.1 + 1.75 * down)
        figure = pyplot().figure(figsize=size, layout="constrained")
    for place, j in enumerate(chosen, start=1):
        ax = figure.add_subplot(down, across, place)
        words = (draw_numbers if view.is_number(j) else draw_categories)(ax, profile, j)
        head(ax, shown(view.schema.names[j], 20), [words], size=TEXT, small=SMALL)
    taken = counted(view.boxes.n_samples[box].item(), "row", "rows")
    lines = [f"Box {box}: {profile.class_name}, {taken}"]
    lines += choice_text(view, chosen, columns)
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=TITLE, color=INK)
    figure.legend(
        handles=profile.handles(), loc="outside lower left", ncols=4 if across > 2 else 2,
        frameon=False, fontsize=TEXT,
    )  # fmt: skip
    return figure
