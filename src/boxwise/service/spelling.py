"""Values of a request as the model knows them: 3 in JSON, the text '3' in the file it learned."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from boxwise.inputs.spelling import known_spelling, other_spellings
from boxwise.schema import Schema


def as_known(rows: list[Any], schema: Schema) -> list[Any]:
    """Return rows with categories as the model spells them.

    A category that is new is text where the first that the model knows is, and else a number if
    it is one.
    """
    for j, vocabulary in zip(schema.categorical, schema.vocabularies, strict=True):
        name = schema.names[j]
        first = next(iter(vocabulary.codes), None)
        if first is None or name not in schema.inputs:
            continue
        place = schema.inputs.index(name)
        spelled = []
        for row in rows:
            key = place if isinstance(row, list) or not schema.named else name
            cell = _cell(row, key)
            new = known_spelling(cell, vocabulary.codes)
            if new is None and isinstance(cell, str) != isinstance(first, str):
                new = _of_new(cell, vocabulary.codes)
            spelled.append(row if new is None else _with(row, key, new))
        rows = spelled
    return rows


def labels_as_known(labels: list[Any], classes: Container[object]) -> list[Any]:
    """Return labels as the classes are spelled; others stay as they are."""
    found = []
    for label in labels:
        known = known_spelling(label, classes) if isinstance(label, str | int | float) else None
        found.append(label if known is None else known)
    return found


def _of_new(cell: Any, known: Container[object]) -> Any:
    return None if cell in known else next(iter(other_spellings(cell)), None)


def _cell(row: Any, key: Any) -> Any:
    """Return a text or a number; None for what else there is, of which its reader will tell."""
    value = None
    if isinstance(row, dict):
        value = row.get(key)
    elif isinstance(row, list) and isinstance(key, int) and key < len(row):
        value = row[key]
    return value if isinstance(value, str | int | float) else None


def _with(row: Any, key: Any, value: Any) -> Any:
    return {**row, key: value} if isinstance(row, dict) else [*row[:key], value, *row[key + 1 :]]
