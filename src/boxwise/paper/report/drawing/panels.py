"""Small multiples: one panel for each data set, two side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boxwise.paper.report.drawing.canvas import BLUE, GREEN, GREY, ORANGE, RED, canvas, svg
from boxwise.paper.report.words import title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS, PANEL, LEGEND = 2, 1.35, 0.55  # heights in inches

Line = tuple[NDArray[np.float64], NDArray[np.float64]]

# Told apart by colour, by the way the line is drawn and by the marks on it.
LOOKS: tuple[dict[str, Any], ...] = (
    {"color": BLUE, "ls": "-", "marker": "o"},
    {"color": ORANGE, "ls": "--", "marker": "x"},
    {"color": GREEN, "ls": "-", "marker": "s"},
    {"color": RED, "ls": ":", "marker": "^"},
)


def panels(
    datasets: Sequence[str], draw: Callable[[Axes, str], None], xlabel: str, ylabel: str
) -> bytes:
    """Draw a panel for each data set, and one legend for all."""
    rows = math.ceil(len(datasets) / COLUMNS)
    with canvas(rows * PANEL + LEGEND) as figure:
        grid = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
        for ax, dataset in zip(grid, datasets, strict=False):
            draw(ax, dataset)
            ax.set_title(title(dataset), loc="left", pad=3)
        for ax in grid[len(datasets) :]:
            ax.set_axis_off()
        labels: dict[str, Any] = {}
        for ax in figure.axes:
            labels |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
        figure.legend([*labels.values()], [*labels], loc="outside upper center", ncols=2)
        figure.supxlabel(xlabel)
        figure.supylabel(ylabel)
        return svg(figure)


def unit_axis(ax: Axes) -> None:
    """Let x run from 0 to 1."""
    ax.set_xlim(-0.04, 1.04)
    ax.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.xaxis.set_major_formatter("{x:g}")


def curves(
    lines: Mapping[str, Mapping[str, Line]], xlabel: str, ylabel: str, *,
    marks: Mapping[str, float] | None = None, mark: str = "", log: bool = False,
) -> bytes:  # fmt: skip
    """Draw lines by data set and name; `marks` are values of x to be marked, by data set."""

    def draw(ax: Axes, dataset: str) -> None:
        for (name, (x, y)), look in zip(lines[dataset].items(), LOOKS, strict=False):
            ax.plot(x, y, label=name, **look)
        if marks:
            ax.axvline(marks[dataset], label=mark, color=GREY, lw=0.9, ls=(0, (1, 1.5)), zorder=1)
        unit_axis(ax)
        if log:
            _log(ax)

    return panels([*lines], draw, xlabel, ylabel)


def _log(ax: Axes) -> None:
    """Let y be logarithmic, with whole numbers at it: 1, 10, 100, and 2 and 5 where few fit."""
    ax.set_yscale("log", subs=(2, 5))
    low, high = ax.get_ylim()
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter("{x:g}" if high < 40 * low else "")
    ax.tick_params(axis="y", which="minor", labelsize=7.5)
