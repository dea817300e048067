"""Rows of results as CSV, JSON or JSON Lines."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Sequence
from math import isnan
from pathlib import Path

from boxwise.atomic_files import writing_text
from boxwise.csv_writing import CsvWriter

Rows = Sequence[dict[str, object]]


def write_rows(path: str | os.PathLike[str], rows: Rows, *, escape_formulas: bool = True) -> None:
    """Write rows to a file in the format that its ending says; it is replaced whole or not.

    Names of learners that a spreadsheet would run as a formula are escaped in CSV.
    """
    target = Path(path)
    form = format_of(target)
    plain = [{name: _plain(value) for name, value in row.items()} for row in rows]
    with writing_text(target) as out:
        out.write(form(plain, escape_formulas))


def format_of(path: Path) -> Callable[[Rows, bool], str]:
    """Return what makes text of rows, by the ending of the file; complain if it has another."""
    form = _FORMATS.get(path.suffix.lower())
    if form is None:
        raise ValueError(f"{path}: results are written as {', '.join(_FORMATS)}; name the file so")
    return form


def _plain(value: object) -> object:
    return None if isinstance(value, float) and isnan(value) else value


def _csv(rows: Rows, escape_formulas: bool) -> str:
    text = io.StringIO()
    table = CsvWriter(text, escape_formulas=escape_formulas)
    table.write_row(rows[0] if rows else [])
    for row in rows:
        table.write_row(row.values())
    return text.getvalue()


def _json(rows: Rows, _: bool) -> str:
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def _jsonl(rows: Rows, _: bool) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


_FORMATS = {".csv": _csv, ".json": _json, ".jsonl": _jsonl}
