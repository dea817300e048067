"""The picture of the columns over time: how much each matters while a model learns a stream."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from boxwise.core.words import counted
from boxwise.evaluate.line_styles import line_style
from boxwise.evaluate.pairs import pairs_of
from boxwise.plot.canvas import GREY, INK, SMALL, TEXT, TITLE, pyplot
from boxwise.plot.scales import NumberScale
from boxwise.plot.texts import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

STEPS = 100  # points of a line
MOST_COLUMNS = 6  # unless they are given


def plot_relevance(
    model: Any,
    X: Any,
    y: Any,
    columns: Sequence[str | int] | None = None,
    *,
    figure: FigureBase | None = None,
) -> FigureBase:
    """Draw how much each column matters, over the rows of a stream.

    A new model with the same parameters learns the rows in their order; `model` stays as it is.
    Above is the mean contribution of the curve of each column, in log-odds (with more than two
    classes, logits), below its relevance to the boxes. Dotted lines are alarms, solid ones are
    replacements of the boxes. matplotlib is needed: ``pip install "boxwise[plot]"``.

    Parameters
    ----------
    model : estimator
        A `HyperboxClassifier`, fitted or not.
    X, y : table and labels
        The rows in the order in which they are learned.
    columns : sequence of str or int, optional
        The columns, by name or position; by default the six with the largest relevance
        at some time after the first tenth.
    figure : matplotlib Figure or SubFigure, optional
        Where to draw: there are several axes. A new figure unless given.

    Returns
    -------
    matplotlib Figure
        The figure; ``figure.savefig("relevance.png")`` writes the picture.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.datasets import LoanStream
    >>> from boxwise.plot import plot_relevance
    >>> X, y = LoanStream(2_000, function=1, drift_at=1_000, drift_to=2).table()
    >>> figure = plot_relevance(HyperboxClassifier(), X, y, ["age", "salary"])
    >>> figure.get_suptitle()
    'Columns over 2,000 rows'
    """
    if not hasattr(type(model), "relevance_"):
        raise TypeError(f"{type(model).__name__} has no relevance; only HyperboxClassifier has")
    history = _History(clone(model), X, y)
    chosen = history.chosen(columns)
    n_panels = 2 if history.additive else 1
    if figure is None:
        figure = pyplot().figure(figsize=(8.0, 1.0 + 2.4 * n_panels), layout="constrained")
    axes = [figure.add_subplot(n_panels, 1, k + 1) for k in range(n_panels)]
    if history.additive:
        _draw(axes[0], history, history.contributions, chosen, "mean contribution\nof the curve")
    _draw(axes[-1], history, history.relevance, chosen, "relevance to the boxes")
    axes[-1].set_yscale("log")
    axes[-1].set_xlabel("rows", fontsize=TEXT)
    lines = [f"Columns over {counted(history.rows[-1], 'row', 'rows')}"]
    if columns is None and len(chosen) < len(history.names):
        lines.append(f"The {len(chosen)} of {len(history.names)} that matter most at some time")
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=TITLE, color=INK)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower left", ncols=4, frameon=False, fontsize=TEXT
    )  # fmt: skip
    return figure


class _History:
    """The weights of the columns at some moments of a stream.

    Attributes
    ----------
    rows : list of int
        How many rows had been learned at each moment.
    contributions, relevance : array of shape (moments, columns)
        The mean contribution of each curve, and the relevance of each column; NaN where unknown.
    """

    def __init__(self, clf: Any, X: Any, y: Any) -> None:
        pairs = [*pairs_of((X, y))]
        if not pairs:
            raise ValueError("there are no rows to learn; give X and y with at least one row")
        self.rows: list[int] = []
        found: list[tuple[dict[str, float], list[float]]] = []
        step = max(1, -(-len(pairs) // STEPS))
        rest = iter(pairs)
        while part := [*islice(rest, step)]:
            clf.partial_fit([row for row, _ in part], [label for _, label in part])
            self.rows.append((self.rows[-1] if self.rows else 0) + len(part))
            found.append((_importances(clf), clf.relevance_.tolist()))
        self.names: list[str] = [str(name) for name in clf.schema_.names]
        self.additive = bool(clf.additive)
        self.changes = clf.changes_
        self.contributions = np.array(
            [[its.get(name, np.nan) for name in self.names] for its, _ in found]
        )
        width = len(self.names)
        self.relevance = np.array(
            [its + [np.nan] * (width - len(its)) for _, its in found]
        )  # columns may have come later

    def chosen(self, columns: Sequence[str | int] | None) -> list[int]:
        """Return the columns asked for, or those that matter most at some time."""
        if columns is not None:
            return [self._position(which) for which in columns]
        settled = np.nan_to_num(self.relevance, nan=0.0)[len(self.rows) // 10 :]
        most = settled.max(axis=0)
        return np.argsort(-most, kind="stable")[:MOST_COLUMNS].tolist()  # type: ignore[no-any-return]

    def _position(self, which: str | int) -> int:
        if isinstance(which, str) and which in self.names:
            return self.names.index(which)
        if isinstance(which, int) and -len(self.names) <= which < len(self.names):
            return range(len(self.names))[which]
        raise ValueError(f"there is no column {which!r}; there are {', '.join(self.names[:12])}")


def _importances(clf: Any) -> dict[str, float]:
    """Return the mean contribution of each curve; log-odds are twice the logit of two classes."""
    if not clf.additive or len(clf.classes_) < 2:
        return {}
    scale = 2.0 if len(clf.classes_) == 2 else 1.0
    return {curve.column: scale * curve.importance for curve in clf.curves()}


def _draw(
    ax: Axes, history: _History, values: NDArray[np.float64], chosen: Sequence[int], title: str
) -> None:
    for k, j in enumerate(chosen):
        style = line_style(k)
        label = shown(history.names[j], 24)
        ax.plot(history.rows, values[:, j], label=label, gid="column", **style)
    for change in history.changes:
        solid = change.event in ("replaced", "returned")
        if solid or change.event == "alarm":
            ax.axvline(
                change.row, color=GREY, linestyle="-" if solid else ":", linewidth=1.0, alpha=0.7,
                zorder=1, gid=f"change-{change.event}",
            )  # fmt: skip
    ax.set_ylabel(title, fontsize=TEXT)
    ax.tick_params(labelsize=SMALL)
    ax.spines[["top", "right"]].set_visible(False)
    scale = NumberScale("rows", 0.0, float(history.rows[-1]))
    scale.dress(ax.xaxis)
    ax.set_xlim(scale.low, scale.high)
