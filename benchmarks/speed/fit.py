"""How a cost grows: the exponent of a power, fitted by least squares to the logarithms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.speed.record import Line

FROM, UPTO = 10_000, 100_000  # rows: below, fixed costs count; above, not every stream goes
ENOUGH = 1.3  # the largest number must be so many times the least, or no slope can be told


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float | None:
    """Return k of cost = c * size**k; None if the sizes are too few or too close together.

    >>> round(exponent([1, 10, 100], [2, 6.32, 20]), 2)
    0.5
    """
    if len(sizes) < 2 or max(sizes) < ENOUGH * min(sizes):
        return None
    slope, _ = np.polyfit(np.log(sizes), np.log(costs), 1)
    return float(slope)


def error(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the standard error of that exponent; 0 for two sizes, which any line goes through.

    >>> round(error([1, 10, 100, 1000], [1, 11, 90, 1000]), 3)
    0.019
    """
    if len(sizes) < 3:
        return 0.0
    x, y = np.log(sizes), np.log(costs)
    off = y - np.polyval(np.polyfit(x, y, 1), x)
    return float(np.sqrt(off @ off / (len(x) - 2) / np.sum((x - x.mean()) ** 2)))


def of_lines(lines: Sequence[Line], cost: str, over: str = "boxes") -> float | None:
    """Return the exponent over the sizes in question, or over all if fewer than two are among them.

    The latter is for small profiles; the page says which rows were used.
    """
    return exponent(*_columns(lines, cost, over))


def error_of_lines(lines: Sequence[Line], cost: str) -> float:
    """Return the standard error of the exponent over boxes."""
    return error(*_columns(lines, cost, "boxes"))


def _columns(lines: Sequence[Line], cost: str, over: str) -> tuple[list[float], list[float]]:
    used = [line for line in in_question(lines) if line.get(cost)]
    return [line[over] for line in used], [line[cost] for line in used]


def in_question(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines between the two sizes; all of them, if there are fewer than two."""
    chosen = [line for line in lines if FROM <= line["rows"] <= UPTO]
    return chosen if len(chosen) >= 2 else lines
