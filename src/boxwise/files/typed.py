"""Chunks as a learner takes them: numbers as arrays, categories as lists, labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.files.chunk import Chunk
from boxwise.files.errors import RowError
from boxwise.files.kinds import is_gap, kind_of_cells
from boxwise.files.numbers import problem, to_floats
from boxwise.files.row_errors import RowErrors
from boxwise.files.spelling import respelled
from boxwise.schema import Kind

_CATEGORIES = {str, int, float, bool, NoneType}
_CORRECT = "correct it, or give it as --missing"
_DECLARE = "correct it, give it as --missing, or give its column as --categorical"


@dataclass(frozen=True)
class TypedChunk:
    """Rows that can be used.

    Attributes
    ----------
    rows : sequence of int
        The number of each row among all rows of the input, from 1.
    columns : dict
        An array of float64 for each numeric column, NaN where a value is missing; a list for
        each categorical column, None where a value is missing. A column of unknown kind is a
        list of None.
    labels : list
        The label of each row; empty if there is no label column.
    """

    rows: Sequence[int]
    columns: dict[str, NDArray[np.float64] | list[object]]
    labels: list[object]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @classmethod
    def together(cls, parts: Sequence[TypedChunk]) -> TypedChunk:
        """Return the rows of several, at least one, in one."""
        columns: dict[str, Any] = {
            name: np.concatenate([part.columns[name] for part in parts])
            if isinstance(cells, np.ndarray)
            else [cell for part in parts for cell in part.columns[name]]
            for name, cells in parts[0].columns.items()
        }
        rows = [row for part in parts for row in part.rows]
        return cls(rows, columns, [label for part in parts for label in part.labels])

    def first_value(self, name: str) -> int | None:
        """Return the position of the first row with a value in a column, None if there is none."""
        return next((i for i, cell in enumerate(self.columns[name]) if not is_gap(cell)), None)

    def part(self, rows: slice) -> TypedChunk:
        """Return some of the rows."""
        columns = {name: cells[rows] for name, cells in self.columns.items()}
        return TypedChunk(self.rows[rows], columns, self.labels[rows])

    def take(self, rows: Sequence[int]) -> TypedChunk:
        """Return the rows at these positions."""
        columns: dict[str, Any] = {
            name: cells[rows] if isinstance(cells, np.ndarray) else [cells[i] for i in rows]
            for name, cells in self.columns.items()
        }
        labels = [self.labels[i] for i in rows] if self.labels else []
        return TypedChunk([self.rows[i] for i in rows], columns, labels)


@dataclass(frozen=True)
class Typing:
    """The kinds of the columns of a file, applied to its cells.

    Attributes
    ----------
    kinds : mapping
        The kind of each column of interest.
    label : str, optional
        The column of the labels.
    known : mapping
        The values that a model knows already, of categorical columns and of the label: cells are
        written as these are.
    unlabelled : bool
        Whether a label may be missing.
    """

    kinds: Mapping[str, Kind]
    label: str | None = None
    known: Mapping[str, Sequence[object]] | None = None
    unlabelled: bool = False

    @property
    def categorical(self) -> list[str]:
        """The columns that are categories."""
        return [name for name, kind in self.kinds.items() if kind == "categorical"]

    @property
    def unknown(self) -> list[str]:
        """The columns of which no value was seen yet."""
        return [name for name, kind in self.kinds.items() if kind == "unknown"]

    def with_kinds_of(self, chunk: Chunk) -> Typing:
        """Return what the cells are to be once the values of a chunk are known.

        The first value of a column decides: so it does not matter how rows are cut into chunks.
        """
        found: dict[str, Kind] = {}
        for name in self.unknown:
            first = next((cell for cell in chunk.columns[name] if not is_gap(cell)), None)
            if first is not None:
                found[name] = kind_of_cells([first], typed=chunk.typed)
        return replace(self, kinds={**self.kinds, **found}) if found else self

    def apply(self, chunk: Chunk, row_errors: RowErrors) -> TypedChunk:
        """Return the rows of a chunk that can be used; the others are faults, told in order."""
        wrong: dict[int, RowError] = {}
        columns: dict[str, Any] = {}
        for name, kind in self.kinds.items():
            if kind == "numeric":
                columns[name] = _numbers(chunk, name, wrong, self._remedy)
            elif kind == "unknown":
                columns[name] = [None] * chunk.n_rows
            else:
                columns[name] = _categories(chunk, name, wrong)
        labels = [] if self.label is None else self._labels(chunk, self.label, wrong)
        typed = TypedChunk(chunk.rows, columns, labels)
        for error in sorted([*chunk.row_errors, *wrong.values()], key=lambda error: error.line):
            row_errors(error)
        if wrong:
            typed = typed.take([i for i in range(chunk.n_rows) if i not in wrong])
        return typed if self.known is None else self._respelled(typed, self.known)

    @property
    def _remedy(self) -> str:
        """What to do about a number that is none; a model's columns cannot be declared anew."""
        return _DECLARE if self.known is None else _CORRECT

    def _respelled(self, chunk: TypedChunk, known: Mapping[str, Sequence[object]]) -> TypedChunk:
        columns = {
            name: respelled(cells, known.get(name, ())) if isinstance(cells, list) else cells
            for name, cells in chunk.columns.items()
        }
        return TypedChunk(chunk.rows, columns, chunk.labels)

    def _labels(self, chunk: Chunk, name: str, wrong: dict[int, RowError]) -> list[object]:
        labels = _categories(chunk, name, wrong)
        if self.known is not None:
            labels = respelled(labels, self.known[name])
        for i, label in enumerate(labels):
            if label is None and not self.unlabelled:
                fault, remedy = "the label is missing", "give the row a label, or leave it out"
                wrong.setdefault(i, _error(chunk, i, name, fault, remedy, shown=False))
            elif isinstance(label, float) and not label.is_integer():
                fault = "is no class: it is a measurement"
                remedy = "labels are text, whole numbers or truth values; choose another --label"
                wrong.setdefault(i, _error(chunk, i, name, fault, remedy))
        return labels


