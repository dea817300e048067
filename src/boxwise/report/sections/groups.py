"""The scores of groups of rows, and the differences between them."""

from __future__ import annotations

from boxwise.evaluate import Difference, Group, GroupComparison
from boxwise.report.markup import (
    Column,
    Section,
    figure_text,
    paragraph,
    short,
    table,
    with_interval,
)
from boxwise.report.subject import Subject

MOST_GROUPS = 30
# Title, whether it is of the positive class, and the figure.
WITH_POSITIVE = (
    ("selection rate", True, "selection_rate"),
    ("recall", True, "recall"),
    ("false positive rate", True, "false_positive_rate"),
    ("precision", True, "precision"),
    ("accuracy", False, "accuracy"),
    ("AUC", True, "auc"),
    ("Brier score", False, "brier"),
)
WITHOUT = (
    ("accuracy", False, "accuracy"),
    ("balanced accuracy", False, "balanced_accuracy"),
    ("macro F1", False, "macro_f1"),
    ("AUC", False, "auc"),
    ("log-loss", False, "log_loss"),
    ("Brier score", False, "brier"),
)


def groups(subject: Subject) -> Section | None:
    """Return the section; none if no groups were named."""
    found = subject.assessment
    if found is None or not found.groups:
        return None
    parts = [
        paragraph(
            "The same scores for each group of rows. The difference is that between the groups "
            "with the largest and the smallest value, with its 95% interval; if the interval "
            "contains 0, these rows do not show a difference. The selection rate is the share of "
            "rows predicted as the positive class."
        )
    ]
    parts += [_table(comparison) for comparison in found.groups.values()]
    return Section("groups", "Groups of rows", "".join(parts))


def _table(comparison: GroupComparison) -> str:
    positive = comparison.positive
    columns = WITHOUT if positive is None else WITH_POSITIVE
    shown = comparison.groups[:MOST_GROUPS]
    lines = [_line(group, positive, columns) for group in shown]
    if comparison.differences:
        keys = [(positive if own else None, figure) for _, own, figure in columns]
        cells = [_difference(comparison.differences.get(key)) for key in keys]
        lines.append(["difference", "", *cells])
    head = [Column("group"), Column("rows", "number")]
    head += [Column(title, "number") for title, *_ in columns]
    caption = f"Groups of {short(comparison.column)}"
    of = "" if positive is None else f"; positive class: {short(positive)}"
    return table(f"{caption}{of}", head, lines, "stack") + paragraph(*_notes(comparison))


def _line(group: Group, positive: object, columns: tuple[tuple[str, bool, str], ...]) -> list[str]:
    values = [
        (group.by_class[positive] if own else group.figures)[figure] for _, own, figure in columns
    ]
    name = f"{short(group.value, 30)}{' *' if group.small else ''}"
    return [name, f"{group.rows:,}", *(figure_text(figure.value) for figure in values)]


def _difference(difference: Difference | None) -> str:
    return "–" if difference is None else with_interval(difference.figure)


def _notes(comparison: GroupComparison) -> list[str]:
    notes = []
    rate = comparison.differences.get((comparison.positive, "selection_rate"))
    if (
        comparison.positive is not None
        and rate is not None
        and rate.ratio.value == rate.ratio.value
    ):
        notes.append(
            f"{short(comparison.positive)} is predicted {rate.ratio.value:.2f} times as often for "
            f"{short(rate.lowest)} as for {short(rate.highest)} (95% interval "
            f"{figure_text(rate.ratio.low)} to {figure_text(rate.ratio.high)})."
        )
    if any(group.small for group in comparison.groups):
        notes.append("* fewer than 50 rows: not compared with other groups.")
    if len(comparison.groups) > MOST_GROUPS:
        notes.append(f"The {MOST_GROUPS} largest of {len(comparison.groups)} groups are shown.")
    return notes
