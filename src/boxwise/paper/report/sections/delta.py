"""Figures 4, S4 and S5."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.paper.report.about import About
from boxwise.paper.report.curves import delta_curve
from boxwise.paper.report.drawing.panels import curves
from boxwise.paper.report.page import Block, Picture
from boxwise.paper.report.ranking import VERSIONS
from boxwise.paper.report.sections.coverage import opening
from boxwise.paper.report.view import View


def section(view: View, about: About) -> Iterator[Block]:
    """Return the section."""
    yield from opening(
        view, about, "delta", "The limit on entropy, δ",
        "δ limits by how much a new category may raise the entropy of a box. θ = 1 sets no limit "
        "on numbers, and α = n/(n+r). The paper shows figures without numbers here.",
    )  # fmt: skip
    datasets = view.sheet("delta").datasets
    if not datasets:
        return
    found = {d: {v: delta_curve(view, d, v) for v in VERSIONS} for d in datasets}
    yield Picture(
        "delta",
        "CBA over δ, as in figures 4, S4 and S5. Mean over the folds.",
        "One panel for each data set: the class balanced accuracy of v1 and v2 over δ.",
        curves({d: {v: (c.x, c.cba) for v, c in f.items()} for d, f in found.items()}, "δ", "CBA"),
    )
    boxes = {d: {v: (c.x, c.boxes) for v, c in f.items()} for d, f in found.items()}
    yield Picture(
        "delta-boxes",
        "Number of hyperboxes over δ (logarithmic). Mean over the folds; not shown in the paper.",
        "One panel for each data set: the number of hyperboxes of v1 and v2 over δ.",
        curves(boxes, "δ", "hyperboxes", log=True),
    )
