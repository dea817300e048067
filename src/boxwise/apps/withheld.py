"""Rows of a part that are withheld from its model, to tune the merged one."""

from __future__ import annotations

from typing import Any

import numpy as np

from boxwise.files import TypedChunk

ONE_IN = 10  # rows, until there are too many


class Withheld:
    """A tenth of the rows, at most so many: one of every ten, drawn from a fixed seed.

    Where there are too many, every other one is given back to be learned, and from then on half as
    many are withheld. So the choice depends on the rows and their order, and not on how they are
    cut into chunks. The first row is never withheld.

    Parameters
    ----------
    most : int
        How many rows may be withheld, at least 1.

    Attributes
    ----------
    rows : list of TypedChunk
        The withheld rows, one in each, in their order.
    """

    def __init__(self, most: int) -> None:
        self.rows: list[TypedChunk] = []
        self._most = most
        self._draw = np.random.RandomState(0)  # draws the same with every version of NumPy
        self._every = ONE_IN
        self._seen = 0  # rows
        self._block = self._every  # where the block after this one begins
        self._next = 1 + int(self._draw.randint(self._every - 1))

    def others(self, chunk: TypedChunk) -> TypedChunk:
        """Withhold some rows of a chunk, and return those to be learned."""
        begin, end = 0, self._seen + chunk.n_rows
        learned: list[TypedChunk] = []
        while self._next < end:
            i = self._next - self._seen
            learned.append(chunk.part(slice(begin, i)))
            self.rows.append(chunk.part(slice(i, i + 1)))
            begin = i + 1
            if len(self.rows) > self._most:
                learned += [_like(chunk, row) for row in self.rows[1::2]]
                self.rows = self.rows[::2]
                self._every *= 2
            self._next = self._block + int(self._draw.randint(self._every))
            self._block += self._every
        self._seen = end
        return TypedChunk.together([*learned, chunk.part(slice(begin, None))])

    def table(self) -> tuple[dict[str, list[object]], list[object]]:
        """Return the columns and the labels of the withheld rows."""
        names = self.rows[0].columns if self.rows else ()
        columns: dict[str, list[object]] = {
            name: [cell for row in self.rows for cell in row.columns[name]] for name in names
        }
        return columns, [label for row in self.rows for label in row.labels]


def _like(chunk: TypedChunk, row: TypedChunk) -> TypedChunk:
    """Return a row from before a column had its first value as it would be in this chunk."""
    columns: dict[str, Any] = {
        name: np.array([np.nan])
        if isinstance(chunk.columns[name], np.ndarray) and cells[0] is None
        else cells
        for name, cells in row.columns.items()
    }
    return TypedChunk(row.rows, columns, row.labels)
