"""The Pareto plot: scores against boxes, and the front of what no other candidate beats."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from boxwise.tuning.evolution import Evolution
from boxwise.tuning.front import Candidate, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

WIDE = 10.0  # boxes differ by this factor: the axis is logarithmic
HEAD = 0.5  # of the height, at most, for what is written above the best candidate
GAP = 0.6  # around what is written, in multiples of the size of the letters


def plot_pareto(evolution: Evolution, *, ax: Axes | None = None, fontsize: float = 10.0) -> Axes:
    """Draw the candidates of an evolution and their Pareto front.

    Every candidate is a point: its boxes to the right, its score upwards. The stepped line is the
    front, the best score to be had with so many boxes or fewer; the star is the best score of all,
    with its parameters. matplotlib is needed: ``pip install "boxwise[plot]"``.

    Parameters
    ----------
    evolution : Evolution
        From `evolve`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure unless given.
    fontsize : float, default=10.0
        The size of the letters, in points.

    Returns
    -------
    matplotlib Axes
        The axes; ``ax.figure.savefig("front.png")`` writes the picture.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.datasets import loans
    >>> from boxwise.tuning import evolve, plot_pareto
    >>> rows, labels = loans(200, function=2, seed=1)
    >>> found = evolve(HyperboxClassifier(), rows, labels, cv=3, n_trials=40, random_state=1)
    >>> ax = plot_pareto(found)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('boxes', 'class balanced accuracy')
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('a Pareto plot needs matplotlib: pip install "boxwise[plot]"') from error
    if ax is None:
        _, ax = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
    scored, front = (
        [c for c in candidates if math.isfinite(c.score)]
        for candidates in (evolution.candidates_, evolution.front_)
    )
    _draw_points(ax, scored, front)
    _set_boxes_axis(ax, scored)
    ax.set_xlabel("boxes", fontsize=fontsize)
    ax.set_ylabel(evolution.score_name_, fontsize=fontsize)
    ax.tick_params(labelsize=0.9 * fontsize)
    _write_above(ax, scored, front[-1], fontsize)
    return ax


def _draw_points(ax: Axes, scored: list[Candidate], front: list[Candidate]) -> None:
    ground = ax.get_facecolor()
    ax.scatter(
        [c.n_boxes for c in scored], [c.score for c in scored], gid="candidates",
        label=_count(len(scored), "candidate"), color=_grey(ground), linewidths=0, zorder=2,
        s=min(max(4000 / len(scored), 7.0), 22.0),
    )  # fmt: skip
    boxes, scores = [c.n_boxes for c in front], [c.score for c in front]
    most = max(c.n_boxes for c in scored)
    style: dict[str, Any] = {"color": "C0", "zorder": 3}
    ax.plot([*boxes, most], [*scores, scores[-1]], gid="reach", ds="steps-post", lw=1.4, **style)
    ax.plot(
        boxes, scores, gid="front", label=f"front ({len(front)})", ls="", marker="o", mec=ground,
        mew=0.6, ms=6.0 if len(front) <= 40 else 4.5, **style,
    )  # fmt: skip
    ax.plot(
        boxes[-1:], scores[-1:], gid="best", ls="", marker="*", ms=15.0, color="C1", mec=ground,
        mew=0.8, zorder=4,
    )  # fmt: skip


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def _grey(ground: Any) -> Any:
    """Return a colour a quarter of the way from the ground to the ink."""
    from matplotlib import rcParams
    from matplotlib.colors import to_rgb

    pairs = zip(to_rgb(rcParams["text.color"]), to_rgb(ground), strict=True)
    return [0.25 * ink + 0.75 * paper for ink, paper in pairs]


def _set_boxes_axis(ax: Axes, scored: list[Candidate]) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    fewest, most = min(c.n_boxes for c in scored), max(c.n_boxes for c in scored)
    if most < WIDE * fewest:
        pad = 0.05 * max(most - fewest, 1.0)
        ax.set_xlim(fewest - pad, most + pad)
    else:
        pad = (most / fewest) ** 0.05
        ax.set_xscale("log")
        ax.set_xlim(fewest / pad, most * pad)
        steps = (1.0, 2.0, 5.0) if most < 1000 * fewest else (1.0,)
        ax.xaxis.set_major_locator(LogLocator(subs=steps, numticks=30))
        ax.xaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_formatter(lambda x, position: f"{x:,.10g}")


def _write_above(ax: Axes, scored: list[Candidate], best: Candidate, fontsize: float) -> None:
    """Write the legend and what is best into room made above all points, where nothing else is."""
    low = min(c.score for c in scored)
    span = best.score - low or max(abs(best.score), 1.0) / 100
    floor = low - 0.05 * span
    ax.set_ylim(floor, best.score + 0.05 * span)
    ax.figure.canvas.figure.draw_without_rendering()  # only then is the size of the axes known
    head = min(_write(ax, best, fontsize) / ax.get_window_extent().height, HEAD)
    ax.set_ylim(floor, best.score + (best.score - floor) * head / (1 - head))


def _write(ax: Axes, best: Candidate, fontsize: float) -> float:
    """Write, and return how high it is in pixels; leave out what there is no room for."""
    box = ax.get_window_extent()
    gap = GAP * fontsize * ax.figure.dpi / 72
    legend = ax.legend(
        loc="upper left", ncols=2, frameon=False, fontsize=0.9 * fontsize, handletextpad=0.2,
        columnspacing=1.2, borderaxespad=0.2, borderpad=0.2,
    )  # fmt: skip
    above = legend.get_window_extent()
    n_letters = int((box.width - 2 * gap) / gap)  # the gap is about as wide as a letter
    note = ax.annotate(
        _describe(best, n_letters), (best.n_boxes, best.score), gid="best", ha="center",
        va="bottom", xytext=(0, 1.5 * GAP * fontsize), textcoords="offset points",
        fontsize=0.9 * fontsize,
    )  # fmt: skip
    if above.height + note.get_window_extent().height + 3 * gap > HEAD * box.height:
        note.set_text(_describe(best, 0))
    size = note.get_window_extent()
    _keep_inside(ax, note, best, size.width / 2 + gap)
    if above.width <= box.width and above.height + size.height + 3 * gap <= HEAD * box.height:
        return float(above.height + size.height + 3 * gap)
    legend.remove()
    return float(size.height + 3 * gap)


def _describe(best: Candidate, width: int) -> str:
    """Tell score and boxes and, unless the width is 0, the parameters in lines of that width."""
    boxes = f"{best.n_boxes:,.0f}" if best.n_boxes >= 100 else f"{best.n_boxes:.3g}"
    lines = [f"{best.score:.3f} with {boxes} box{'es' * (boxes != '1')}"]
    if width > 0:
        lines += textwrap.wrap(words(best.params), width, max_lines=3, placeholder=" …")
    return "\n".join(lines)


def _keep_inside(ax: Axes, note: Annotation, best: Candidate, half: float) -> None:
    """Put the note above the point, as far to the side as it needs to stay in the axes."""
    box = ax.get_window_extent()
    x = ax.transData.transform((best.n_boxes, best.score))[0]
    middle = max(min(x, box.x1 - half), box.x0 + half)
    note.set_x((middle - x) * 72 / ax.figure.dpi)
