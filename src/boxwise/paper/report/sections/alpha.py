"""Figures 2, 3 and S1 to S3."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.paper.report.about import About
from boxwise.paper.report.curves import LARGE, SMALL, alpha_curve, share
from boxwise.paper.report.drawing.panels import curves
from boxwise.paper.report.page import Block, Picture, Table, Text
from boxwise.paper.report.sections.coverage import opening
from boxwise.paper.report.view import View
from boxwise.paper.report.words import number, title

LINES = {
    "large boxes, v1": ("v1", LARGE),
    "large boxes, v2": ("v2", LARGE),
    "small boxes, v1": ("v1", SMALL),
    "small boxes, v2": ("v2", SMALL),
}


def section(view: View, about: About) -> Iterator[Block]:
    """Return the section."""
    yield from opening(
        view, about, "alpha", "The weight of the numeric columns, α",
        "α weighs numeric columns against categorical ones: 0 uses categories alone, 1 numbers "
        "alone. Boxes are large with θ = δ = 1 and small with θ = δ = 0.1. The paper shows figures "
        "without numbers here, so ours stand alone.",
    )  # fmt: skip
    datasets = view.results("alpha").datasets
    if not datasets:
        return
    found = {
        d: {line: alpha_curve(view, d, *case) for line, case in LINES.items()} for d in datasets
    }
    lines = {d: {k: (c.x, c.cba) for k, c in cases.items()} for d, cases in found.items()}
    yield Picture(
        "alpha",
        "CBA over α, as in figures 2, 3 and S1 to S3. Mean over the folds; the dotted line is at "
        "n/(n+r). The lines of v1 and v2 with large boxes lie on each other.",
        "One panel for each data set: four lines of the class balanced accuracy over α, with large "
        "and small boxes and both versions.",
        curves(lines, "α", "CBA", marks={d: share(d) for d in datasets}, mark="n/(n+r)"),
    )  # fmt: skip

    def row(dataset: str) -> tuple[Text, ...]:
        best = (c.best(share(dataset)) for c in found[dataset].values())
        return (title(dataset), number(share(dataset)), *(number(alpha, 1) for alpha in best))

    yield Table(
        "The α of the highest mean CBA, beside n/(n+r); of several the nearest to it",
        ("data set", "n/(n+r)", *LINES), tuple(map(row, datasets)),
    )  # fmt: skip
