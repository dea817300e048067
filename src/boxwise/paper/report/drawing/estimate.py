"""Figure S6: how alpha is estimated from a model of each kind of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxwise.paper.report.drawing.canvas import BLUE, GREEN, GREY, INK, WIDTH, canvas, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 5.2  # inches, as all places below
LEFT, RIGHT, MIDDLE = 1.2, 3.3, 2.25
Place = tuple[float, float]


def estimate_diagram() -> bytes:
    """Draw the way from the rows to learn to alpha."""
    with canvas(HEIGHT, arranged=False) as figure:
        ax = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(0, HEIGHT))
        ax.set_axis_off()
        _box(ax, (MIDDLE, 4.95), "training fold $T_i$, cut into three inner folds", 3.2, INK)
        _arrow(ax, (MIDDLE, 4.77), (MIDDLE, 4.53))
        words = (
            "three times, j = 1, 2, 3:\n"
            "two inner folds to learn, $T_{ij}$, the third to validate, $V_{ij}$"
        )
        _box(ax, (MIDDLE, 4.24), words, 3.9, INK, height=0.56)
        for x, colour, kind, k, columns in (
            (LEFT, BLUE, "numeric", 1, "n"),
            (RIGHT, GREEN, "categorical", 2, "r"),
        ):
            _arrow(ax, (MIDDLE, 3.96), (x, 3.58))
            _box(ax, (x, 3.4), f"the {columns} {kind} columns of $T_{{ij}}$", 1.95, colour)
            _arrow(ax, (x, 3.22), (x, 2.98))
            _box(ax, (x, 2.8), f"EIOL-GFMM, {kind} only", 1.95, colour)
            _arrow(ax, (x, 2.62), (x, 2.38))
            _box(ax, (x, 2.2), f"$CBA_{{ij{k}}}$ on $V_{{ij}}$", 1.95, colour)
            _arrow(ax, (x, 2.02), (x + (MIDDLE - x) * 0.4, 1.68))
            _arrow(ax, (x + (MIDDLE - x) * 0.4, 1.32), (x, 0.98))
        _box(ax, (MIDDLE, 1.5), "the sums of both over j = 1, 2, 3", 2.4, INK)
        one, other = (rf"\sum_j CBA_{{ij{k}}}" for k in (1, 2))
        _formula(ax, LEFT - 0.05, "Est-α-v1", f"n {one}", f"n {one} + r {other}")
        _formula(ax, RIGHT + 0.05, "Est-α-v2", one, f"{one} + {other}")
        return svg(figure)


def _formula(ax: Axes, x: float, name: str, above: str, below: str) -> None:
    words = rf"{name}: $\hat\alpha = \dfrac{{{above}}}{{{below}}}$"
    _box(ax, (x, 0.53), words, 2.1, INK, height=0.86)


def _box(
    ax: Axes, middle: Place, words: str, width: float, colour: str, height: float = 0.36
) -> None:
    from matplotlib.patches import FancyBboxPatch

    x, y = middle
    ax.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2), width, height,
            boxstyle="round,pad=0,rounding_size=0.06", facecolor="white", edgecolor=colour, lw=1.0,
        )
    )  # fmt: skip
    ax.text(x, y, words, ha="center", va="center", fontsize=7.5, linespacing=1.5)


def _arrow(ax: Axes, start: Place, end: Place) -> None:
    ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": GREY, "lw": 0.9})
