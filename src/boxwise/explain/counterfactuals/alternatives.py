"""Further changes that change a prediction, each in other columns than those before it.

For each column that changes the prediction alone, its smallest change is a candidate; then pairs of
columns of which neither does. They are chosen one by one: plausible ones first, then those that
share the fewest columns with the changes before, then the smallest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EvidenceSettings
from boxwise.explain.counterfactuals.moves import Move, MovedRow, size_of

PLAUSIBLE = 1.0  # learned rows that support a changed row, below which others come first

Moves = tuple[Move, ...]


def columns_of(moves: Moves) -> frozenset[int]:
    """Return the columns that are changed."""
    return frozenset(move.column for move in moves)


def diverse(
    first: Moves, others: Sequence[Moves], supports: NDArray[np.float64] | None, n: int
) -> list[Moves]:
    """Return the first changes and up to `n` - 1 of the others, in different columns.

    Parameters
    ----------
    first : moves
        The smallest.
    others : sequence of moves
        All of which change the prediction.
    supports : array or None
        How many learned rows support a row with each of the others; None where that is not known.
    n : int
        How many are wanted.
    """
    chosen, left = [first], [*range(len(others))]
    while len(chosen) < n:
        taken = [columns_of(moves) for moves in chosen]
        left = [i for i in left if not any(t <= columns_of(others[i]) for t in taken)]
        if not left:
            break
        every = frozenset().union(*taken)
        best = min(left, key=lambda i: (_rank(supports, i), *_near(others[i], every)))
        chosen.append(others[best])
    return chosen


def _rank(supports: NDArray[np.float64] | None, i: int) -> bool:
    return supports is not None and bool(supports[i] < PLAUSIBLE)


def _near(moves: Moves, taken: frozenset[int]) -> tuple[int, float]:
    return len(columns_of(moves) & taken), size_of(moves)


def supports_of(row: MovedRow, trials: Sequence[Moves]) -> NDArray[np.float64] | None:
    """Return how many learned rows support each changed row; None if the model does not count."""
    if not trials or not isinstance(row.model.settings, EvidenceSettings):
        return None
    return row.model.supports(row.batch(trials), row.threads)
