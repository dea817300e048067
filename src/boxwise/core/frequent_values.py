"""The values of columns measured by rank, from the sketches that the model keeps of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from boxwise.core.model import Model, ranges_of

_HEAD = 8  # numbers before the levels; see native/store/quantile_scale.cpp
_LEVELS = 6  # of these, the place of the number of levels


def frequent_values(model: Model) -> dict[int, Counter[float]]:
    """Return the values of each numeric column measured by rank, and how many rows have them.

    They are those of a sketch: of few different values all that are not rare, of many a sample.
    """
    ranges = ranges_of(model.engine.snapshot())
    pairs = zip(model.schema.numeric, ranges, strict=True)
    return {j: _in_sketch(r.scale) for j, r in pairs if r.scale is not None}


def _in_sketch(scale: NDArray[np.float64]) -> Counter[float]:
    """Return the values in a sketch, and for how many rows each stands: 2^k on level k."""
    rows_of: Counter[float] = Counter()
    at = _HEAD
    for level in range(int(scale[_LEVELS])):
        size = int(scale[at])
        begin = at + 2
        for value in scale[begin : begin + size].tolist():
            rows_of[value] += 2**level
        at = begin + size
    return rows_of
