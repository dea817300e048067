"""The log of concept drift: alarms while the model learned, and what followed."""

from __future__ import annotations

from boxwise.core.words import counted
from boxwise.learners.changes import Change
from boxwise.report.markup import Column, Section, paragraph, short, table
from boxwise.report.subject import Subject

MOST_CHANGES = 30  # the last ones
MOST_COLUMNS = 3  # that matter more, or less
EVENTS = {
    "alarm": "alarm",
    "replaced": "boxes replaced",
    "returned": "earlier boxes returned",
    "dropped": "challenger dropped",
}


def changes(subject: Subject) -> Section | None:
    """Return the section; None if nothing happened, or the learner does not follow changes."""
    found: list[Change] = getattr(subject.clf, "changes_", [])
    if not found:
        return None
    head = [
        Column("row", "number"),
        Column("event"),
        Column("before", "number"),
        Column("after", "number"),
        Column("more relevant now", "words"),
        Column("less relevant now", "words"),
    ]
    summary = paragraph(
        "At an alarm errors have risen, and a challenger, a new set of boxes, starts to learn; the",
        "figures are error rates. The challenger replaces the current boxes if it predicts better;",
        "otherwise it is dropped. The figures are then the mean log-losses of both.",
    )
    if len(found) > MOST_CHANGES:
        left = counted(len(found) - MOST_CHANGES, "earlier one is", "earlier ones are")
        summary += paragraph(f"These are the last {MOST_CHANGES}; {left} not shown.")
    lines = [_line(change) for change in found[-MOST_CHANGES:]]
    return Section(
        "changes", "Changes", summary + table("Changes while learning", head, lines, "stack")
    )


def _line(change: Change) -> list[str]:
    form = ".1%" if change.event == "alarm" else ".3f"
    more = [name for name, factor in change.columns if factor > 1]
    less = [name for name, factor in change.columns if factor < 1]
    return [
        f"{change.row:,}",
        EVENTS[change.event],
        f"{change.before:{form}}",
        f"{change.after:{form}}",
        *(", ".join(short(name, 30) for name in names[:MOST_COLUMNS]) for names in (more, less)),
    ]
