"""Cells to float64, and the errors for those that are not usable numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from boxwise._native import read_numbers
from boxwise.inputs.intervals import interval_types
from boxwise.inputs.missing import is_missing, is_signalling_nan
from boxwise.inputs.table import Numbers
from boxwise.schema import DATES_REMEDY, show

LIMIT = 1e150
"""The engine multiplies differences of values; beyond this their products would overflow."""
FEW_NUMBERS = 4_096
"""So many products OpenBLAS adds up in the thread that calls it; it shares out over 10,000."""


class NotANumberError(ValueError):
    """Text in a numeric column."""


def to_floats(cells: Numbers, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and upper bounds of a column; one and the same array without intervals."""
    if isinstance(cells, np.ndarray):
        floats = cells.astype(np.float64)
        return floats, floats
    plain = read_numbers(cells)
    return (plain, plain) if plain is not None else _one_by_one(cells, name)


def _one_by_one(
    cells: Sequence[object], name: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    intervals = interval_types()
    bounds = []
    with_intervals = False
    for row, cell in enumerate(cells):
        if isinstance(cell, intervals):
            with_intervals = True
            left, right = cell.left, cell.right  # type: ignore[attr-defined]
            bounds.append((_to_float(left, name, row), _to_float(right, name, row)))
        else:
            number = _to_float(cell, name, row)
            bounds.append((number, number))
    lower, upper = np.array(bounds).T
    return lower, upper if with_intervals else lower


def _to_float(cell: object, name: str, row: int) -> float:
    if is_missing(cell):
        return math.nan
    if isinstance(cell, complex | np.complexfloating):
        raise ValueError(f"Complex data not supported: column {name!r}, {show(cell)} (row {row})")
    if not is_number_type(type(cell)) and not isinstance(cell, bool | np.bool_):
        raise _not_a_number(cell, name, row)
    try:
        number = float(cell)  # type: ignore[arg-type]
    except OverflowError:
        raise _beyond(_huge(cell), name, row) from None
    except ValueError:  # a signalling NaN
        raise _not_a_number(cell, name, row) from None
    if math.isinf(number) and cell != number:
        raise _beyond(_huge(cell), name, row)
    return number


def is_number_type(kind: type) -> bool:
    """Say whether values of this type are real numbers. Truth values and durations are not."""
    return issubclass(kind, Real | Decimal) and not issubclass(kind, bool | np.timedelta64)


def check_range(numbers: NDArray[np.float64], names: Sequence[str]) -> None:
    """Refuse infinities and numbers that the engine cannot square."""
    if within_limit(numbers):
        return
    row, j = np.argwhere(np.abs(numbers) > LIMIT)[0]
    number, name = float(numbers[row, j]), names[j]
    if math.isinf(number):
        raise ValueError(
            f"column {name!r}: {number!r} is not finite (row {row}); "
            "use None or NaN for a missing value"
        )
    raise _beyond(repr(number).replace("e+", "e"), name, row)


def within_limit(numbers: NDArray[np.float64]) -> bool:
    """Say whether all numbers that are not missing are within ±LIMIT."""
    # For few numbers the sum of squares is the cheapest test, and enough unless something is large
    # or missing. For many, OpenBLAS would share the sum out among its threads, and a process that
    # forks meanwhile ends these and leaves this thread waiting for them.
    if numbers.size <= FEW_NUMBERS:
        passes = np.vdot(numbers, numbers) <= LIMIT * LIMIT
    else:
        low, high = (f.reduce(numbers, axis=None) for f in (np.fmin, np.fmax))
        passes = low >= -LIMIT and high <= LIMIT
    return bool(passes) or not (np.abs(numbers) > LIMIT).any()


def _not_a_number(cell: object, name: str, row: int) -> Exception:
    if is_signalling_nan(cell):
        return ValueError(
            f"column {name!r}: a signalling NaN is not a number (row {row}); "
            "use None or NaN for a missing value"
        )
    remedy = "convert the column to numbers, or list it in categorical_features"
    if isinstance(cell, date):
        remedy = f"{DATES_REMEDY.format(name)}, or convert the column to numbers"
    if isinstance(cell, str):
        return NotANumberError(
            f"column {name!r}: {show(str(cell))} is not a number (row {row}); {remedy}"
        )
    return TypeError(
        f"column {name!r}: {show(cell)} is not a number (row {row}): argument must be a string "
        f"or a real number, not {type(cell).__name__!r}; {remedy}"
    )


def _beyond(shown: str, name: str, row: int) -> ValueError:
    return ValueError(f"column {name!r}: {shown} is beyond ±1e150 (row {row}); rescale the column")


def _huge(cell: object) -> str:
    # Python refuses to print integers of many thousands of digits.
    if isinstance(cell, int):
        return f"an integer of about {int(cell.bit_length() * math.log10(2)) + 1} digits"
    return str(cell)
