"""The parts that all pictures share: matplotlib, axes, a heading, a legend beside the data."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from boxwise.plot.texts import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, GREY = "#1f2933", "#56606b"
TITLE, TEXT, SMALL = 11, 9, 8  # points
NARROW = 5.5  # inches: a figure of less has its legend below
LEFT = 1.4  # inches for the labels of an axis, at most


def pyplot() -> Any:
    """Return matplotlib's pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('a picture needs matplotlib: pip install "boxwise[plot]"') from error
    return plt


def axes_for(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the axes to draw in: those given, or those of a new figure of this size."""
    plt = pyplot()
    if ax is None:
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


def head(
    ax: Axes, title: str, notes: Sequence[str], *, size: float = TITLE, small: float = TEXT
) -> None:
    """Write above the axes what is seen, in lines that are not longer than there is room."""
    room = ax.get_window_extent().width
    if len(ax.figure.axes) == 1:
        # There is room up to the edge of the figure, above the legend.
        room = ax.figure.bbox.width - LEFT * ax.figure.dpi
    width = max(24, int(room / ax.figure.dpi * 72 / (0.6 * small)))
    lines = [line for note in notes for line in wrap(note, width)]
    title = wrapped(title, max(16, int(width * small / size * 0.95)))
    ax.set_title(
        title, loc="left", fontsize=size, fontweight="bold" if size >= TITLE else "normal",
        color=INK, pad=6 + 1.3 * small * len(lines),
    )  # fmt: skip
    ax.annotate(
        "\n".join(lines), (0, 1), (0, 5), xycoords="axes fraction", textcoords="offset points",
        va="bottom", fontsize=small, color=GREY, linespacing=1.25, gid="notes",
        annotation_clip=False,
    )  # fmt: skip


def legend_beside(ax: Axes, handles: Sequence[Any], labels: Sequence[str], title: str) -> None:
    """Put a legend to the right of the data, or below them in a narrow figure."""
    narrow = ax.figure.bbox.width < NARROW * ax.figure.dpi
    if narrow:
        ax.figure.legend(
            [*handles], [*labels], loc="outside lower left", ncols=3, frameon=False, fontsize=TEXT
        )
        return
    ax.legend(
        [*handles], [*labels], title=title, loc="upper left", bbox_to_anchor=(1.02, 1.0),
        borderaxespad=0.0, frameon=False, fontsize=TEXT, title_fontsize=TEXT, alignment="left",
    )  # fmt: skip
