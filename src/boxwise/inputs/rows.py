"""Tables that are a list of rows: dicts, or sequences of values."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from boxwise.inputs.table import are_positions, check_shape, column_names
from boxwise.schema import Kind


class RowTable:
    """Reads rows cell by cell. The kinds of the columns follow from their values."""

    def __init__(
        self,
        rows: Sequence[Any],
        keys: Sequence[Any],
        names: tuple[str, ...] | None,
        *,
        numbered: bool = False,
    ) -> None:
        self.n_rows = len(rows)
        self.n_columns = len(keys)
        self.names = names
        self.numbered = numbered
        self._rows = rows
        self._keys = keys
        check_shape((self.n_rows, self.n_columns))

    def declared(self, j: int) -> Kind | None:
        """Return None: Python values have no column type."""
        return None

    def values(self, j: int) -> list[object]:
        """Return column j."""
        key = self._keys[j]
        return [row[key] for row in self._rows]

    numbers = values

    def matrix(self, positions: Sequence[int]) -> None:
        """Return None: the cells are not one array."""


def read_dicts(rows: Sequence[Any], expected: tuple[str, ...] | None) -> RowTable:
    """Read rows that are dicts, each with the expected keys or else with those of the first row.

    Keys that are no text are those of the first row; whether their names are the expected ones is
    seen when columns are matched.
    """
    keys = tuple(rows[0])
    if expected is not None and all(isinstance(key, str) for key in keys):
        keys = expected
    numbered = are_positions(keys)
    names = None if numbered else column_names(keys)
    wanted = dict.fromkeys(keys).keys()
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(f"row {i} is a {type(row).__name__}, but other rows are dicts")
        if row.keys() != wanted:
            raise _wrong_keys(row, wanted, i)
    return RowTable(rows, keys, names, numbered=numbered)


def read_records(rows: Sequence[Any], expected: tuple[str, ...] | None) -> RowTable:
    """Read rows that know the names of their values, whatever the order of these."""
    dicts = []
    for i, row in enumerate(rows):
        names = field_names(row)
        if names is None:
            raise TypeError(f"row {i} is a {type(row).__name__}, but other rows have named fields")
        dicts.append(dict(zip(names, row, strict=True)))
    return read_dicts(dicts, expected)


def field_names(row: Any) -> tuple[str, ...] | None:
    """Return the names of a named tuple or of a row of sqlite3, None for any other row."""
    if isinstance(row, tuple):
        names: tuple[str, ...] | None = getattr(row, "_fields", None)
        return names
    sqlite = sys.modules.get("sqlite3")
    return tuple(row.keys()) if sqlite is not None and isinstance(row, sqlite.Row) else None


def read_sequences(rows: Sequence[Any]) -> RowTable:
    """Read rows that are lists, tuples or one-dimensional arrays."""
    width = len(rows[0])
    if width and all(map(_is_nested, rows[0])):
        raise ValueError("Found array with dim 3, while dim <= 2 is required.")
    plain = []
    for i, row in enumerate(rows):
        if not isinstance(row, list | tuple | np.ndarray):
            raise TypeError(f"row {i} is a {type(row).__name__}, but other rows are lists")
        if len(row) != width:
            raise ValueError(
                f"row {i} has {len(row)} values, but row 0 has {width}; "
                "use None for a missing value"
            )
        plain.append(row.tolist() if isinstance(row, np.ndarray) else row)
    return RowTable(plain, range(width), None)


def _is_nested(cell: object) -> bool:
    return isinstance(cell, list) or (isinstance(cell, np.ndarray) and cell.ndim > 0)


def _wrong_keys(row: Mapping[Any, Any], wanted: Any, i: int) -> ValueError:
    for key in wanted:
        if key not in row:
            return ValueError(f"column {key!r} is absent (row {i}); use None for a missing value")
    extra = next(key for key in row if key not in wanted)
    return ValueError(
        f"column {extra!r} is not one of the columns {', '.join(map(repr, wanted))} (row {i}); "
        "leave it out"
    )
