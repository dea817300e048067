"""One row, as the model takes it and as a person reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Model
from boxwise.inputs import Batch
from boxwise.schema import Schema


@dataclass(frozen=True)
class Row:
    """A row.

    Attributes
    ----------
    place : int
        Where it is in the table.
    lower, upper, codes : array
        As in a Batch, with -1 for categories that the model has not learned.
    values : list
        What a person reads: for each numeric column, then each categorical one, the number, the
        pair of bounds or the category; None if it is missing.
    """

    place: int
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    codes: NDArray[np.int32]
    values: list[Any]

    @classmethod
    def of(cls, schema: Schema, batch: Batch, known: Batch, place: int, i: int) -> Row:
        """Return a row: `place` in the batch with all values, `i` in the one that is known."""
        lower, upper = known.lower[i], known.upper[i]
        numbers = [interval(low, high) for low, high in zip(lower, upper, strict=True)]
        categories = [
            (vocabulary.values[code] if code < len(vocabulary) else new[code - len(vocabulary)])
            if code >= 0
            else None
            for code, vocabulary, new in zip(
                batch.codes[place].tolist(), schema.vocabularies, batch.additions, strict=True
            )
        ]
        return cls(place, lower, upper, known.codes[i], [*numbers, *categories])


def interval(low: float, high: float) -> float | tuple[float, float] | None:
    """Return a number, or a pair of bounds; None if it is missing."""
    if np.isnan(low):
        return None
    return float(low) if low == high else (float(low), float(high))


def known_only(batch: Batch, model: Model) -> Batch:
    """Return the batch with -1 for the values that the model has not learned."""
    sizes = np.array([len(vocabulary) for vocabulary in model.schema.vocabularies], np.int32)
    codes = np.where(batch.codes < sizes, batch.codes, np.int32(-1))
    return Batch(batch.lower, batch.upper, codes, [[] for _ in sizes])
