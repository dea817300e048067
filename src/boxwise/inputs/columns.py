"""Tables that are a mapping from column name to values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from boxwise.inputs.arrays import ArrayTable
from boxwise.inputs.table import Numbers, are_positions, check_shape, column_names
from boxwise.schema import DATES_REMEDY, Kind, show

_VALUES = (list, tuple, np.ndarray)


class ColumnTable:
    """Reads columns: arrays go by their dtype, lists and tuples by their values."""

    def __init__(self, columns: Mapping[Any, Any]) -> None:
        self.numbered = are_positions(columns)
        self.names = None if self.numbered else column_names(columns)
        self._columns = [_read_column(name, values) for name, values in columns.items()]
        self.n_columns = len(self._columns)
        self.n_rows = _common_length(columns)
        check_shape((self.n_rows, self.n_columns))

    def declared(self, j: int) -> Kind | None:
        """Return the kind of an array's dtype; Python values have none."""
        column = self._columns[j]
        if isinstance(column, _Times):
            raise TypeError(
                f"column {column.name!r}: an array of dtype {column.dtype} is not supported; "
                f"{DATES_REMEDY.format(column.name)}, or convert it to numbers or to text"
            )
        return column.declared(0) if isinstance(column, ArrayTable) else None

    def numbers(self, j: int) -> Numbers:
        """Return column j."""
        column = self._columns[j]
        return column.numbers(0) if isinstance(column, ArrayTable) else column

    def values(self, j: int) -> list[object]:
        """Return column j as Python values."""
        column = self._columns[j]
        return column.values(0) if isinstance(column, ArrayTable) else column

    def matrix(self, positions: Sequence[int]) -> None:
        """Return None: the columns are not one array."""


class _Times(list[object]):
    """The values of an array of datetime64, which is no column unless it is one of dates."""

    def __init__(self, name: object, values: Any) -> None:
        super().__init__(values.astype("datetime64[us]").tolist())
        self.name, self.dtype = str(name), values.dtype


def read_columns(X: Mapping[Any, Any]) -> ColumnTable | None:
    """Read X if its values are columns; return None if it is a single row."""
    others = [name for name, values in X.items() if not isinstance(values, _VALUES)]
    if len(others) == len(X):
        return None
    if others:
        name = others[0]
        raise TypeError(
            f"column {name!r}: {show(X[name])} is not a list of values, as other columns are; "
            "a table of columns has a list, a tuple or a one-dimensional array for each"
        )
    return ColumnTable(X)


def _read_column(name: object, values: Any) -> ArrayTable | list[object]:
    if not isinstance(values, np.ndarray):
        return values if isinstance(values, list) else list(values)
    if values.ndim != 1:
        raise ValueError(
            f"column {name!r}: the array has {values.ndim} dimensions; a column has one"
        )
    if not len(values):
        return []
    if values.dtype.kind == "M":
        return _Times(name, values)
    try:
        return ArrayTable(values.reshape(-1, 1))
    except (TypeError, ValueError) as error:
        raise type(error)(f"column {name!r}: {error}") from None


def _common_length(columns: Mapping[Any, Any]) -> int:
    first, *others = columns
    n_rows = len(columns[first])
    for name in others:
        if len(columns[name]) != n_rows:
            raise ValueError(
                f"column {name!r} has {len(columns[name])} values, but column {first!r} has "
                f"{n_rows}; use None for a missing value"
            )
    return n_rows
