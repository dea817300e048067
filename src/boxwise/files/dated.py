"""Chunks with columns of the parts of dates in place of dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from boxwise.dates import NotADateError, derived_name, parts_of, read_date
from boxwise.files.chunk import Chunk
from boxwise.files.errors import RowError

_REMEDY = "write it as 2024-05-31 or 2024-05-31T13:45, or give it as --missing"


def names_with_parts(
    names: Sequence[str], dates: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the names of the columns that stand for each column of a file, in order."""
    return {
        name: tuple(derived_name(name, part) for part in dates[name]) if name in dates else (name,)
        for name in names
    }


def with_parts(chunk: Chunk, dates: Mapping[str, Sequence[str]]) -> Chunk:
    """Return a chunk with the parts of its dates; rows with something else there are errors."""
    wrong: dict[int, RowError] = {}
    read = {name: _dates(chunk, name, wrong) for name in dates if name in chunk.columns}
    if not read:
        return chunk
    columns: dict[str, list[object]] = {}
    for name, cells in chunk.columns.items():
        if name not in read:
            columns[name] = cells
            continue
        for part, of_part in zip(dates[name], parts_of(read[name], dates[name], name), strict=True):
            columns[derived_name(name, part)] = of_part
    found = replace(chunk, columns=columns)
    return _without(found, wrong) if wrong else found


def _dates(chunk: Chunk, name: str, wrong: dict[int, RowError]) -> list[date | None]:
    found: list[date | None] = []
    known: dict[str, date | None] = {}
    for i, cell in enumerate(chunk.columns[name]):
        one = None
        try:
            if not isinstance(cell, str):
                one = read_date(cell)
            elif cell in known:
                one = known[cell]
            else:
                one = known[cell] = read_date(cell)
        except NotADateError:
            place: dict[str, Any] = {"unit": chunk.unit, "column": name, "value": cell}
            line = chunk.lines[i]
            wrong.setdefault(i, RowError("is not a date", _REMEDY, chunk.file, line, **place))
        found.append(one)
    return found


def _without(chunk: Chunk, wrong: Mapping[int, RowError]) -> Chunk:
    """Return a chunk without some rows, which are errors instead."""
    kept = [i for i in range(chunk.n_rows) if i not in wrong]
    return replace(
        chunk,
        rows=[chunk.rows[i] for i in kept],
        lines=[chunk.lines[i] for i in kept],
        columns={name: [cells[i] for i in kept] for name, cells in chunk.columns.items()},
        row_errors=sorted([*chunk.row_errors, *wrong.values()], key=lambda error: error.line),
    )
