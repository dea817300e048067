"""Tables of scores, of ranks and of tests, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan, nan

from boxwise.evaluate import AverageRanks, friedman_test, nemenyi_test, rank
from boxwise.paper.report.page import Strong, Table, Text
from boxwise.paper.report.view import ExperimentResults, Setting
from boxwise.paper.report.words import listed, name, number, signed, title


def score_table(caption: str, results: ExperimentResults, columns: Mapping[str, Setting]) -> Table:
    """Return mean ± standard deviation by data set; the best of a row is bold."""

    def row(dataset: str) -> tuple[Text, ...]:
        means = [results.mean(dataset, setting) for setting in columns.values()]
        spreads = [results.spread(dataset, setting) for setting in columns.values()]
        cells = [
            number(mean) if isnan(spread) else f"{number(mean)} ± {number(spread)}"
            for mean, spread in zip(means, spreads, strict=True)
        ]
        return (title(dataset), *embolden(cells, means, max))

    return Table(caption, ("data set", *columns), tuple(map(row, results.datasets)))


def box_table(caption: str, results: ExperimentResults, columns: Mapping[str, Setting]) -> Table:
    """Return the mean number of boxes by data set; the fewest of a row are bold."""

    def row(dataset: str) -> tuple[Text, ...]:
        means = [results.boxes(dataset, setting) for setting in columns.values()]
        return (title(dataset), *embolden([number(m, 1) for m in means], means, min))

    return Table(caption, ("data set", *columns), tuple(map(row, results.datasets)))


def rank_table(
    caption: str, results: ExperimentResults, columns: Mapping[str, Setting],
    printed: Mapping[str, Sequence[float]] | None = None,
) -> Table:  # fmt: skip
    """Return the ranks by data set and their average; printed ones in brackets."""
    settings = [*columns.values()]
    datasets = results.complete(settings)
    rows: list[tuple[Text, ...]] = []
    if datasets:
        ranks = rank(results.means(settings))
        for dataset, values in zip(datasets, ranks, strict=True):
            theirs = printed[dataset] if printed else [None] * len(settings)
            cells = [
                f"{v:g}" if p is None else f"{v:g} ({p:g})"
                for v, p in zip(values, theirs, strict=True)
            ]
            rows.append((title(dataset), *embolden(cells, [*values], min)))
        means = [*ranks.mean(axis=0)]
        rows.append(("average", *embolden([number(m) for m in means], means, min)))
    return Table(caption, ("data set", *map(name, columns)), tuple(rows))


def compare_ranks(
    caption: str, ours: AverageRanks | None, printed: AverageRanks,
    settings: Mapping[str, tuple[str, str]] | None = None,
) -> Table:  # fmt: skip
    """Return average ranks, ours and printed; `settings` are our and the paper's choice of them."""
    header: tuple[str, ...] = ("method", "ours", "printed", "difference")
    if settings:
        header = ("method", "our setting", "printed setting", *header[1:])
    mine = [ours.of(m) if ours else nan for m in printed.methods]
    rows = [
        (name(m), *(settings[m] if settings else ()), a, b, signed(r - p))
        for m, a, b, r, p in zip(
            printed.methods,
            embolden([number(r) for r in mine], mine, min),
            embolden([number(r) for r in printed.ranks], printed.ranks, min),
            mine,
            printed.ranks,
            strict=True,
        )
    ]
    return Table(caption, header, tuple(rows))


def significance_table(
    caption: str, cases: Mapping[str, tuple[Mapping[str, AverageRanks], AverageRanks, float | None]]
) -> Table:
    """Return Friedman's and Nemenyi's tests, of our ranks, of those printed, and F_F as printed.

    Of each case there are our ranks by name ("ours", if there is one way only), the paper's, and
    its F_F.
    """
    rows: list[tuple[Text, ...]] = []
    for case, (ours, printed, f) in cases.items():
        rows += [_test(f"{case}, {words}", ranks, "–") for words, ranks in ours.items()]
        rows.append(_test(f"{case}, printed", printed, "not given" if f is None else number(f)))
    header = (
        "ranks", "data sets", "F_F", "as printed", "critical value", "they differ", "CD",
        "groups that need not differ",
    )  # fmt: skip
    return Table(caption, header, tuple(rows))


def _test(words: str, ranks: AverageRanks, printed: str) -> tuple[Text, ...]:
    test, pairs = friedman_test(ranks), nemenyi_test(ranks)
    a, b = test.degrees
    groups = "; ".join(listed([name(m) for m in group]) for group in pairs.groups) or "none"
    return (
        words,
        str(ranks.n_datasets),
        number(test.f),
        printed,
        f"F({a}, {b}) = {number(test.critical_value)}",
        "yes" if test.rejected else "no",
        number(pairs.critical_difference, 4),
        groups if test.rejected else "all (F_F does not reject)",
    )


def embolden(
    cells: Sequence[str], values: Sequence[float], best: Callable[[Sequence[float]], float]
) -> list[Text]:
    """Make the cells of the best value bold."""
    known = [value for value in values if not isnan(value)]
    top = best(known) if known else nan
    return [
        (Strong(cell),) if value == top else cell for cell, value in zip(cells, values, strict=True)
    ]
