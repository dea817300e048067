"""Cells to float64: whole columns quickly, and cell by cell to find what is wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import NoneType

import numpy as np
from numpy.typing import NDArray

LIMIT = 1e150
"""The largest number that learners accept. It is that of `boxwise.inputs`, which files must not
import; a test compares them."""

_PLAIN = {float, int, NoneType}
_TEXT = {str, NoneType}


def to_floats(cells: Sequence[object]) -> NDArray[np.float64] | None:
    """Return the column, NaN where a cell is missing; None if a cell cannot be used.

    Examples
    --------
    >>> to_floats(["1.5", None, "2"])
    array([1.5, nan, 2. ])
    >>> to_floats(["1.5", "two"]) is None
    True
    """
    types = set(map(type, cells))
    try:
        if types <= _PLAIN:
            floats = np.array(cells, dtype=np.float64)
            return None if np.any(np.abs(floats) > LIMIT) else floats
        if types <= _TEXT:
            return _from_text(cells)  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return None
    floats = np.empty(len(cells))
    for i, cell in enumerate(cells):
        if problem(cell) is not None:
            return None
        floats[i] = math.nan if cell is None else float(cell)  # type: ignore[arg-type]
    return floats


def _from_text(cells: Sequence[str | None]) -> NDArray[np.float64] | None:
    texts = [cell for cell in cells if cell is not None]
    floats = np.fromiter(map(float, texts), np.float64, len(texts))
    if not np.all(np.abs(floats) <= LIMIT):
        return None
    together = "".join(texts)
    if "_" in together or not together.isascii():  # 1_000, and digits of any script
        return None
    if len(texts) == len(cells):
        return floats
    column = np.full(len(cells), np.nan)
    column[[cell is not None for cell in cells]] = floats
    return column


def is_number(text: object) -> bool:
    """Say whether a text is a number that can be used."""
    return text is not None and problem(text) is None


def problem(cell: object) -> str | None:
    """Say why a cell cannot be used as a number; None if it can, or if it is missing."""
    if cell is None:
        return None
    if isinstance(cell, str):
        if "_" in cell or not cell.isascii():
            return "is not a number"
    elif not isinstance(cell, int | float):
        return "is not a number"
    try:
        number = float(cell)
    except ValueError:
        return "is not a number"
    except OverflowError:
        return f"is beyond ±{LIMIT:g}"
    if math.isnan(number):
        return "is not a number" if isinstance(cell, str) else None
    if math.isinf(number):
        return "is not finite"
    return None if abs(number) <= LIMIT else f"is beyond ±{LIMIT:g}"
