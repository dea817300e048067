"""The network of figure 1: inputs, hyperboxes, classes, and the weights between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxwise.paper.report.drawing.canvas import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    RED,
    WIDTH,
    canvas,
    svg,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 3.9  # inches, as all places below
RADIUS = 0.16
INPUT, BOX, CLASS = 0.95, 2.45, 3.75  # where the layers are, from the left

# Each group of inputs: its colour, the weights it leads to, what it is, its first and last node.
GROUPS = (
    (BLUE, "V", "lower\nbounds", r"$x_1^l$", r"$x_n^l$"),
    (GREEN, "W", "upper\nbounds", r"$x_1^u$", r"$x_n^u$"),
    (ORANGE, "D", "categories", r"$x_1^d$", r"$x_r^d$"),
)
Place = tuple[float, float]


def network_diagram() -> bytes:
    """Draw the three layers."""
    with canvas(HEIGHT, arranged=False) as figure:
        ax = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(0, HEIGHT))
        ax.set_axis_off()
        boxes = _pair(ax, BOX, HEIGHT / 2, 1.3, (r"$B_1$", r"$B_m$"), INK)
        for i, (colour, weights, words, first, last) in enumerate(GROUPS):
            middle = HEIGHT - 0.85 - 1.1 * i
            inputs = _pair(ax, INPUT, middle, 0.62, (first, last), colour)
            _join(ax, inputs, boxes, colour)
            ax.text(0.06, middle, words, va="center", color=colour, linespacing=1.3)
            _label(ax, weights, inputs[0 if i < 2 else 1], boxes[0 if i < 2 else 1], colour)
        classes = _pair(ax, CLASS, HEIGHT / 2, 1.3, (r"$c_1$", r"$c_p$"), RED)
        _join(ax, boxes, classes, RED)
        _label(ax, "U", boxes[0], classes[0], RED)
        for x, words in ((INPUT, "2n + r inputs"), (BOX, "m hyperboxes"), (CLASS, "p classes")):
            ax.text(x, HEIGHT - 0.2, words, ha="center", va="center", weight="bold")
        return svg(figure)


def _pair(
    ax: Axes, x: float, middle: float, apart: float, names: tuple[str, str], colour: str
) -> tuple[Place, Place]:
    """Draw the first and the last node of a group, with dots for those between."""
    from matplotlib.patches import Circle

    places = (x, middle + apart / 2), (x, middle - apart / 2)
    for place, name in zip(places, names, strict=True):
        ax.add_patch(Circle(place, RADIUS, facecolor="white", edgecolor=colour, lw=1.2, zorder=3))
        ax.text(*place, name, ha="center", va="center", zorder=4)
    gap = apart - 2 * RADIUS
    dots = [middle + gap * step for step in (-0.22, 0, 0.22)]
    ax.plot([x] * 3, dots, ls="", marker="o", ms=1.8, color=colour, zorder=3)
    return places


def _join(ax: Axes, ones: tuple[Place, Place], others: tuple[Place, Place], colour: str) -> None:
    for one in ones:
        for other in others:
            ax.plot(*zip(one, other, strict=True), color=colour, lw=0.8, alpha=0.7, zorder=1)


def _label(ax: Axes, name: str, one: Place, other: Place, colour: str) -> None:
    """Name the weights on a line between two nodes, near the first, where no other line is."""
    x, y = (a + 0.21 * (b - a) for a, b in zip(one, other, strict=True))
    ax.text(
        x, y, name, ha="center", va="center", color=colour, weight="bold", zorder=5,
        bbox={"facecolor": "white", "edgecolor": GREY, "lw": 0.4, "pad": 1.6},
    )  # fmt: skip
