"""Figures as the page shows them: tables, ratios, exponents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.speed.record import Line


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; the first column is text, numbers stand to the right."""
    body = [list(row) for row in rows]
    marks = [
        "--:" if body and all(_numeric(row[i]) for row in body) else "---" for i in range(len(head))
    ]
    lines = [list(head), marks, *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _numeric(cell: str) -> bool:
    return cell[:1].isdigit() or cell[:1] in "*–-" or cell == ""


def times(ratio: float, bold: bool = False) -> str:
    """Return a ratio in few digits."""
    digits = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 2 else f"{ratio:.2f}"
    return f"**{digits}×**" if bold else f"{digits}×"


def power(slope: float | None) -> str:
    """Return an exponent, or a dash."""
    return "–" if slope is None else f"{slope:.2f}"


def by_name(lines: Iterable[Line], key: str) -> dict[str, list[Line]]:
    """Return the lines by one of their values, in order of first appearance."""
    found: dict[str, list[Line]] = {}
    for line in lines:
        found.setdefault(line[key], []).append(line)
    return found
