"""Rules as people read them: text, Markdown, HTML, tables."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import narwhals as nw

from boxwise.card import MOST_FOLDED, MOST_ROWS, card, long_table
from boxwise.core.boxes import Backend, installed_backend
from boxwise.rules.condition import value_in_rule
from boxwise.rules.rule import Rule, percent


def to_text(rules: Sequence[Rule], *, ordered: bool) -> str:
    """Return one rule per line; those of a list have numbers."""
    lines = [f"{rule.text()} ({rule.about(ordered=ordered)})" for rule in rules]
    if ordered:
        width = len(str(len(lines)))
        lines = [f"{k:>{width}}. {line}" for k, line in enumerate(lines, start=1)]
    return "\n".join(lines)


def to_markdown(rules: Sequence[Rule], *, ordered: bool) -> str:
    """Return a table."""
    head = _head(ordered)
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for k, rule in enumerate(rules, start=1):
        cells = [_for_markdown(cell) for cell in _cells(k, rule, ordered)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def to_html(rules: Sequence[Rule], *, ordered: bool) -> str:
    """Return a table; a condition is a line of its own."""
    lines = ['<table class="boxwise-rules">', "<thead>", _row("th", _head(ordered)), "</thead>"]
    lines.append("<tbody>")
    for k, rule in enumerate(rules, start=1):
        number, _, *others = (escape(cell) for cell in _cells(k, rule, ordered))
        conditions = "<br>".join(escape(str(c)) for c in rule.conditions)
        lines.append(_row("td", [number, conditions or _anything(rule), *others]))
    return "\n".join([*lines, "</tbody>", "</table>"])


def to_card(title: str, rules: Sequence[Rule], *, ordered: bool) -> str:
    """Return a card for a notebook with the first rules; the others are folded."""
    rows = []
    for k, rule in enumerate(rules[: MOST_ROWS + MOST_FOLDED], start=1):
        number, _, *others = (escape(cell) for cell in _cells(k, rule, ordered))
        conditions = "<br>".join(escape(str(c)) for c in rule.conditions)
        rows.append([number, conditions or _anything(rule), *others])
    filled = [j for j in range(len(_head(ordered))) if any(row[j] for row in rows)]
    head = [_head(ordered)[j] for j in filled]
    return card(title, long_table([[row[j] for j in filled] for row in rows], head, len(rules)))


def to_columns(rules: Sequence[Rule]) -> dict[str, list[Any]]:
    """Return the columns of a table; what was not measured is None."""
    labels = [rule.label for rule in rules]
    if len({type(label) for label in labels}) > 1:  # which not every library can hold
        labels = [str(label) for label in labels]
    columns: dict[str, list[Any]] = {
        "rule": [" AND ".join(map(str, rule.conditions)) for rule in rules],
        "label": labels,
        "rank": [rule.rank for rule in rules],
        "conditions": [len(rule.conditions) for rule in rules],
        "rows": [rule.rows for rule in rules],
        "boxes": [len(rule.boxes) for rule in rules],
    }
    for name in ("covered", "precision", "decided", "decided_precision"):
        columns[name] = [getattr(rule, name) for rule in rules]
    return columns


def to_frame(rules: Sequence[Rule], backend: Backend | None) -> Any:
    """Return a table with the numbers as numbers; those that were not measured are missing."""
    columns = to_columns(rules)
    for name in ("covered", "precision", "decided", "decided_precision"):
        columns[name] = [_number(value) for value in columns[name]]
    return nw.from_dict(columns, backend=backend or installed_backend()).to_native()


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _head(ordered: bool) -> list[str]:
    if ordered:  # such a rule stands for boxes that it holds in part, too
        return ["", "if", "then", "decides", "right"]
    return ["", "if", "then", "covers", "right", "learned from"]


def _cells(k: int, rule: Rule, ordered: bool) -> list[str]:
    n = rule.decided if ordered else rule.covered
    precision = rule.decided_precision if ordered else rule.precision
    cells = [
        str(k),
        " and ".join(map(str, rule.conditions)) or _anything(rule),
        value_in_rule(rule.label),
        "" if n is None else f"{n:,}",
        "" if precision is None else percent(precision),
    ]
    return cells if ordered else [*cells, f"{rule.rows:,}"]


def _anything(rule: Rule) -> str:
    return "otherwise" if rule.rank else "always"


def _for_markdown(cell: str) -> str:
    """Return a cell that stays one, and in which no value is taken for HTML."""
    return escape(cell, quote=False).replace("|", "\\|").replace("\n", " ")


def _row(kind: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{cell}</{kind}>" for cell in cells) + "</tr>"
