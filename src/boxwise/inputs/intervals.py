"""Intervals: a lower and an upper bound for one numeric value."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def interval_types() -> tuple[type, ...]:
    """Return the classes of interval objects that may occur: pandas.Interval, if it is loaded."""
    pandas = sys.modules.get("pandas")
    return () if pandas is None else (pandas.Interval,)


def check_bounds(
    lower: NDArray[np.float64], upper: NDArray[np.float64], names: Sequence[str]
) -> None:
    """Refuse bounds that are the wrong way round, or of which only one is missing."""
    half = np.isnan(lower) != np.isnan(upper)
    if half.any():
        row, j = np.argwhere(half)[0]
        absent, present = ("lower", "upper") if np.isnan(lower[row, j]) else ("upper", "lower")
        raise ValueError(
            f"column {names[j]!r}: the {absent} bound is missing but not the {present} one "
            f"(row {row}); give both, or neither if the value is missing"
        )
    reversed_ = lower > upper
    if reversed_.any():
        row, j = np.argwhere(reversed_)[0]
        raise ValueError(
            f"column {names[j]!r}: the lower bound {float(lower[row, j])!r} is above the upper "
            f"bound {float(upper[row, j])!r} (row {row}); swap them"
        )
