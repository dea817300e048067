"""Changes made as small as they can be, and then readable, as long as the prediction changes."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from boxwise.explain.counterfactuals.moves import Move, MovedRow, size_of

FINE = 1e-4  # of the range: how exactly a number is found
ROUND = 0.01  # of the range: how much further a number may go in order to be readable


@dataclass
class Bracket:
    """Moves of which one number may be smaller: at `inner` nothing changes, at the move all does.

    `whole` says that it must be a whole number.
    """

    moves: tuple[Move, ...]
    which: int
    inner: float
    whole: bool

    @property
    def move(self) -> Move:
        """The move that may be smaller."""
        return self.moves[self.which]

    def with_number(self, row: MovedRow, to: float) -> tuple[Move, ...]:
        """Return the moves with another number."""
        moves = [*self.moves]
        moves[self.which] = row.number(self.move.column, to)
        return tuple(moves)

    def middle(self) -> float:
        """Return the number halfway, by size a whole one if it must be."""
        half = (self.inner + self.move.to) / 2
        return float(np.trunc(half - self.inner) + self.inner) if self.whole else half

    def least(self, row: MovedRow) -> float:
        """Return below what size it cannot come."""
        return size_of(self.with_number(row, self.inner))


def shrink(row: MovedRow, brackets: list[Bracket], won: int) -> list[Bracket]:
    """Halve the brackets until they are fine, all in one go; those that cannot win are dropped."""
    done: list[Bracket] = []
    while brackets:
        best = min(size_of(bracket.moves) for bracket in [*brackets, *done])
        brackets = [
            bracket
            for bracket in brackets
            if bracket.least(row) < best or size_of(bracket.moves) == best
        ]
        fine = [_is_fine(row, bracket) for bracket in brackets]
        done += [bracket for bracket, ready in zip(brackets, fine, strict=True) if ready]
        brackets = [bracket for bracket, ready in zip(brackets, fine, strict=True) if not ready]
        if not brackets:
            break
        trials = [bracket.with_number(row, bracket.middle()) for bracket in brackets]
        for bracket, trial, flipped in zip(
            brackets, trials, row.flips(trials, won).tolist(), strict=True
        ):
            if flipped:
                bracket.moves = trial
            else:
                bracket.inner = trial[bracket.which].to
    return done


def _is_fine(row: MovedRow, bracket: Bracket) -> bool:
    middle = bracket.middle()
    if middle in (bracket.inner, bracket.move.to):
        return True
    measure = row.measures[bracket.move.column]
    return not bracket.whole and float(measure.share(bracket.inner, bracket.move.to)) < FINE


def rounded(row: MovedRow, bracket: Bracket, won: int) -> tuple[Move, ...]:
    """Return the moves with a readable number, a little further, if the model agrees."""
    trials = [
        bracket.with_number(row, to)
        for to in readable(
            row.start(bracket.move.column, bracket.move.to), bracket.move.to, bracket.whole
        )
    ]
    room = size_of(bracket.moves) + ROUND
    measure = row.measures[bracket.move.column]
    trials = [
        moves
        for moves in trials
        if size_of(moves) <= room and measure.low <= moves[bracket.which].to <= measure.high
    ]
    if trials:
        for moves, flipped in zip(trials, row.flips(trials, won).tolist(), strict=True):
            if flipped:
                return moves
    return bracket.moves


def readable(start: float, to: float, whole: bool) -> list[float]:
    """Return numbers with few digits just beyond `to`, as seen from `start`; the roundest first.

    Examples
    --------
    >>> readable(20.0, 33.7142, whole=False)
    [40.0, 35.0, 34.0, 33.8, 33.75, 33.72, 33.715, 33.7145, 33.7142]
    >>> readable(20.0, 133.2, whole=True)
    [200.0, 150.0, 140.0, 135.0, 134.0]
    """
    if to == start:
        return []
    away = ceil if to > start else floor
    top = floor(log10(abs(to - start)))
    steps = [
        step * 10.0**power
        for power in range(top, top - 6, -1)
        for step in (1.0, 0.5)
        if not whole or step * 10.0**power >= 1
    ]
    if whole:
        steps.append(1.0)
    # Divided by the inverse, so that 0.3 is 3 / 10 and not 3 * 0.1.
    found = [
        away(to / step) * step if step >= 1 else away(to * round(1 / step)) / round(1 / step)
        for step in steps
    ]
    return [*dict.fromkeys(found)]
