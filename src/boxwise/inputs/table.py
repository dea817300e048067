"""What every source of rows looks like to the rest of this package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boxwise.schema import Kind

NUMERIC = "biuf"
"""The NumPy dtype kinds that convert to float64 as a whole."""


@dataclass(frozen=True)
class Coded:
    """A column that its source stores as positions in a list of categories; -1 is missing."""

    categories: list[object]
    positions: NDArray[np.integer[Any]]


Numbers: TypeAlias = NDArray[Any] | list[object]
"""A column to be read as numbers: an array of a NUMERIC dtype, or any Python values."""

Values: TypeAlias = list[object] | Coded
"""A column to be read as categories."""


class Table(Protocol):
    """A reader of one kind of table. Columns are known by their position."""

    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None

    def declared(self, j: int) -> Kind | None:
        """Return the kind that the type of column j stands for, or None to go by its values."""

    def numbers(self, j: int) -> Numbers:
        """Return column j to be read as numbers."""

    def values(self, j: int) -> Values:
        """Return column j to be read as categories."""

    def matrix(self, positions: Sequence[int]) -> NDArray[np.float64] | None:
        """Return these columns as one array, if the source is one numeric array."""


def generated_names(n: int) -> tuple[str, ...]:
    """Name the columns of a table that has no names."""
    return tuple(f"x{j}" for j in range(n))


def column_names(names: Iterable[object]) -> tuple[str, ...] | None:
    """Return the names if they are text, None if none is; scikit-learn has the same rule."""
    names = tuple(names)
    texts = tuple(name for name in names if isinstance(name, str))
    if texts and len(texts) < len(names):
        types = sorted({type(name).__qualname__ for name in names})
        raise TypeError(
            "Feature names are only supported if all input features have string names, "
            f"but your input has {types} as feature name / column name types. "
            "Convert them all to text, for example with X.columns = X.columns.astype(str)."
        )
    return texts or None


def check_shape(shape: tuple[int, ...]) -> None:
    """Refuse a table without rows or without columns, in scikit-learn's words."""
    if shape[0] == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required."
        )
    if shape[1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )
