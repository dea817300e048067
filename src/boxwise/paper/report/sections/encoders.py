"""Tables II, S.IV and S.V, figures 8 to 10."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.evaluate import AverageRanks
from boxwise.paper.report.about import About
from boxwise.paper.report.drawing.ranks import cd_diagrams
from boxwise.paper.report.page import Block, Paragraph, Picture
from boxwise.paper.report.printed import TABLE_II, TABLE_II_F
from boxwise.paper.report.ranking import THETAS, encoder_columns, encoder_ranks
from boxwise.paper.report.sections.coverage import opening
from boxwise.paper.report.tables import compare_ranks, rank_table, score_table, significance_table
from boxwise.paper.report.view import MissingError, View
from boxwise.paper.report.words import name


def section(view: View, about: About) -> Iterator[Block]:
    """Return the section."""
    yield from opening(
        view, about, "encoders", "IOL-GFMM with encoders",
        "IOL-GFMM learns numbers only, so eight encoders turn categories to numbers first; both "
        "versions of EIOL-GFMM take them as they are, with δ = θ and α = n/(n+r). The paper's "
        "Tables S.IV and S.V are not available; its Table II stands beside ours below.",
    )  # fmt: skip
    results = view.results("encoders")
    if not results.datasets:
        return
    for theta in THETAS:
        columns = {name(m): setting for m, setting in encoder_columns(theta).items()}
        caption = f"Table S.IV, θ = δ = {theta:g}: CBA, mean ± standard deviation over the folds"
        yield score_table(caption, results, columns)
    for theta in THETAS:
        yield rank_table(f"Table S.V, θ = δ = {theta:g}: ranks", results, encoder_columns(theta))
    ours: dict[float, AverageRanks] = {}
    for theta in THETAS:
        try:
            ours[theta] = encoder_ranks(view, theta)
        except MissingError as gap:
            yield Paragraph(f"θ = δ = {theta:g}: no average ranks, since {gap}.")
            continue
        yield compare_ranks(
            f"Table II, θ = δ = {theta:g}: average ranks", ours[theta], TABLE_II[theta]
        )
    yield significance_table(
        "Do the ten methods differ? Friedman's and Nemenyi's tests at 0.05",
        {
            f"θ = δ = {t:g}": ({"ours": ours[t]} if t in ours else {}, TABLE_II[t], TABLE_II_F[t])
            for t in THETAS
        },
    )
    for figure, theta in enumerate(THETAS, start=8):
        if theta in ours:
            yield Picture(
                f"encoders-cd-{theta:g}",
                f"Critical difference diagram, θ = δ = {theta:g} (figure {figure}).",
                "Average ranks of IOL-GFMM with eight encoders, v1 and v2 on a line, ours and the "
                f"paper's, θ = δ = {theta:g}.",
                cd_diagrams({"this run": ours[theta], "the paper's Table II": TABLE_II[theta]}),
            )
