"""Rows of a part that are withheld from its model, to tune the merged one."""

from __future__ import annotations

from typing import Any

import numpy as np

from boxwise.files import TypedChunk
from boxwise.learners.parts import WithheldRows


class Withheld:
    """The rows of a part that `WithheldRows` chooses, as the chunks come.

    Parameters
    ----------
    part : int
        The number of the part.
    most : int
        How many rows may be withheld, at least 1.

    Attributes
    ----------
    rows : list of TypedChunk
        The withheld rows, one in each, in their order.
    """

    def __init__(self, part: int, most: int) -> None:
        self.rows: list[TypedChunk] = []
        self._choice = WithheldRows(part, most)
        self._seen = 0  # rows

    def others(self, chunk: TypedChunk) -> TypedChunk:
        """Withhold some rows of a chunk, and return those to be learned."""
        begin = 0
        learned: list[TypedChunk] = []
        for place, too_many in self._choice.take(chunk.n_rows):
            i = place - self._seen
            learned.append(chunk.part(slice(begin, i)))
            self.rows.append(chunk.part(slice(i, i + 1)))
            begin = i + 1
            if too_many:
                learned += [_like(chunk, row) for row in self.rows[1::2]]
                self.rows = self.rows[::2]
        self._seen += chunk.n_rows
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
