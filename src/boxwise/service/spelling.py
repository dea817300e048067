"""Values of a request as the model knows them: 3 in JSON, the text '3' in the file it learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from boxwise.files.spelling import respelled
from boxwise.schema import Schema

MOST_DIGITS = 16  # of a whole number that floats hold exactly


def as_known(rows: list[Any], schema: Schema) -> list[Any]:
    """Return rows whose categories are text if those of the model are, or numbers if those are."""
    for j, vocabulary in zip(schema.categorical, schema.vocabularies, strict=True):
        name = schema.names[j]
        place = schema.inputs.index(name) if name in schema.inputs else None
        keys = [place if isinstance(row, list) or not schema.named else name for row in rows]
        cells = [_plain(_cell(row, key)) for row, key in zip(rows, keys, strict=True)]
        spelled = [_looked_up(cell, vocabulary.codes) for cell in cells]
        is_new = any(new is not None and new not in vocabulary.codes for new in spelled)
        if is_new and _differ(cells, vocabulary.values):
            spelled = _spelled(cells, vocabulary.values)
        rows = [
            row if new is cell else _with(row, key, new)
            for row, key, cell, new in zip(rows, keys, cells, spelled, strict=True)
        ]
    return rows


def labels_as_known(labels: list[Any], classes: Sequence[object]) -> list[Any]:
    """Return labels as the classes are spelled, text or not; others stay as they are."""
    plain = [*map(_plain, labels)]
    if not _differ(plain, classes):
        return labels
    known = {*classes}
    spelled = zip(labels, _spelled(plain, classes), strict=True)
    return [new if new is not None and new in known else old for old, new in spelled]


def _looked_up(cell: Any, known: Mapping[object, int]) -> Any:
    """Return a whole number as its digits, or the reverse, if that is known and it is not."""
    if cell in known or isinstance(cell, bool) or not isinstance(cell, str | int):
        return cell
    is_digits = isinstance(cell, str) and len(cell) < MOST_DIGITS and cell.isascii()
    new = (
        str(cell) if isinstance(cell, int) else int(cell) if is_digits and cell.isdigit() else cell
    )
    return new if new in known else cell


def _differ(cells: Sequence[Any], known: Sequence[object]) -> bool:
    """Whether there is text where a known value is none, or the other way round."""
    known_sorts = {isinstance(value, str) for value in known if value is not None}
    sorts = {isinstance(cell, str) for cell in cells if cell is not None}
    return bool(known_sorts and sorts) and len(known_sorts | sorts) > 1


def _spelled(cells: list[Any], known: Sequence[object]) -> list[Any]:
    """Return cells as the known values are; beside both sorts, only as one that is known."""
    texts = [value for value in known if isinstance(value, str)]
    others = [value for value in known if value is not None and not isinstance(value, str)]
    if not texts or not others:
        return respelled(cells, known)
    values = {*texts, *others}
    as_other, as_text = respelled(cells, others), respelled(cells, texts)
    found = []
    for cell, other, text in zip(cells, as_other, as_text, strict=True):
        new = other if isinstance(cell, str) else text
        found.append(cell if cell in values or new not in values else new)
    return found


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
