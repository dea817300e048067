"""Tables with columns of dates, read as the columns that a model has of their parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from boxwise.dates import derived_name, kind_of_part, parts_of
from boxwise.inputs.table import Coded, Numbers, Table, Values
from boxwise.schema import Column, Kind, Schema, Vocabulary


class DatedTable:
    """Reads a table column by column as a schema has them, parts of dates among them.

    Parameters
    ----------
    table : Table
        The table.
    schema : Schema
        The columns.
    position_of : mapping of str to int
        Where the columns that the schema calls `inputs` are in the table.
    """

    numbered = False

    def __init__(self, table: Table, schema: Schema, position_of: Mapping[str, int]) -> None:
        self._table, self._columns, self._position_of = table, schema.columns, position_of
        self.n_rows, self.n_columns = table.n_rows, schema.n_features
        self.names: tuple[str, ...] | None = schema.names
        self._parts = cache(self._read)

    def declared(self, j: int) -> Kind | None:
        """Return the kind of the type of a column; that of a part of a date is known."""
        column = self._columns[j]
        if column.date is not None:
            return column.kind
        return self._table.declared(self._position_of[column.name])

    def numbers(self, j: int) -> Numbers:
        """Return column j to be read as numbers."""
        column = self._columns[j]
        if column.date is not None:
            return self._parts(column.date[0])[column.date[1]]
        return self._table.numbers(self._position_of[column.name])

    def values(self, j: int) -> Values:
        """Return column j to be read as categories."""
        column = self._columns[j]
        if column.date is not None:
            return self._parts(column.date[0])[column.date[1]]
        return self._table.values(self._position_of[column.name])

    def matrix(self, positions: Sequence[int]) -> None:
        """Return None: an array has no dates."""

    def _read(self, source: str) -> dict[str, list[Any]]:
        """Return the parts of a column of dates, each as a column."""
        wanted = [c.date[1] for c in self._columns if c.date is not None and c.date[0] == source]
        values = self._table.values(self._position_of[source])
        if isinstance(values, Coded):
            positions, known = values.positions.tolist(), values.categories
            values = [known[i] if i >= 0 else None for i in positions]
        return dict(zip(wanted, parts_of(values, wanted, source), strict=True))


def with_parts(name: str, parts: Sequence[str], categorical: frozenset[str]) -> list[Column]:
    """Return the columns that stand for a column of dates; those listed are categorical."""
    found = []
    for part in parts:
        derived = derived_name(name, part)
        kind: Kind = "categorical" if derived in categorical else kind_of_part(part)
        vocabulary = Vocabulary() if kind == "categorical" else None
        found.append(Column(derived, kind, vocabulary, date=(name, part)))
    return found


def has_parts(
    names: Sequence[object] | None, dates: Collection[str], parts: Collection[str]
) -> bool:
    """Say whether a table has columns of the parts of dates instead of columns of dates."""
    return names is not None and not {*dates} & {*names} and bool({*parts} & {*names})


def check_no_dates(schema: Schema) -> None:
    """Refuse upper bounds beside dates, whose columns are not those of the table."""
    if schema.dates:
        raise ValueError(
            "upper does not go together with dates; give intervals in X, as pandas has them"
        )
