"""Tables I, S.II and S.III, figures 5 to 7."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from boxwise.evaluate import AverageRanks
from boxwise.paper.report.about import About
from boxwise.paper.report.drawing.ranks import cd_diagrams
from boxwise.paper.report.page import Block, Paragraph, Picture
from boxwise.paper.report.printed import METHODS, TABLE_I, TABLE_I_F, TABLE_I_SECOND
from boxwise.paper.report.ranking import (
    THETAS,
    Choice,
    best_settings,
    mixed_ranks,
    printed_settings,
    settings_of,
)
from boxwise.paper.report.sections.coverage import opening
from boxwise.paper.report.tables import box_table, compare_ranks, score_table, significance_table
from boxwise.paper.report.view import ExperimentResults, MissingError, Setting, View
from boxwise.paper.report.words import second

CHOICES = {"at the printed settings": printed_settings, "at our best settings": best_settings}


def section(view: View, about: About) -> Iterator[Block]:
    """Return the section."""
    yield from opening(
        view, about, "mixed", "Algorithms that take categories as they are, fixed settings",
        "Onln-GFMM-M1 (η), Onln-GFMM-M2 (β, a share of the r categorical columns) and both "
        "versions of EIOL-GFMM (δ, with α = n/(n+r)), at three values of θ. The paper's Tables "
        "S.II and S.III are not available, so ours stand alone; its Table I stands beside ours.",
    )  # fmt: skip
    results = view.results("mixed")
    if not results.datasets:
        return
    for theta in THETAS:
        caption = f"Table S.II, θ = {theta:g}: CBA, mean ± standard deviation over the folds"
        yield score_table(caption, results, _columns(results, theta))
    for theta in THETAS:
        yield box_table(
            f"Table S.III, θ = {theta:g}: mean number of hyperboxes",
            results,
            _columns(results, theta),
        )
    yield Paragraph(
        "Table I ranks each method at its best setting for each θ. The paper names the settings, "
        "the same at every θ, but not how it chose them. So ours is here twice: at the settings "
        "that the paper prints, and at those best by our own results. Best is the value of the "
        "second parameter with the best average rank among the method's three, over the data sets; "
        "among equals that of the best mean CBA."
    )
    ranks: dict[str, dict[float, AverageRanks]] = {words: {} for words in CHOICES}
    for words, choose in CHOICES.items():
        yield from _rank_tables(view, words, choose, ranks[words])
    yield significance_table(
        "Do the four methods differ? Friedman's and Nemenyi's tests at 0.05",
        {f"θ = {t:g}": (_at(ranks, t), TABLE_I[t], TABLE_I_F[t]) for t in THETAS},
    )
    for figure, theta in enumerate(THETAS, start=5):
        yield from _diagram(figure, theta, _at(ranks, theta))


def _rank_tables(
    view: View, words: str, choose: Choice, ours: dict[float, AverageRanks]
) -> Iterator[Block]:
    """Return Table I for one choice of the settings, and keep the ranks."""
    for theta in THETAS:
        try:
            chosen = choose(view.results("mixed"), theta)
            ours[theta] = mixed_ranks(view, theta, choose)
        except MissingError as gap:
            yield Paragraph(f"θ = {theta:g}, {words}: no ranks, since {gap}.")
            continue
        settings = {m: (second(m, chosen[m].second), second(m, TABLE_I_SECOND[m])) for m in METHODS}
        yield compare_ranks(
            f"Table I, θ = {theta:g}: average ranks {words}", ours[theta], TABLE_I[theta], settings
        )


def _at(ranks: Mapping[str, Mapping[float, AverageRanks]], theta: float) -> dict[str, AverageRanks]:
    return {f"ours {words}": found[theta] for words, found in ranks.items() if theta in found}


def _diagram(figure: int, theta: float, ours: dict[str, AverageRanks]) -> Iterator[Block]:
    if ours:
        yield Picture(
            f"mixed-cd-{theta:g}",
            f"Critical difference diagram, θ = {theta:g} (figure {figure}). A bar joins methods "
            "that need not differ.",
            f"Average ranks of M1, M2, v1 and v2, ours and the paper's, θ = {theta:g}.",
            cd_diagrams(ours | {"the paper's Table I": TABLE_I[theta]}),
        )


def _columns(results: ExperimentResults, theta: float) -> dict[str, Setting]:
    return {
        f"{method} {second(method, setting.second)}": setting
        for method in METHODS
        for setting in settings_of(results, method, theta)
    }
