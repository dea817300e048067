"""Tables IV, S.VIII and S.IX, figure 13."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import isnan
from statistics import fmean

from boxwise.paper.report.about import About
from boxwise.paper.report.drawing.ranks import cd_diagrams
from boxwise.paper.report.page import Block, Paragraph, Picture, Table, Text
from boxwise.paper.report.printed import METHODS, TABLE_IV, TABLE_IV_F, TABLE_S8, TABLE_S9
from boxwise.paper.report.ranking import tuned_columns, tuned_ranks
from boxwise.paper.report.sections.coverage import opening
from boxwise.paper.report.tables import (
    compare_ranks,
    embolden,
    rank_table,
    score_table,
    significance_table,
)
from boxwise.paper.report.view import ExperimentResults, MissingError, View
from boxwise.paper.report.words import LONG, SECOND, number, signed, title

CLOSE = 0.03


def section(view: View, about: About) -> Iterator[Block]:
    """Return the section."""
    yield from opening(
        view, about, "tuned", "Every algorithm with the best of its settings",
        "All parameters of each algorithm are tuned on three inner folds of the rows to learn. "
        "This is the one experiment of which the paper prints every score.",
    )  # fmt: skip
    results = view.results("tuned")
    if not results.datasets:
        return
    yield compare_scores(results)
    yield glance(view)
    caption = "Table S.VIII, ours: CBA, mean ± standard deviation over the folds"
    yield score_table(caption, results, tuned_columns())
    yield rank_table(
        "Table S.IX: ranks, the paper's in brackets", results, tuned_columns(), TABLE_S9
    )
    try:
        ours = tuned_ranks(view)
    except MissingError as gap:
        yield Paragraph(f"No average ranks, since {gap}.")
    else:
        yield compare_ranks("Table IV: average ranks", ours, TABLE_IV)
        yield significance_table(
            "Do the four methods differ? Friedman's and Nemenyi's tests at 0.05",
            {"tuned": ({"ours": ours}, TABLE_IV, TABLE_IV_F)},
        )
        yield Picture(
            "tuned-cd",
            "Critical difference diagram, all parameters tuned (figure 13).",
            "Average ranks of M1, M2, v1 and v2 on a line, ours and the paper's.",
            cd_diagrams({"this run": ours, "the paper's Table IV": TABLE_IV}),
        )
    yield _chosen(results)


def compare_scores(results: ExperimentResults) -> Table:
    """Return Table S.VIII, ours beside the paper's."""

    def row(dataset: str) -> tuple[Text, ...]:
        ours = [results.mean(dataset, setting) for setting in tuned_columns().values()]
        theirs = TABLE_S8[dataset]
        cells: list[Text] = [title(dataset)]
        for mine, a, b, p in zip(
            ours,
            embolden([number(m) for m in ours], ours, max),
            embolden([number(p) for p in theirs], theirs, max),
            theirs,
            strict=True,
        ):
            mark = " ✓" if abs(mine - p) <= CLOSE else ""
            cells += [a, b, f"{signed(mine - p)}{mark}"]
        return tuple(cells)

    header = ["data set"]
    for method in METHODS:
        header += [f"{method} ours", "printed", "difference"]
    caption = f"Table S.VIII: CBA, ours beside the paper's; ✓ within {CLOSE}"
    rows = tuple(row(dataset) for dataset in results.datasets if dataset in TABLE_S8)
    return Table(caption, tuple(header), rows)


def glance(view: View) -> Table:
    """Return how near our scores are to those of Table S.VIII."""
    results = view.results("tuned")

    def row(method: str) -> tuple[Text, ...]:
        j = METHODS.index(method)
        apart = {
            d: results.mean(d, tuned_columns()[method]) - printed[j]
            for d, printed in TABLE_S8.items()
        }
        apart = {d: a for d, a in apart.items() if not isnan(a)}
        if not apart:
            return (LONG[method], f"0 of {len(TABLE_S8)}", "–", "–", "–")
        far = max(apart, key=lambda d: abs(apart[d]))
        close = sum(abs(a) <= CLOSE for a in apart.values())
        return (
            LONG[method],
            f"{close} of {len(apart)}",
            number(fmean(map(abs, apart.values()))),
            signed(fmean(apart.values())),
            f"{signed(apart[far])} ({title(far)})",
        )

    header = (
        "method", f"data sets within {CLOSE}", "mean distance", "mean difference",
        "largest difference",
    )  # fmt: skip
    return Table(
        "Table S.VIII at a glance: our CBA less the paper's", header, tuple(map(row, METHODS))
    )


def _chosen(results: ExperimentResults) -> Table:
    def often(values: list[float | None]) -> str:
        known = Counter(v for v in values if v is not None)
        if not known:
            return "–"
        return ", ".join(f"{v:g} ({n / known.total():.0%})" for v, n in known.most_common(3))

    def row(method: str) -> tuple[Text, ...]:
        rows = [r for d in results.datasets for r in results.rows(d, tuned_columns()[method])]
        second = often([r.second for r in rows])
        return (
            LONG[method], often([r.theta for r in rows]), f"{SECOND[method]}: {second}",
            often([r.alpha for r in rows]),
        )  # fmt: skip

    return Table(
        "The settings chosen most often, and in how many of the folds",
        ("method", "θ", "η, β or δ", "α"), tuple(map(row, METHODS)),
    )  # fmt: skip
