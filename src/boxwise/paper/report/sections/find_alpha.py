"""Tables III, S.VI and S.VII, figures 11, 12 and S6 to S9."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.evaluate import AverageRanks
from boxwise.paper.measurements.times import ROUNDS
from boxwise.paper.report.about import About
from boxwise.paper.report.curves import LARGE, alpha_curve
from boxwise.paper.report.drawing.estimate import estimate_diagram
from boxwise.paper.report.drawing.found import found_alphas
from boxwise.paper.report.drawing.panels import Line
from boxwise.paper.report.page import Block, Paragraph, Picture, Table
from boxwise.paper.report.printed import TABLE_III
from boxwise.paper.report.ranking import SIZES, VERSIONS, way_columns, way_ranks
from boxwise.paper.report.sections.coverage import opening, unmeasured
from boxwise.paper.report.tables import compare_ranks, rank_table, score_table, significance_table
from boxwise.paper.report.view import MissingError, View
from boxwise.paper.report.words import name, number, title

FIGURES = {("v1", 1.0): "11 and S7", ("v1", 0.1): "12 and S8", ("v2", 0.1): "12 and S9"}


def section(view: View, about: About) -> Iterator[Block]:
    """Return the section."""
    yield from opening(
        view, about, "find-alpha", "Four ways to find α",
        "α tuned on three inner folds; Est-α-v1, by the scores of a model of each kind of columns "
        "and their numbers; Est-α-v2, by the scores alone; and α = n/(n+r). With θ = δ = 1 both "
        "versions are the same. The paper's Tables S.VI and S.VII are not available; its Table "
        "III, which it did not test, stands beside ours below.",
    )  # fmt: skip
    yield Picture(
        "estimate-alpha",
        "How α is estimated from the rows to learn (figure S6).",
        "The rows to learn are cut into three inner folds. Three times two of them are learned, "
        "the numeric columns by one model and the categorical ones by another, and both models "
        "are scored on the third. The sums of the scores give α: Est-α-v1 weighs them with the "
        "numbers of columns, Est-α-v2 does not.",
        estimate_diagram(),
    )
    yield from _times(view)
    results = view.results("find-alpha")
    if not results.datasets:
        return
    for version, size in SIZES:
        columns = {name(way): setting for way, setting in way_columns(version, size).items()}
        yield score_table(
            f"Table S.VI, {case(version, size)}: CBA, mean ± standard deviation over the folds",
            results, columns,
        )  # fmt: skip
    for version, size in SIZES:
        caption = f"Table S.VII, {case(version, size)}: ranks"
        yield rank_table(caption, results, way_columns(version, size))
    ours: dict[tuple[str, float], AverageRanks] = {}
    for row in SIZES:
        try:
            ours[row] = way_ranks(view, *row)
        except MissingError as gap:
            yield Paragraph(f"{case(*row)}: no average ranks, since {gap}.")
            continue
        yield compare_ranks(f"Table III, {case(*row)}: average ranks", ours[row], TABLE_III[row])
    yield significance_table(
        "Do the four ways differ? Friedman's and Nemenyi's tests at 0.05",
        {
            case(*row): ({"ours": ours[row]} if row in ours else {}, TABLE_III[row], None)
            for row in SIZES
        },
    )
    for row in SIZES:
        yield from _picture(view, *row)


def _times(view: View) -> Iterator[Block]:
    yield from unmeasured(view, "times")
    gauge = view.gauge("times")
    columns = [(v, size) for v in VERSIONS for size in gauge.whats(v)]
    if columns:
        yield Table(
            "How long tuning α takes, in multiples of the time to estimate it. Time of the "
            f"processor on the same inner folds: the shortest of {ROUNDS} for each, taken by "
            "turns; mean over the folds",
            ("data set", *(f"{v} θ = δ = {size}" for v, size in columns)),
            tuple(
                (title(d), *(number(gauge.mean(d, *column), 1) for column in columns))
                for d in gauge.datasets
            ),
        )  # fmt: skip


def _picture(view: View, version: str, size: float) -> Iterator[Block]:
    results, columns = view.results("find-alpha"), way_columns(version, size)
    found = {
        dataset: {
            way: [row.alpha or 0.0 for row in results.rows(dataset, setting)]
            for way, setting in columns.items()
        }
        for dataset in results.complete([*columns.values()])
    }
    if not found:
        return
    scores: dict[str, Line] = {}
    for dataset in {*found} & {*view.results("alpha").datasets}:
        curve = alpha_curve(view, dataset, version, size)
        scores[dataset] = (curve.x, curve.cba)
    yield Picture(
        f"found-{version}-{size:g}",
        f"The α found in each way, {case(version, size)} (figures {FIGURES[version, size]}): "
        "range, quartiles and median over the folds. The thin line is the CBA over α (right axis).",
        "One panel for each data set: box plots of the α found in four ways, over the curve of "
        "the class balanced accuracy.",
        found_alphas(found, scores),
    )


def case(version: str, size: float) -> str:
    """Return what a row of Table III is about, in words."""
    return "θ = δ = 1, both versions" if size == LARGE else f"θ = δ = {size:g}, {version}"
