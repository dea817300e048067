"""The largest boxes of each class: where they lie in each column."""

from __future__ import annotations

import numpy as np

from boxwise.core.words import counted, number_text
from boxwise.plot.column_choice import most_influential
from boxwise.plot.view import View
from boxwise.report.markup import Section, folded, paragraph, share_text, short
from boxwise.report.pictures import parallel_picture
from boxwise.report.subject import Subject
from boxwise.rules import Rule
from boxwise.rules.rule import percent

BOXES = 3  # of each class
MOST_CLASSES = 12
MOST_COLUMNS = 6  # the others are folded away
MOST_VALUES = 4


def strongest(subject: Subject) -> Section:
    """Return the section."""
    view = subject.view
    columns = most_influential(view, view.schema.n_features)
    columns = [j for j in columns if view.schema.names[j] not in view.boxes.apart]
    rule_of = {box: rule for rule in subject.rules or () for box in rule.boxes}
    codes = sorted(range(len(view.classes)), key=lambda code: -view.rows_in(code).sum().item())
    codes = [code for code in codes if len(view.rows_in(code))]
    parts = [
        paragraph(
            f"The {BOXES} boxes of each class with most rows; the columns that change predictions "
            "most come first. A bar shows the interval of a box in the range of a numeric column, "
            "or the share of its rows with each value of a categorical column."
        )
    ]
    parts.append(parallel_picture(subject, columns))
    for code in codes[:MOST_CLASSES]:
        parts.append(f"<h3>{short(view.classes[code])}</h3>")
        boxes = view.strongest(BOXES, view.class_of == code).tolist()
        of_class = view.rows_in(code).sum().item()
        cards = "".join(_card(view, box, columns, of_class, rule_of.get(box)) for box in boxes)
        parts.append(f'<div class="cards">{cards}</div>')
    if len(codes) > MOST_CLASSES:
        left = counted(len(codes) - MOST_CLASSES, "class", "classes")
        parts.append(paragraph(f"{left} with fewer rows are not shown."))
    return Section("strongest", "Largest boxes", "".join(parts))


def _card(view: View, box: int, columns: list[int], of_class: float, rule: Rule | None) -> str:
    rows = view.boxes.n_samples[box].item()
    share = share_text(rows / of_class)
    measured = ""
    if rule is not None and rule.covered is not None:
        measured = " It covers none of the rows given."
        if rule.precision is not None:
            covered = counted(rule.covered, "row", "rows")
            measured = f" It covers {covered} of those given, {percent(rule.precision)} correctly."
    lines = [_line(view, box, j) for j in columns]
    shown = f'<dl class="profile">{"".join(lines[:MOST_COLUMNS])}</dl>'
    if len(lines) > MOST_COLUMNS:
        rest = f'<dl class="profile">{"".join(lines[MOST_COLUMNS:])}</dl>'
        shown += folded(counted(len(lines) - MOST_COLUMNS, "more column", "more columns"), rest)
    summary = paragraph(
        f"{counted(rows, 'row', 'rows')} learned, {share} of the class.{measured}", kind="soft"
    )
    return f'<article class="card"><h4>Box {box}</h4>{summary}{shown}</article>'


def _line(view: View, box: int, j: int) -> str:
    track, words = _interval(view, box, j) if view.is_number(j) else _values(view, box, j)
    return (
        f"<div><dt>{short(view.schema.names[j], 40)}</dt>"
        f'<dd><span class="track" aria-hidden="true">{track}</span><span>{words}</span></dd></div>'
    )


def _interval(view: View, box: int, j: int) -> tuple[str, str]:
    lower, upper = (float(bound[box]) for bound in view.interval(j))
    if np.isnan(lower):
        return "", "missing"
    least, most = view.schema.columns[j].range or (lower, upper)
    words = number_text(lower)
    if upper > lower:
        words += f" to {number_text(upper)}"
    span = most - least
    if not span > 0:
        return '<i style="left:0;width:100%"></i>', words
    # A single value is a thin mark, which must not stick out at the end.
    width = max(100 * (upper - lower) / span, 1.5)
    left = min(max(100 * (lower - least) / span, 0.0), 100 - width)
    return f'<i style="left:{left:.1f}%;width:{min(width, 100):.1f}%"></i>', words


def _values(view: View, box: int, j: int) -> tuple[str, str]:
    counts = view.boxes.counts[box][view.schema.categorical.index(j)]
    n = sum(counts.values()) or 1
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    pieces, words, left = [], [], 0.0
    for k, (value, times) in enumerate(ranked[:MOST_VALUES]):
        width = 100 * times / n
        shade = 1 - 0.22 * k
        pieces.append(f'<i style="left:{left:.1f}%;width:{width:.1f}%;opacity:{shade:.2f}"></i>')
        words.append(f"{short(value, 30)} {share_text(times / n)}")
        left += width
    if len(ranked) == 1:
        words = [short(ranked[0][0], 30)]
    if len(ranked) > MOST_VALUES:
        words.append(counted(len(ranked) - MOST_VALUES, "other", "others"))
    return "".join(pieces), ", ".join(words)
