"""Values of a request as the model knows them: 3 in JSON, the text '3' in the file it learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boxwise.files.spelling import respelled
from boxwise.schema import Schema


def as_known(rows: list[Any], schema: Schema) -> list[Any]:
    """Return rows whose categories are text if those of the model are, or numbers if those are."""
    for j, vocabulary in zip(schema.categorical, schema.vocabularies, strict=True):
        key = schema.names[j] if schema.named else j
        cells = [_plain(_cell(row, key)) for row in rows]
        if not _differ(cells, vocabulary.values):
            continue
        spelled = respelled(cells, vocabulary.values)
        rows = [
            row if new is cell else _with(row, key, new)
            for row, cell, new in zip(rows, cells, spelled, strict=True)
        ]
    return rows


def labels_as_known(labels: list[Any], classes: Sequence[object]) -> list[Any]:
    """Return labels as the classes are spelled, text or not; others stay as they are."""
    plain = [*map(_plain, labels)]
    if not _differ(plain, classes):
        return labels
    known = {*classes}
    spelled = zip(labels, respelled(plain, classes), strict=True)
    return [new if new is not None and new in known else old for old, new in spelled]


def _differ(cells: Sequence[Any], known: Sequence[object]) -> bool:
    """Whether there is text where the first known value is none, or the other way round."""
    first = next((value for value in known if value is not None), None)
    if first is None:
        return False
    is_text = isinstance(first, str)
    return any(isinstance(cell, str) != is_text for cell in cells if cell is not None)


def _plain(value: Any) -> Any:
    """Return a text or a number; None for what else there is in JSON."""
    return value if isinstance(value, str | int | float) else None


def _cell(row: Any, key: Any) -> Any:
    """Return a value, None where the row has none or is no row: what reads it will say so."""
    if isinstance(row, dict):
        return row.get(key)
    return row[key] if isinstance(row, list) and isinstance(key, int) and key < len(row) else None


def _with(row: Any, key: Any, value: Any) -> Any:
    return {**row, key: value} if isinstance(row, dict) else [*row[:key], value, *row[key + 1 :]]
