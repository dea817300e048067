"""Rows of files with their labels, for learners of any library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxwise.files import Chunk, RowErrors, TypedChunk, Typing

Pair = tuple[dict[str, Any], Any]


class GroupedRow(dict[str, Any]):
    """A row with its values in the columns that divide rows into groups.

    These need not be columns of the row, as a learner may not see them.
    """

    __slots__ = ("groups",)
    groups: tuple[Any, ...]


def group_of(j: int, row: dict[str, Any]) -> Any:
    """Return the value of a `GroupedRow` in the j-th group column."""
    assert isinstance(row, GroupedRow)
    return row.groups[j]


@dataclass
class LabelledRows:
    """The rows of chunks, each once: a dict of numbers, text and None, and the label.

    A column of unknown kind gets its kind with its first value. With group columns a row is a
    `GroupedRow`.
    """

    typing: Typing
    chunks: Iterable[Chunk]
    row_errors: RowErrors
    groups: Sequence[str] = ()

    def __iter__(self) -> Iterator[Pair]:
        for chunk in self.chunks:
            self.typing = self.typing.with_kinds_of(chunk)
            typed = self.typing.apply(chunk, self.row_errors)
            columns = [_cells(cells) for cells in typed.columns.values()]
            rows: Iterator[dict[str, Any]] = (
                dict(zip(typed.columns, values, strict=True))
                for values in zip(*columns, strict=True)
            )
            if self.groups:
                rows = self._grouped(rows, chunk, typed)
            yield from zip(rows, typed.labels, strict=True)

    def _grouped(
        self, rows: Iterable[dict[str, Any]], chunk: Chunk, typed: TypedChunk
    ) -> Iterator[dict[str, Any]]:
        place = {number: i for i, number in enumerate(chunk.rows)}
        cells = [chunk.columns[name] for name in self.groups]
        for row, number in zip(rows, typed.rows, strict=True):
            grouped = GroupedRow(row)
            grouped.groups = tuple(column[place[number]] for column in cells)
            yield grouped


def _cells(column: Any) -> list[Any]:
    if isinstance(column, np.ndarray):
        return [None if value != value else value for value in column.tolist()]
    # A category is text to every learner: to some, True and 7 would be numbers.
    return [value if value is None or isinstance(value, str) else str(value) for value in column]
