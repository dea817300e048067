"""Points of several learners as a table of text."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from boxwise.evaluate.prequential_scores import Point, Scores

HEADS = ("accuracy", "CBA", "kappa", "balanced", "boxes", "memory", "rows/s")
WIDTHS = (9, 6, 7, 9, 8, 9, 9)


def point_table(points: Sequence[Point], window: int) -> str:
    """Return one line for each learner over all rows, then one over the last rows."""
    if not points:
        return "no rows yet"
    rows, width = points[0].rows, max(16, *(len(point.learner) for point in points))
    head = _line(f"{rows:,} rows" if rows != 1 else "1 row", HEADS, width)
    lines = [head, *(_line(p.learner, [*_scores(p.overall), *_costs(p)], width) for p in points)]
    if rows > window:
        lines += ["", _line(f"last {window:,}", HEADS[:4], width)]
        lines += [_line(p.learner, _scores(p.recent), width) for p in points]
    return "\n".join([*lines, *_not_scored(points)])


def memory_text(size: int | None) -> str:
    """Return a number of bytes as a person reads it."""
    if size is None:
        return "-"
    amount, units = float(size), ["B", "kB", "MB", "GB"]
    while amount >= 1000 and len(units) > 1:
        amount, units = amount / 1000, units[1:]
    return f"{amount:.{1 if amount < 100 and units[0] != 'B' else 0}f} {units[0]}"


def score_text(score: float) -> str:
    """Return a score with three decimals, or a dash where there is none."""
    return "-" if isnan(score) else f"{score:.3f}"


def _scores(scores: Scores) -> list[str]:
    values = (scores.accuracy, scores.cba, scores.kappa, scores.balanced_accuracy)
    return [score_text(value) for value in values]


def _costs(point: Point) -> list[str]:
    boxes = "-" if point.boxes is None else f"{point.boxes:,}"
    rate = "-" if isnan(point.rows_per_second) else f"{point.rows_per_second:,.0f}"
    return [boxes, memory_text(point.memory), rate]


def _line(name: str, cells: Sequence[str], width: int) -> str:
    return f"{name:<{width}}" + "".join(f"{c:>{w}}" for c, w in zip(cells, WIDTHS, strict=False))


def _not_scored(points: Sequence[Point]) -> list[str]:
    """Say which rows are not in the scores, if they are more than the first."""
    lines = []
    if points[0].unlabelled:
        lines.append(f"{points[0].unlabelled:,} rows have no label and are not scored")
    lines += [
        f"{p.learner}: {p.unpredicted:,} rows not scored, before it could predict"
        for p in points
        if p.unpredicted > 1
    ]
    return ["", *lines] if lines else []
