"""The interface of every source of rows to the rest of this package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
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
    """A reader of one kind of table. Columns are known by their position.

    Attributes
    ----------
    names : tuple of str or None
        The names of the columns; None if they have none, or only the numbers of their positions.
    numbered : bool
        Whether the columns have these numbers: labels, but no names.
    """

    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None
    numbered: bool

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


def numbered_names(n: int) -> tuple[str, ...]:
    """Spell the labels 0, 1, ... that pandas gives to columns without names."""
    return tuple(map(str, range(n)))


def column_names(labels: Iterable[object]) -> tuple[str, ...]:
    """Return the labels of columns as text, by which models know them.

    Labels that are no text, such as the years or tuples that pandas allows, are spelled as `str`
    does. As in scikit-learn, text and other labels do not go together.
    """
    labels = tuple(labels)
    texts = [isinstance(label, str) for label in labels]
    if any(texts) and not all(texts):
        types = sorted({type(label).__qualname__ for label in labels})
        raise TypeError(
            "Feature names are only supported if all input features have string names, "
            f"but your input has {types} as feature name / column name types. "
            "Convert them all to text, for example with X.columns = X.columns.astype(str)."
        )
    label_of: dict[str, object] = {}
    for label in labels:
        name = str(label)
        if name in label_of:
            raise ValueError(
                f"the columns {label_of[name]!r} and {label!r} look alike as text; rename one of "
                "them"
            )
        label_of[name] = label
    return tuple(label_of)


def are_positions(labels: Iterable[object]) -> bool:
    """Say whether the labels are 0, 1, ... in order: those of a pandas table without names."""
    return all(
        isinstance(label, Integral) and not isinstance(label, bool) and label == j
        for j, label in enumerate(labels)
    )


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
