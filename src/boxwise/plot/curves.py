"""The picture of the curves: what each column adds to the log-odds, a panel for each."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from boxwise.explain import Curve
from boxwise.explain.curves import NEGLIGIBLE
from boxwise.plot.canvas import INK, SMALL, TEXT, TITLE, head, pyplot
from boxwise.plot.column_choice import chosen_names
from boxwise.plot.curve_panels import CurvePanel, handles
from boxwise.plot.texts import shown
from boxwise.plot.view import View

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase


PANEL = 2.1  # inches: the least width of a panel


def plot_curves(
    model: Any,
    columns: Sequence[str | int] | None = None,
    *,
    max_columns: int = 9,
    figure: FigureBase | None = None,
) -> FigureBase:
    """Draw what each column adds to the log-odds of the classes, value by value.

    With two classes these are the log-odds of the second against the first, with more the logit of
    each; 0 is the mean over the learned rows. A numeric column has a line, a categorical one a
    mark for each value, and grey bars below show where the learned rows are. Where the latest rows
    say something visibly different, a dashed line or a hollow mark shows it. All panels share the
    scale of the log-odds. Ends of a column that hold hardly any rows are left out. matplotlib is
    needed: ``pip install "boxwise[plot]"``.

    Parameters
    ----------
    model : estimator
        A fitted `HyperboxClassifier` with ``additive=True``, the default.
    columns : sequence of str or int, optional
        The columns, by name or position, in this order; by default those whose curves add most in
        the mean over the learned rows, those first.
    max_columns : int, default=9
        How many columns to draw unless they are given.
    figure : matplotlib Figure or SubFigure, optional
        Where to draw: there are several axes. A new figure unless given.

    Returns
    -------
    matplotlib Figure
        The figure; ``figure.savefig("curves.png")`` writes the picture.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.plot import plot_curves
    >>> rows = [{"age": age, "job": "cook"} for age in range(20, 80)]
    >>> clf = HyperboxClassifier().fit(rows, ["no"] * 30 + ["yes"] * 30)
    >>> figure = plot_curves(clf)
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['age', 'job']
    """
    if not hasattr(type(model), "curves"):
        raise TypeError(
            f"{type(model).__name__} has no curves; only HyperboxClassifier(additive=True) has"
        )
    if max_columns < 1:
        raise ValueError(f"max_columns must be at least 1, not {max_columns}")
    view = View(model)
    every: list[Curve] = model.curves()
    if len(every[0].classes) < 2:
        raise ValueError("curves tell classes apart; let the model learn rows of two classes")
    chosen = _chosen(view, every, columns, max_columns)
    across = min(3, len(chosen))
    if figure is not None:
        whole: Any = figure
        across = min(across, max(1, int(whole.bbox.width / whole.figure.dpi / PANEL)))
    down = ceil(len(chosen) / across)
    if figure is None:
        size = (max(6.4, 3.3 * across), 1.2 + 2.1 * down)
        figure = pyplot().figure(figsize=size, layout="constrained")
    panels = [CurvePanel(curve, view) for curve in chosen]
    low = min(panel.low for panel in panels)
    high = max(panel.high for panel in panels)
    for place, panel in enumerate(panels, start=1):
        ax = figure.add_subplot(down, across, place)
        panel.draw(ax, low, high)
        head(ax, shown(panel.curve.column), panel.notes, size=TEXT, small=SMALL)
    figure.suptitle(_title(every, chosen, columns), x=0.01, ha="left", fontsize=TITLE, color=INK)
    figure.legend(
        handles=handles(panels), loc="outside lower left", ncols=4 if across > 2 else 2,
        frameon=False, fontsize=TEXT,
    )  # fmt: skip
    return figure


def _chosen(
    view: View, every: list[Curve], columns: Sequence[str | int] | None, most: int
) -> list[Curve]:
    """Return the curves of the columns asked for, or else of those that add most."""
    if columns is None:
        return sorted(every, key=lambda curve: -curve.importance)[:most]
    names = [view.schema.names[j] for j in chosen_names(view, columns)]
    by_name = {curve.column: curve for curve in every}
    for name in names:
        if name not in by_name:
            raise ValueError(f"column {name!r} has had no value yet; choose another column")
    return [by_name[name] for name in names]


def _title(every: list[Curve], chosen: list[Curve], columns: object) -> str:
    classes = every[0].classes
    whose = f"log-odds of {shown(classes[1])}" if len(classes) == 2 else "logit of each class"
    lines = [f"What each column adds to the {whose}"]
    if columns is None and len(chosen) < len(every):
        lines.append(f"Columns: the {len(chosen)} of {len(every)} with the largest curves")
    if max(curve.importance for curve in every) < NEGLIGIBLE:
        lines.append("In this model the boxes decide alone")
    return "\n".join(lines)
