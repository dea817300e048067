"""The critical difference diagram: average ranks on a line, methods that need not differ joined."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boxwise.evaluate.statistics.nemenyi import NemenyiTest, nemenyi_test
from boxwise.evaluate.statistics.ranks import AverageRanks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

# Lengths are in ems: multiples of the size of the letters.
ABOVE = 4.9  # from the line of ranks up to the top of the letters "CD"
ROW = 1.75
BAR_GAP = 0.85
GAP = 0.55  # between a line, a number and a name
LINE_OF_RANKS = 32.0
NARROWEST = 0.35  # the line of ranks, as a share of the axes


def plot_cd_diagram(
    ranks: AverageRanks, level: float = 0.05, *, ax: Axes | None = None, fontsize: float = 10.0
) -> Axes:
    """Draw the average ranks of methods and which of them need not differ.

    The methods stand at their average ranks, the best on the left. A bar joins those that
    Nemenyi's test does not tell apart; two methods without a common bar differ. The length of the
    critical difference is drawn above. matplotlib is needed: ``pip install "boxwise[plot]"``.

    Parameters
    ----------
    ranks : AverageRanks
        From `average_ranks`, or as printed in a paper.
    level : float, default=0.05
        The level of significance.
    ax : matplotlib Axes, optional
        Where to draw; a new figure that fits the diagram unless given.
    fontsize : float, default=10.0
        The size of the letters, in points. In axes that are too small for it they are smaller.

    Returns
    -------
    matplotlib Axes
        The axes; ``ax.figure.savefig("ranks.png")`` writes the picture. Its x is the rank.

    Examples
    --------
    >>> from boxwise.evaluate import AverageRanks, plot_cd_diagram
    >>> ranks = AverageRanks(["M1", "M2", "v1", "v2"], [3, 3.214, 1.893, 1.893], n_datasets=14)
    >>> ax = plot_cd_diagram(ranks)
    >>> [text.get_text() for text in ax.texts if text.get_gid() == "method"]
    ['v1', 'v2', 'M2', 'M1']
    """
    plan = _plan(nemenyi_test(ranks, level))
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            'a critical difference diagram needs matplotlib: pip install "boxwise[plot]"'
        ) from error
    if ax is None:
        figure, ax = plt.subplots(layout="none")
        ax.set_position((0.0, 0.0, 1.0, 1.0))
        width, height = sum(_label_widths(ax, plan, fontsize)) + LINE_OF_RANKS, plan.height
        figure.set_size_inches(width * fontsize / 72, (height + 2 * GAP) * fontsize / 72)
    _draw(ax, plan, fontsize)
    return ax


@dataclass(frozen=True)
class _Plan:
    """The layout: x in ranks, y in ems below the line of ranks."""

    low: int
    high: int
    critical_difference: float
    bars: list[tuple[float, float, float]]
    left: list[tuple[str, float, float]]
    right: list[tuple[str, float, float]]

    @property
    def length(self) -> float:
        return max(self.high - self.low, self.critical_difference)

    @property
    def height(self) -> float:
        return ABOVE + max(y for _, _, y in self.left + self.right) + ROW / 2


def _plan(test: NemenyiTest) -> _Plan:
    ordered = test.ranks.best_first()
    low, high = math.floor(ordered[0][1]), math.ceil(ordered[-1][1])
    bars = _bars(test)
    top = max((y for _, _, y in bars), default=0.0) + 1.1
    half = (len(ordered) + 1) // 2
    # The outermost are the topmost on both sides, so that no line crosses another.
    left = [(name, r, top + ROW * i) for i, (name, r) in enumerate(ordered[:half])]
    right = [(name, r, top + ROW * i) for i, (name, r) in enumerate(ordered[half:][::-1])]
    return _Plan(low, max(high, low + 1), test.critical_difference, bars, left, right)


def _bars(test: NemenyiTest) -> list[tuple[float, float, float]]:
    """Place each bar on the highest level that is free where it lies."""
    clear = 0.02 * len(test.ranks.ranks)
    ends: list[float] = []
    bars = []
    for group in test.groups:
        first, last = test.ranks.of(group[0]), test.ranks.of(group[-1])
        level = next((i for i, end in enumerate(ends) if end + clear < first), len(ends))
        ends[level : level + 1] = [last]
        bars.append((first, last, BAR_GAP * (level + 1)))
    return bars


def _label_widths(ax: Axes, plan: _Plan, fontsize: float) -> tuple[float, float]:
    """Measure the names and ranks on the left and on the right, in ems, with what is around."""
    pen = _Pen(ax, fontsize, x_em=0.0)

    def width(string: str) -> float:
        text = pen.text(0, 0, string, "")
        found = pen.width(text)
        text.remove()
        return found

    left, right = (
        max(width(name) + width(f"{r:.2f}") for name, r, _ in side) + 4 * GAP
        for side in (plan.left, plan.right)
    )
    return left, right


def _draw(ax: Axes, plan: _Plan, fontsize: float) -> None:
    box = ax.get_window_extent()
    labels = sum(_label_widths(ax, plan, fontsize))
    pixels = ax.figure.dpi / 72
    em = min(
        fontsize * pixels,
        box.height / plan.height,
        box.width * (1 - NARROWEST) / labels,
    )
    left, right = _label_widths(ax, plan, em / pixels)
    x_em = em * plan.length / (box.width - em * (left + right))
    spare = box.height / em - plan.height
    ax.set_xlim(plan.low - left * x_em, plan.low + plan.length + right * x_em)
    ax.set_ylim(plan.height - ABOVE + spare / 2, -ABOVE - spare / 2)
    ax.set_axis_off()
    pen = _Pen(ax, em / pixels, x_em)
    _draw_line_of_ranks(pen, plan)
    _draw_critical_difference(pen, plan)
    for first, last, y in plan.bars:
        pen.line([first, last], [y, y], "group", color="C0", width=0.42, capstyle="round")
    for name, r, y in plan.left:
        _draw_method(pen, name, r, y, end=plan.low, outward=-1)
    for name, r, y in plan.right:
        _draw_method(pen, name, r, y, end=plan.low + plan.length, outward=1)


@dataclass(frozen=True)
class _Pen:
    """Draws lines and letters whose sizes are in ems."""

    ax: Axes
    fontsize: float
    x_em: float  # one em in units of x

    def line(
        self, x: list[float], y: list[float], gid: str, *, color: str = "",
        width: float = 0.09, capstyle: str = "projecting",
    ) -> None:  # fmt: skip
        self.ax.plot(
            x, y, gid=gid, color=color or self.ink, lw=width * self.fontsize, clip_on=False,
            solid_capstyle=capstyle, solid_joinstyle="miter", zorder=3 if gid == "group" else 2,
        )  # fmt: skip

    def text(
        self, x: float, y: float, string: str, gid: str, *, ha: str = "center",
        va: str = "center", alpha: float = 1.0,
    ) -> Text:  # fmt: skip
        return self.ax.text(
            x, y, string, gid=gid, ha=ha, va=va, fontsize=self.fontsize, color=self.ink,
            alpha=alpha,
        )  # fmt: skip

    def width(self, text: Text) -> float:
        return text.get_window_extent().width / (self.fontsize / 72 * self.ax.figure.dpi)

    @property
    def ink(self) -> str:
        from matplotlib import rcParams

        return str(rcParams["text.color"])


def _draw_line_of_ranks(pen: _Pen, plan: _Plan) -> None:
    pen.line([plan.low, plan.high], [0, 0], "axis")
    for twice in range(2 * plan.low, 2 * plan.high + 1):
        whole = twice % 2 == 0
        pen.line([twice / 2] * 2, [0, -0.45 if whole else -0.25], "axis")
        if whole:
            pen.text(twice / 2, -0.75, str(twice // 2), "axis", va="bottom")


def _draw_critical_difference(pen: _Pen, plan: _Plan) -> None:
    first, last, y = plan.low, plan.low + plan.critical_difference, -3.1
    pen.line([first, last], [y, y], "critical difference")
    for x in (first, last):
        pen.line([x, x], [y - 0.3, y + 0.3], "critical difference")
    words = f"CD = {plan.critical_difference:.3f}"
    pen.text((first + last) / 2, y - 0.4, words, "critical difference", va="bottom")


def _draw_method(pen: _Pen, name: str, r: float, y: float, *, end: float, outward: int) -> None:
    """Draw the line from a rank on the axis to the name at the side, and both there."""
    ha = "right" if outward < 0 else "left"
    step = outward * pen.x_em
    stop = end + GAP * step
    pen.line([r, r, stop], [0, y, y], "method")
    number = pen.text(stop + GAP * step, y, f"{r:.2f}", "rank", ha=ha, alpha=0.6)
    pen.text(stop + (2 * GAP + pen.width(number)) * step, y, name, "method", ha=ha)
