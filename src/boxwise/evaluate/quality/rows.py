"""An assessment as flat rows of a table."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from math import inf
from typing import TYPE_CHECKING

from boxwise.evaluate.quality.resampling import Figure

if TYPE_CHECKING:
    from boxwise.evaluate.quality.assessment import Assessment
    from boxwise.evaluate.quality.groups import GroupComparison
    from boxwise.evaluate.quality.thresholds import CostReport

KEYS = (
    "by",
    "group",
    "class",
    "predicted_as",
    "figure",
    "value",
    "low",
    "high",
    "rows",
    "note",
)

Row = dict[str, object]


def assessment_rows(found: Assessment) -> list[Row]:
    """Return every number of an assessment as one row."""
    rows = [*_figure_rows(found.figures, found.by_class, rows=found.rows)]
    for truth in found.labels:
        for predicted in found.labels:
            n = found.confusion.counts.get((truth, predicted), 0)
            pair: Row = {"class": truth, "predicted_as": predicted}
            rows.append(_row(figure="confusion", value=n, rows=found.rows, **pair))
    for comparison in found.groups.values():
        rows += _group_rows(comparison)
    if found.cost is not None:
        rows += _cost_rows(found.cost)
    return rows


def figure_rows(assessments: Mapping[str, Assessment]) -> list[Row]:
    """Return the numbers of several learners, each row with the name of the learner."""
    return [
        {"learner": name, **row}
        for name, found in assessments.items()
        for row in assessment_rows(found)
    ]


def _row(**given: object) -> Row:
    return {key: given.get(key) for key in KEYS}


def _figure_rows(
    overall: dict[str, Figure], by_class: dict[Hashable, dict[str, Figure]], **given: object
) -> Iterator[Row]:
    for name, figure in overall.items():
        yield _row(figure=name, **_numbers(figure), **given)
    for label, its in by_class.items():
        for name, figure in its.items():
            yield _row(figure=name, **{"class": label}, **_numbers(figure), **given)


def _numbers(figure: Figure) -> dict[str, object]:
    return {"value": figure.value, "low": figure.low, "high": figure.high}


def _group_rows(comparison: GroupComparison) -> Iterator[Row]:
    for group in comparison.groups:
        yield from _figure_rows(
            group.figures,
            group.by_class,
            by=comparison.column,
            group=group.value,
            rows=group.rows,
            note="small" if group.small else None,
        )
    for (label, name), difference in comparison.differences.items():
        high, low = difference.highest, difference.lowest
        for figure, numbers, note in (
            (f"{name}_difference", difference.figure, f"{high} - {low}"),
            (f"{name}_ratio", difference.ratio, f"{low} / {high}"),
        ):
            yield _row(
                by=comparison.column,
                figure=figure,
                note=note,
                **{"class": label},
                **_numbers(numbers),
            )


def _cost_rows(cost: CostReport) -> Iterator[Row]:
    for decision in cost.decisions:
        about: Row = {"class": cost.positive, "rows": cost.rows, "note": decision.name}
        threshold = decision.threshold if decision.threshold < inf else None
        yield _row(figure="threshold", value=threshold, **about)
        yield _row(figure="cost", value=decision.cost, **about)
        yield _row(figure="false_negatives", value=decision.false_negatives, **about)
        yield _row(figure="false_positives", value=decision.false_positives, **about)
    if cost.held_out is not None:
        names = f"best on {cost.chosen_on}", "0.5"
        for name, per_row in zip(names, cost.held_out, strict=True):
            yield _row(
                figure="held_out_cost_per_row",
                value=per_row,
                note=name,
                **{"class": cost.positive},
            )
