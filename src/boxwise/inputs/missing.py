"""Missing values: None, NaN, pandas.NA and NaT."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from decimal import Decimal
from types import NoneType


def is_missing(value: object) -> bool:
    """Say whether the value stands for no value."""
    if value is None:
        return True
    try:
        return bool(value != value)  # true of NaN and NaT alone
    except Exception:  # whatever a class of the user's raises
        # pandas.NA refuses to be a truth value; so do arrays, which are values (if odd ones).
        return type(value) in missing_types()


def missing_types() -> set[type]:
    """Return the types whose every instance is missing."""
    types: set[type] = {NoneType}
    pandas = sys.modules.get("pandas")  # no value is pandas' own unless pandas is loaded
    if pandas is not None:
        types |= {type(pandas.NA), type(pandas.NaT)}
    return types


def is_signalling_nan(value: object) -> bool:
    """Say whether the value is the NaN of Decimal that must not be computed with."""
    return isinstance(value, Decimal) and value.is_snan()


def first_without_hash(values: Sequence[object]) -> int | None:
    """Return the position of the first value that no dict can hold; None if there is none."""
    for position, value in enumerate(values):
        try:
            hash(value)
        except Exception:  # as unhashable as with TypeError
            return position
    return None
