"""An empty figure in the report's style, and its SVG."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# About as wide as a telephone, so that letters keep their size there.
WIDTH = 4.5

# Colours that the colour-blind can tell apart (Okabe and Ito).
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
INK, GREY = "#1d2228", "#777777"

STYLE: dict[Any, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.labelsize": 8.0,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 8.0,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.2,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.hashsalt": "boxwise",  # equal results, equal bytes
    "svg.fonttype": "path",
    "path.simplify": True,
}


@contextmanager
def canvas(height: float, *, arranged: bool = True) -> Iterator[Figure]:
    """Give a figure to draw on; `arranged` leaves the places of its axes to matplotlib."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError('the report needs matplotlib: pip install "boxwise[plot]"') from error
    with rc_context(STYLE):
        yield Figure(figsize=(WIDTH, height), layout="constrained" if arranged else None)


def svg(figure: Figure) -> bytes:
    """Return a figure as SVG, without date and host."""
    file = BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue()
