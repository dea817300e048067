"""The alphas found in each way, drawn over the score as a function of alpha."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boxwise.paper.report.drawing.canvas import BLUE, GREEN, GREY, INK, ORANGE, RED
from boxwise.paper.report.drawing.panels import Line, panels, unit_axis
from boxwise.paper.report.words import WAY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = dict(zip(WAY, (BLUE, ORANGE, GREEN, RED), strict=True))


def found_alphas(
    found: Mapping[str, Mapping[str, Sequence[float]]], scores: Mapping[str, Line]
) -> bytes:
    """Draw a box plot for each way by data set, and the scores where there are any."""

    def draw(ax: Axes, dataset: str) -> None:
        ways = dict(reversed([*found[dataset].items()]))
        for y, (way, alphas) in enumerate(ways.items()):
            _box(ax, y, alphas, COLOURS[way])
        ax.set_yticks(range(len(ways)), [WAY[way] for way in ways])
        ax.set_ylim(-0.6, len(ways) - 0.4)
        unit_axis(ax)
        if dataset in scores:
            _score(ax, *scores[dataset])

    return panels([*found], draw, "α", "")


def _box(ax: Axes, y: float, alphas: Sequence[float], colour: str) -> None:
    low, q1, middle, q3, high = np.quantile(alphas, (0, 0.25, 0.5, 0.75, 1))
    ax.hlines(y, low, high, color=colour, lw=1.0)
    # At least as wide as a line, for a way that always finds the same.
    ax.barh(y, max(q3 - q1, 0.006), left=q1, height=0.55, color=colour, alpha=0.55, lw=0)
    ax.vlines(middle, y - 0.34, y + 0.34, color=colour, lw=1.8)


def _score(ax: Axes, alphas: NDArray[np.float64], cba: NDArray[np.float64]) -> None:
    right = ax.twinx()
    right.plot(alphas, cba, color=INK, lw=0.8, marker=".", ms=2.5, alpha=0.8, label="CBA (right)")
    right.tick_params(axis="y", colors=GREY, labelsize=6.5)
    right.spines["right"].set(visible=True, color=GREY)
    ax.set_zorder(right.get_zorder() + 1)
    ax.patch.set_visible(False)
