"""Table S.I."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from boxwise.paper.report.page import Block, Heading, Paragraph, Table, Text
from boxwise.paper.report.printed import TABLE_S1
from boxwise.paper.report.sections.coverage import unmeasured
from boxwise.paper.report.view import Gauge, View
from boxwise.paper.report.words import title

Values = dict[str, int]  # how many values each categorical feature has


def section(view: View) -> Iterator[Block]:
    """Return the section."""
    yield Heading(3, "The data sets", "datasets")
    yield from unmeasured(view, "data")
    gauge = view.gauge("data")
    if not gauge.datasets:
        return
    yield Paragraph(
        "Counted in the tables as boxwise reads them; a missing category is a value of its own. "
        "A number in brackets is the paper's where it prints another one."
    )
    yield Table(
        "Table S.I: the data sets",
        ("data set", "rows", "classes", "numeric", "categorical"),
        tuple(_sizes(gauge, dataset) for dataset in gauge.datasets),
    )
    yield Table(
        "Table S.I: how many values the categorical features have",
        ("data set", "features by their number of values", "as printed", "equal"),
        tuple(_features(gauge, dataset) for dataset in gauge.datasets),
    )


def _sizes(gauge: Gauge, dataset: str) -> tuple[Text, ...]:
    rows, classes, n, features = TABLE_S1[dataset]
    printed = (rows, classes, n, sum(count for count, _ in features))
    counted = [round(gauge.mean(dataset, "", what)) for what in ("rows", "classes", "continuous")]
    counted.append(len(_values(gauge, dataset)))
    cells = (f"{a}" if a == b else f"{a} ({b})" for a, b in zip(counted, printed, strict=True))
    return (title(dataset), *cells)


def _features(gauge: Gauge, dataset: str) -> tuple[Text, ...]:
    values, printed = _values(gauge, dataset), TABLE_S1[dataset][3]
    same = Counter(values.values()) == _counted(printed)
    words = "; ".join(f"{n} values: {_features_text(count)}" for count, n in printed)
    return title(dataset), _by_number(values), words, "yes" if same else "no"


def _values(gauge: Gauge, dataset: str) -> Values:
    columns = gauge.of(dataset, "values")
    return {column: round(gauge.mean(dataset, column, "values")) for column in columns}


def _counted(printed: Sequence[tuple[int, int]]) -> Counter[int]:
    """Return how many features have each number of values; some rows list a number twice."""
    counts: Counter[int] = Counter()
    for features, values in printed:
        counts[values] += features
    return counts


def _by_number(values: Values) -> str:
    """Return the features by how many values they have, few first."""
    groups: dict[int, list[str]] = {}
    for column, n in values.items():
        groups.setdefault(n, []).append(column)
    return "; ".join(
        f"{n} values: {_features_text(len(groups[n]))} ({', '.join(groups[n])})"
        for n in sorted(groups)
    )


def _features_text(count: int) -> str:
    return "1 feature" if count == 1 else f"{count} features"
