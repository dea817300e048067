"""The reliability diagram: how often predictions are right, by how sure they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from boxwise.evaluate.calibration import Reliability
from boxwise.evaluate.line_styles import line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "osD^vPX"


def plot_reliability(
    curves: Reliability | Mapping[str, Reliability], *, ax: Axes | None = None
) -> Axes:
    """Draw how often predictions are right over how sure they are.

    On the diagonal both are the same; below it a model is too sure of itself, above it not sure
    enough. In a figure of its own, the shares of the predictions in each bin are drawn below: a
    point that stands for few of them says little. matplotlib is needed:
    ``pip install "boxwise[plot]"``.

    Parameters
    ----------
    curves : Reliability or mapping from name to Reliability
        From `reliability`; several are drawn in the same axes, with their names and errors.
    ax : matplotlib Axes, optional
        Where to draw, without the shares; a new figure unless given.

    Returns
    -------
    matplotlib Axes
        The axes; ``ax.figure.savefig("reliability.png")`` writes the picture.

    Examples
    --------
    >>> from boxwise.evaluate import plot_reliability, reliability
    >>> found = reliability(["a", "b"], [[0.9, 0.1], [0.6, 0.4]], ["a", "b"])
    >>> ax = plot_reliability({"a model": found})
    >>> ax.get_legend().get_texts()[0].get_text()
    'a model (ECE 0.350)'
    """
    if isinstance(curves, Reliability):
        curves = {"": curves}
    if not curves:
        raise ValueError("there is nothing to draw: curves is empty")
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            'a reliability diagram needs matplotlib: pip install "boxwise[plot]"'
        ) from error
    below = None
    if ax is None:
        _, (ax, below) = plt.subplots(
            2, sharex=True, figsize=(5.2, 6.2), height_ratios=(3, 1), layout="constrained"
        )
    _draw_curves(ax, curves)
    if below is not None:
        _draw_shares(below, curves)
    panels = [ax] if below is None else [ax, below]
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(alpha=0.3)
    panels[-1].set_xlabel("confidence: the probability of the predicted class")
    ax.figure.align_ylabels(panels)
    return ax


def _draw_curves(ax: Axes, curves: Mapping[str, Reliability]) -> None:
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1, zorder=1, gid="diagonal")
    for i, (name, curve) in enumerate(curves.items()):
        held = curve.count > 0
        words = f"{name} (ECE {curve.error:.3f})" if name else f"ECE {curve.error:.3f}"
        ax.plot(
            curve.confidence[held], curve.accuracy[held], label=words, gid="curve",
            marker=MARKERS[i % len(MARKERS)], markersize=5, clip_on=False, **line_style(i),
        )  # fmt: skip
    ax.set_xlim(_least_edge(curves), 1)
    ax.set_ylim(0, 1)
    ax.set_ylabel("accuracy")
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)


def _draw_shares(ax: Axes, curves: Mapping[str, Reliability]) -> None:
    for i, curve in enumerate(curves.values()):
        shares = curve.count / curve.count.sum()
        ax.stairs(shares, curve.edges, clip_on=False, **line_style(i))
    ax.set_ylim(bottom=0)
    ax.set_ylabel("share of rows")


def _least_edge(curves: Mapping[str, Reliability]) -> float:
    """Return where the first bin that holds a prediction begins: nothing is to be seen before."""
    return min(float(curve.edges[np.argmax(curve.count > 0)]) for curve in curves.values())
