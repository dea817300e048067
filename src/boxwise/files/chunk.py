"""Rows of a file, as many as are held at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

from boxwise.files.errors import RowError
from boxwise.files.stopping import ReadingStopped

CHUNK_ROWS = 2_000
CHUNK_SIZE = 64 * 1024 * 1024
FIELD_LIMIT = 131_072
"""Characters in a cell: the limit that Python's csv module has from the start."""

Record = TypeVar("Record")


@dataclass(frozen=True)
class Chunk:
    """Rows as they are in the file, all of one file.

    Attributes
    ----------
    file : str
        The file, as messages call it.
    rows : sequence of int
        The number of each row among the rows of all files, from 1; rows that cannot be used count.
    lines : sequence of int
        The line at which each row begins (`unit` "line"), or its number in the file ("row").
    columns : dict of str to list
        The cells: Python values, None where they are missing.
    typed : bool
        Whether the format tells text from numbers. If not, every cell is text.
    faults : sequence of RowError
        The rows between these that cannot be read, in their order.
    """

    file: str
    unit: str
    rows: Sequence[int]
    lines: Sequence[int]
    columns: dict[str, list[object]]
    typed: bool
    row_errors: Sequence[RowError] = ()

    @property
    def n_rows(self) -> int:
        """The number of rows, without those that cannot be read."""
        return len(self.rows)


class Reader(Protocol):
    """A file of one format, open."""

    names: tuple[str, ...]
    unnamed: tuple[str, ...]  # those of the names that are not in the file
    left_out: tuple[str, ...]  # columns that are no data, and not among the names
    typed: bool  # as in Chunk
    n_rows: int  # rows met so far, those that cannot be used included

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """Hand over the rows, at most so many at a time, numbered from 1 in this file."""

    def close(self) -> None:
        """Close the file."""


def gather(
    records: Iterable[Record | RowError], most: int, taken: Callable[[], int]
) -> Iterator[tuple[list[Record], list[RowError]]]:
    """Put records together: at most so many, and no more once they take much memory.

    Rows that cannot be read come beside them, and count. If the reading is stopped, what was read
    so far comes as the last.
    """
    batch: list[Record] = []
    row_errors: list[RowError] = []
    begin = taken()
    with suppress(ReadingStopped):
        for record in records:
            if isinstance(record, RowError):
                row_errors.append(record)
            else:
                batch.append(record)
            if len(batch) + len(row_errors) >= most or taken() - begin >= CHUNK_SIZE:
                yield batch, row_errors
                batch, row_errors, begin = [], [], taken()
    if batch or row_errors:
        yield batch, row_errors
