"""Numbers that a reader takes in at once, where any of a range would do."""

from __future__ import annotations

from math import floor, log10


def roundest(low: float, below: float) -> float:
    """Return the number with the fewest digits from `low` on, and below the other.

    Rows that have no value in between cannot tell it from `low`.

    Examples
    --------
    >>> roundest(0.041, 0.085), roundest(1169, 1205), roundest(-45, -41), roundest(30, 31)
    (0.05, 1200.0, -45.0, 30.0)
    """
    low, below = float(low), float(below)
    if low <= 0 < below:
        return 0.0
    largest = max(abs(low), abs(below))
    for digits in range(17):
        place = digits - floor(log10(largest))
        for steps in _multiples(low, place):
            number = round(steps, place)
            if low <= number < below:
                return number
    return low


def _multiples(low: float, place: int) -> list[float]:
    """Return the numbers with so many places that are next to `low`, not below it."""
    try:
        near = round(low, place)
        return [near, near + 10.0**-place]
    except OverflowError:
        return [low]