def _numbers(
    chunk: Chunk, name: str, wrong: dict[int, RowError], remedy: str
) -> NDArray[np.float64]:
    cells = chunk.columns[name]
    floats = to_floats(cells)
    if floats is not None:
        return floats
    usable: list[object] = []
    for i, cell in enumerate(cells):
        fault = problem(cell)
        if fault is not None:
            wrong.setdefault(i, _error(chunk, i, name, *_in_full(cell, fault, remedy)))
        usable.append(cell if fault is None else None)
    floats = to_floats(usable)
    assert floats is not None, "what is left are numbers"
    return floats


def _in_full(cell: object, fault: str, remedy: str) -> tuple[str, str]:
    if isinstance(cell, dict | list):
        return _nested(cell)
    return fault, "rescale the column" if "beyond" in fault else remedy


def _categories(chunk: Chunk, name: str, wrong: dict[int, RowError]) -> list[object]:
    cells = chunk.columns[name]
    if set(map(type, cells)) <= _CATEGORIES:
        return [None if cell != cell else cell for cell in cells] if chunk.typed else cells
    usable: list[object] = []
    for i, cell in enumerate(cells):
        fits = type(cell) in _CATEGORIES
        if not fits:
            wrong.setdefault(i, _error(chunk, i, name, *_nested(cell)))
        usable.append(cell if fits and cell == cell else None)
    return usable


def _nested(cell: object) -> tuple[str, str]:
    what = "a list" if isinstance(cell, list) else "an object"
    return f"is {what} within a row", "spread it over several columns, or leave it out with --drop"


def _error(
    chunk: Chunk, i: int, name: str, fault: str, remedy: str, *, shown: bool = True
) -> RowError:
    value = {"value": chunk.columns[name][i]} if shown else {}
    line = chunk.lines[i]
    return RowError(fault, remedy, chunk.file, line, unit=chunk.unit, column=name, **value)
