"""Values of a row changed, one or two at a time, and what the model says of it then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Model
from boxwise.explain.counterfactuals.measure import Measure
from boxwise.explain.row import Row
from boxwise.inputs import Batch


@dataclass(frozen=True)
class Move:
    """One column changed: a number to another, or a category to one with another code.

    Of an interval `to` is the end that leads the way; it keeps its width. `size` is the share of
    the range, or of the rows, that the number is moved by; 1 for a category or a missing value.
    """

    column: int  # the numbers first, then the categories
    to: float
    size: float


@dataclass
class MovedRow:
    """A row of which changed copies are shown to a model."""

    model: Model
    row: Row
    measures: Sequence[Measure]
    threads: int = 1
    shown: int = field(default=0, init=False)  # copies so far

    def start(self, j: int, to: float) -> float:
        """Return the end of a number that goes ahead when it moves towards `to`."""
        return float(self.row.upper[j] if to >= self.row.upper[j] else self.row.lower[j])

    def number(self, j: int, to: float) -> Move:
        """Return the move of a number; one that is missing gets a value."""
        start = self.start(j, to)
        size = 1.0 if np.isnan(start) else float(self.measures[j].share(to, start))
        return Move(j, to, size)

    def bounds(self, move: Move) -> tuple[float, float]:
        """Return the number that a move leads to, as an interval."""
        low, high = float(self.row.lower[move.column]), float(self.row.upper[move.column])
        if np.isnan(low) or low == high:
            return move.to, move.to
        if move.to >= high:
            return move.to - (high - low), move.to
        return move.to, move.to + (high - low)

    def batch(self, trials: Sequence[Sequence[Move]]) -> Batch:
        """Return a copy of the row for each of the trials, changed by its moves."""
        n = len(self.row.lower)
        lower = np.tile(self.row.lower, (len(trials), 1))
        upper = np.tile(self.row.upper, (len(trials), 1))
        codes = np.tile(self.row.codes, (len(trials), 1))
        for i, moves in enumerate(trials):
            for move in moves:
                if move.column < n:
                    lower[i, move.column], upper[i, move.column] = self.bounds(move)
                else:
                    codes[i, move.column - n] = int(move.to)
        self.shown += len(trials)
        return Batch(lower, upper, codes, [[] for _ in self.row.codes])

    def probabilities(self, trials: Sequence[Sequence[Move]]) -> NDArray[np.float64]:
        """Return what the model says of each trial: trials × classes; the largest is predicted."""
        return self.model.probabilities(self.batch(trials), self.threads)

    def flips(self, trials: Sequence[Sequence[Move]], won: int) -> NDArray[np.bool_]:
        """Return which trials the model predicts as another class."""
        flipped: NDArray[np.bool_] = self.model.predict(self.batch(trials), self.threads) != won
        return flipped


def size_of(moves: Sequence[Move]) -> float:
    """Return how large moves are together."""
    return sum(move.size for move in moves)
