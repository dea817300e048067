"""Tables that are one NumPy array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.inputs.table import NUMERIC, Numbers, check_shape
from boxwise.schema import Kind

_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
    "array.reshape(1, -1) if it contains a single sample."
)


class ArrayTable:
    """Reads a NumPy array, or anything that NumPy can turn into one."""

    names: tuple[str, ...] | None = None
    numbered = False

    def __init__(self, X: Any) -> None:
        array = _unmasked(X) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
        _check_array(array)
        self.n_rows, self.n_columns = array.shape
        self._array: NDArray[Any] = array
        self._is_numeric = array.dtype.kind in NUMERIC

    def declared(self, j: int) -> Kind | None:
        """Return the kind of the whole array's dtype; object says nothing."""
        kind = self._array.dtype.kind
        if kind == "O":
            return None
        return "numeric" if kind in "iuf" else "categorical"

    def numbers(self, j: int) -> Numbers:
        """Return column j of the array."""
        column: NDArray[Any] = self._array[:, j]
        return column if self._is_numeric else list(column.tolist())

    def values(self, j: int) -> list[object]:
        """Return column j as Python values."""
        return list(self._array[:, j].tolist())

    def matrix(self, positions: Sequence[int]) -> NDArray[np.float64] | None:
        """Return these columns at once, without a copy if they are the whole array."""
        if not self._is_numeric:
            return None
        # Positions are in order: an array has no names by which they could be shuffled.
        whole = len(positions) == self.n_columns
        part = self._array if whole else self._array[:, list(positions)]
        with np.errstate(over="ignore"):  # a long double too large becomes inf, found later
            return np.ascontiguousarray(part, dtype=np.float64)


def _unmasked(X: Any) -> NDArray[Any]:
    """Return a masked array as a plain one in which what was masked is missing."""
    if X.dtype.kind in "iuf":
        return np.ma.filled(X.astype(np.float64), np.nan)
    plain: NDArray[Any] = np.asarray(X)
    if plain.dtype.kind in "bOU":
        plain = plain.astype(object)
        plain[np.ma.getmaskarray(X)] = None
    return plain


def _check_array(array: NDArray[Any]) -> None:
    kind = array.dtype.kind
    if kind == "c":
        raise ValueError("Complex data not supported; pass the real and imaginary parts as columns")
    if kind == "V":
        raise ValueError(
            "a structured array is not supported; convert it to a DataFrame, "
            "for example with pandas.DataFrame(X)"
        )
    if kind in "mM":
        raise TypeError(
            f"an array of dtype {array.dtype} is not supported; convert it to numbers, "
            "for example seconds since a date, or to text"
        )
    if array.ndim < 2:
        got = "scalar" if array.ndim == 0 else "1D"
        raise ValueError(f"Expected 2D array, got {got} array instead:\narray={array}.\n{_RESHAPE}")
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    check_shape(array.shape)
