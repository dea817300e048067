"""The picture of a prequential run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boxwise.evaluate.line_styles import line_style
from boxwise.evaluate.prequential_scores import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_points(
    points: Mapping[str, Sequence[Point]],
    window: int,
    ax: Axes | None = None,
    marks: Mapping[int, str] | Sequence[int] = (),
    changes: Mapping[str, Sequence[Any]] | None = None,
) -> Axes:
    """Draw the recent class balanced accuracy over the rows; in a figure of its own, boxes too."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.ticker import StrMethodFormatter
    except ImportError as error:
        raise ImportError('a plot needs matplotlib: pip install "boxwise[plot]"') from error
    below = None
    boxed = [name for name, its in points.items() if any(p.boxes is not None for p in its)]
    if ax is None and boxed:
        _, (ax, below) = plt.subplots(
            2, sharex=True, figsize=(8, 5.2), height_ratios=(3, 1.2), layout="constrained"
        )
    elif ax is None:
        _, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    styles = {name: line_style(i) for i, name in enumerate(points)}
    for name, its in points.items():
        # A line through one point is not to be seen.
        marker = "o" if len(its) == 1 else None
        cba = [p.recent.cba for p in its]
        ax.plot([p.rows for p in its], cba, label=name, marker=marker, **styles[name])
    ax.set_ylabel(f"CBA of the last {window:,} rows")
    panels = [ax]
    if below is not None:
        panels.append(below)
        for name in boxed:
            counted = [p for p in points[name] if p.boxes is not None]
            below.plot([p.rows for p in counted], [p.boxes for p in counted], **styles[name])
        below.set_ylabel("boxes")
        below.set_ylim(bottom=0)
        below.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="y", alpha=0.3)
        panel.margins(x=0.02)
    panels[-1].set_xlabel("rows")
    panels[-1].xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    _draw_marks(panels, marks)
    for name, its in (changes or {}).items():
        _draw_changes(panels, its, "" if len(points) == 1 else f" ({name})", styles[name]["color"])
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.2)
    ax.figure.align_ylabels(panels)
    return ax


def _draw_changes(panels: Sequence[Axes], changes: Sequence[Any], whose: str, color: Any) -> None:
    """Draw a dotted line at each alarm of a learner, and a solid one where boxes were replaced."""
    looks = {"alarm": ("alarm", ":", 1.2), "replaced": ("boxes replaced", "-", 1.0)}
    named: set[str] = set()
    for change in changes:
        event = "replaced" if change.event == "returned" else change.event
        if event not in looks:
            continue
        text, style, width = looks[event]
        for panel in panels:
            label = f"{text}{whose}" if panel is panels[0] and event not in named else None
            panel.axvline(
                change.row, color=color, linestyle=style, linewidth=width, alpha=0.6, zorder=1,
                gid=f"change-{event}", label=label,
            )  # fmt: skip
        named.add(event)


def _draw_marks(panels: Sequence[Axes], marks: Mapping[int, str] | Sequence[int]) -> None:
    """Draw a line at each row of interest, through all panels, with its words in the first."""
    words = dict(marks) if isinstance(marks, Mapping) else dict.fromkeys(marks, "")
    for row, text in words.items():
        for panel in panels:
            panel.axvline(row, color="0.35", linestyle=":", linewidth=1.2, zorder=1, gid="mark")
        panels[0].annotate(
            text.replace("$", r"\$"), (row, 1), (3, -2), xycoords=("data", "axes fraction"),
            textcoords="offset points", fontsize=8, color="0.25", va="top", gid="mark",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1},
        )  # fmt: skip
