"""The settings, the columns and the classes of the model."""

from __future__ import annotations

import numpy as np

from boxwise.core.words import count_text, number_text
from boxwise.learners.description import ALGORITHMS, changed_parameters, direction_text
from boxwise.report.markup import (
    Column,
    Section,
    bar,
    folded,
    paragraph,
    share_text,
    short,
    table,
    text,
)
from boxwise.report.rows import LabelledRows
from boxwise.report.subject import Subject
from boxwise.schema import Schema, show

MOST_VALUES = 5
MOST_COLUMNS = 12


def learned(subject: Subject) -> Section:
    """Return the section."""
    parts = [_how(subject), _columns(subject), _classes(subject)]
    return Section("learned", "The model", "".join(parts))


def _how(subject: Subject) -> str:
    clf = subject.clf
    learner = type(clf).__name__
    changed = changed_parameters(clf)
    settings = ", ".join(f"{name}={show(value)}" for name, value in changed.items())
    return paragraph(
        f"Learner: <code>{text(learner)}</code> ({text(ALGORITHMS[learner])}), with",
        f"<code>{text(settings)}</code>; all other parameters have their defaults."
        if settings
        else "all parameters at their defaults.",
        "A box is an interval for each numeric column, counted values for each categorical "
        "column, and a class.",
    )


def _columns(subject: Subject) -> str:
    schema, rows = subject.view.schema, subject.rows
    head = [Column("column"), Column("kind"), Column("values", "words")]
    if rows is not None:
        head.append(Column("missing", "number"))
    lines = []
    for j, name in enumerate(schema.names):
        kind, values = _values(subject, j)
        missing = [] if rows is None else [_missing(rows, schema, j)]
        lines.append([short(name), kind, values, *missing])
    shown = table("Columns", head, lines[:MOST_COLUMNS], "stack")
    if len(lines) > MOST_COLUMNS:
        rest = table("The other columns", head, lines[MOST_COLUMNS:], "stack")
        shown += folded(f"{len(lines) - MOST_COLUMNS} more columns", rest)
    return shown


def _missing(rows: LabelledRows, schema: Schema, j: int) -> str:
    return "–" if j in schema.unknown else share_text(rows.missing(j))


def _values(subject: Subject, j: int) -> tuple[str, str]:
    """Return what kind of column it is, and what values it has."""
    view = subject.view
    if j in view.schema.unknown:
        return "unknown", "no value yet"
    if view.is_number(j):
        low, high = view.schema.columns[j].range or (np.nan, np.nan)
        if np.isnan(low):
            return "numeric", "no value"
        constraints = getattr(subject.model.settings, "monotone", ())
        own = [direction_text(k, sign) for c, k, sign in constraints if c == view.schema.names[j]]
        return "numeric", "; ".join([f"{number_text(low)} to {number_text(high)}", *map(text, own)])
    totals = view.totals(j)
    rows = totals.total() or 1
    ranked = [
        f"{short(value, 30)} {share_text(n / rows)}" for value, n in totals.most_common(MOST_VALUES)
    ]
    if len(totals) > MOST_VALUES:
        ranked.append(f"{len(totals) - MOST_VALUES:,} more")
    return "categorical", ", ".join(ranked)


def _classes(subject: Subject) -> str:
    view = subject.view
    total = float(view.boxes.n_samples.sum()) or 1.0
    codes = [*range(len(view.classes)), *([-1] if (view.class_of < 0).any() else [])]
    lines = []
    for code in codes:
        held = view.rows_in(code)
        rows = held.sum().item()
        name = "<em>no class</em>" if code < 0 else short(view.classes[code])
        share = rows / total
        lines.append([name, f"{len(held):,}", count_text(rows), bar(share, share_text(share))])
    head = [Column("class"), Column("boxes", "number"), Column("rows in them", "number")]
    return table("Classes", [*head, Column("share of rows", "bars")], lines)
