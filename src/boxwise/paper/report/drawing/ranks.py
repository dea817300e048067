"""Critical difference diagrams: ours above that of the ranks the paper prints."""

from __future__ import annotations

from collections.abc import Mapping

from boxwise.evaluate import AverageRanks, plot_cd_diagram
from boxwise.paper.report.drawing.canvas import canvas, svg
from boxwise.paper.report.words import name

EM = 8.0 / 72  # inches
TITLE = 2.4  # ems


def cd_diagrams(diagrams: Mapping[str, AverageRanks]) -> bytes:
    """Draw diagrams one under the other, each below its title."""
    heights = [(7.6 + 1.75 * ((len(r.methods) + 1) // 2)) * EM for r in diagrams.values()]
    titles = TITLE * EM
    total = sum(heights) + titles * len(heights)
    with canvas(total, arranged=False) as figure:
        top = total
        for (words, ranks), height in zip(diagrams.items(), heights, strict=True):
            figure.text(0.02, (top - 0.4 * EM) / total, words, va="top", weight="bold")
            top -= titles + height
            ax = figure.add_axes((0.01, top / total, 0.98, height / total))
            named = AverageRanks([name(m) for m in ranks.methods], ranks.ranks, ranks.n_datasets)
            plot_cd_diagram(named, ax=ax, fontsize=8.0)
        return svg(figure)
