"""Figures 4, S4 and S5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from boxwise.paper.report.about import About
from boxwise.paper.report.curves import delta_curve
from boxwise.paper.report.drawing.panels import curves
from boxwise.paper.report.page import Block, Picture, Table
from boxwise.paper.report.ranking import VERSIONS
from boxwise.paper.report.sections.coverage import opening, unmeasured
from boxwise.paper.report.view import View
from boxwise.paper.report.words import number, title


def section(view: View, about: About) -> Iterator[Block]:
    """Return the section."""
    yield from opening(
        view, about, "delta", "The limit on entropy, δ",
        "δ limits by how much a new category may raise the entropy of a box. θ = 1 sets no limit "
        "on numbers, and α = n/(n+r). The paper shows figures without numbers here.",
    )  # fmt: skip
    datasets = view.results("delta").datasets
    if datasets:
        yield from _figures(view, datasets)
    yield from _homogeneity(view)


def _figures(view: View, datasets: Sequence[str]) -> Iterator[Block]:
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


def _homogeneity(view: View) -> Iterator[Block]:
    yield from unmeasured(view, "homogeneity")
    gauge = view.gauge("homogeneity")
    columns = [(v, delta) for v in VERSIONS for delta in gauge.whats(v)]
    if columns:
        rows = tuple(
            (title(d), *(number(gauge.mean(d, *column)) for column in columns))
            for d in gauge.datasets
        )
        yield Table(
            "How homogeneous the boxes are: the entropy of the categories within a box in bits, "
            "mean over the categorical columns, and over the boxes by their rows; 0 is one value",
            ("data set", *(f"{v} δ = {delta}" for v, delta in columns)), rows,
        )  # fmt: skip
