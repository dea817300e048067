"""The one form in which rows reach the engine."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from boxwise.schema import Kind


@dataclass(frozen=True)
class Batch:
    """Rows as arrays: an interval per numeric column, a code per categorical one.

    Attributes
    ----------
    lower, upper : float64 array of shape (rows, numeric columns)
        The bounds of each value; NaN where it is missing. Without intervals `upper` is the very
        object `lower`, and that may be the caller's own array: only read them.
    codes : int32 array of shape (rows, categorical columns)
        Positions in the column's vocabulary; -1 is a value never learned.
    additions : list of lists
        The values not yet in each vocabulary, in order of first appearance. Their codes follow on
        from those of the vocabulary.
    kinds : dict of int to Kind
        The kinds of columns that had none in the schema and have a value here, by position. The
        rows are those of the schema with these kinds.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    codes: NDArray[np.int32]
    additions: list[list[object]]
    kinds: dict[int, Kind] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.lower)

    def part(self, rows: slice | NDArray[np.intp]) -> Batch:
        """Return some of the rows."""
        lower = self.lower[rows]
        upper = lower if self.upper is self.lower else self.upper[rows]
        return Batch(lower, upper, self.codes[rows], self.additions, self.kinds)
