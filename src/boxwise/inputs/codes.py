"""Numeric columns that may be codes: a few whole numbers that occur again and again."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import sqrt

MOST_CODES = 10  # different values
LEAST_ROWS = 100  # with a value
_COUNTED = 4  # values, from which on frequencies can be told to fall
_NOISE = 0.02  # of the rows: what is no rise, besides two standard deviations


def may_be_codes(rows_of: Mapping[float, float]) -> bool:
    """Say whether a numeric column may hold codes, such as the number of a machine.

    It may if its values are whole numbers, at least two and at most ten different ones in at least
    100 rows, unless they are distributed as counts are. Those begin at 0, have at least four
    values, hardly leave one out, are the rarer the larger they are beyond the most frequent one,
    and the largest is at most half as frequent as that.

    Parameters
    ----------
    rows_of : mapping of float to float
        Value to the number of its rows, without missing values.

    Examples
    --------
    >>> may_be_codes({1: 70, 2: 66, 3: 71, 7: 69})
    True
    >>> may_be_codes({0: 140, 1: 90, 2: 40, 3: 9, 5: 1})  # children, say
    False
    >>> may_be_codes({0.5: 100, 1.5: 100})
    False
    """
    values = sorted(rows_of)
    if not 2 <= len(values) <= MOST_CODES or sum(rows_of.values()) < LEAST_ROWS:
        return False
    if any(value != round(value) for value in values):
        return False
    return not _are_counts([int(value) for value in values], [rows_of[value] for value in values])


def _are_counts(values: list[int], rows: list[float]) -> bool:
    if values[0] != 0 or len(values) < _COUNTED or values[-1] >= 2 * len(values):
        return False
    most = max(rows)
    after = rows[rows.index(most) :]
    noise = _NOISE * sum(rows)
    falls = all(b <= a + 2 * sqrt(a + b) + noise for a, b in pairwise(after))
    return falls and rows[-1] <= most / 2
