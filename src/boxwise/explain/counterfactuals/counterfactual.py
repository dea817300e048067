"""The smallest change of one or two columns that changes a prediction; the model has the last word.

In each column a bounded number of values is tried: bounds of boxes of other classes, categories
that occur in them, and the values at which the curve of the column, if it has one, may be largest.
What is found is the smallest among these, made smaller by halving; there may be a smaller one that
was not tried. Further ones, if they are wanted, change other columns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Model
from boxwise.explain.box_arrays import BoxArrays
from boxwise.explain.counterfactuals.alternatives import Moves, columns_of, diverse, supports_of
from boxwise.explain.counterfactuals.candidates import Candidates
from boxwise.explain.counterfactuals.moves import Move, MovedRow, size_of
from boxwise.explain.counterfactuals.shrinking import Bracket, rounded, shrink
from boxwise.explain.explanation import Change, Counterfactual
from boxwise.explain.row import Row, interval

PAIRED = 12  # columns of which pairs are tried
EACH = 3  # values of each of them
SHRUNK = 8  # pairs that are made smaller


class Search:
    """Looks for such changes in rows that a model predicts.

    Parameters
    ----------
    model : Model
        The model.
    fixed : collection of str or int
        The columns, by name or position, that are not to be changed.
    threads : int
        To predict with.
    wanted : int
        How many to look for; each after the first changes other columns.
    """

    def __init__(
        self,
        model: Model,
        fixed: Collection[str | int] = (),
        threads: int = 1,
        wanted: int = 1,
    ) -> None:
        self._model, self._threads, self._wanted = model, threads, wanted
        self._arrays = BoxArrays(model)
        self._candidates = Candidates(model, self._arrays, fixed)

    def find(self, row: Row, won: int) -> tuple[tuple[Counterfactual, ...], str | None]:
        """Return the smallest change that was found, and others; why they are fewer than wanted."""
        if len(self._arrays.members) < 2:
            return (), "the model knows no other class"
        if not self._candidates.columns:
            return (), "all columns are fixed"
        moved = MovedRow(self._model, row, self._arrays.measures, self._threads)
        moves = self._candidates.moves(moved, won)
        if not moves:
            return (), "the columns that may change have no other value to try"
        p = moved.probabilities([(move,) for move in moves])
        first = self._single(moved, moves, p, won) or self._pair(moved, moves, p, won)
        if first is None:
            return (), f"none of the {moved.shown:,} changes tried leads to another class"
        found = [first]
        if self._wanted > 1:
            others = self._others(moved, moves, p, won)
            found = diverse(first, others, supports_of(moved, others), self._wanted)
        why_not = None
        if len(found) < self._wanted:
            why_not = f"none of the {moved.shown:,} changes tried does so in other columns"
        return self._counterfactuals(moved, found, won), why_not

    def _single(
        self, row: MovedRow, moves: Sequence[Move], probabilities: NDArray[np.float64], won: int
    ) -> tuple[Move, ...] | None:
        """Return the smallest move that changes the prediction, as small as it can be."""
        flipped = probabilities.argmax(axis=1) != won
        if not flipped.any():
            return None
        lone = [  # all of size 1: the most convincing first
            (moves[i],)
            for i in np.argsort(probabilities[:, won], kind="stable").tolist()
            if flipped[i] and not self._may_shrink(row, moves[i])
        ]
        shrunk = shrink(row, self._nearest(row, moves, flipped), won)
        numbers = [rounded(row, bracket, won) for bracket in _smallest(shrunk)]
        return min([*numbers, *lone], key=size_of)

    def _others(
        self, row: MovedRow, moves: Sequence[Move], probabilities: NDArray[np.float64], won: int
    ) -> list[Moves]:
        """Return small changes of single columns, and of pairs in which neither is enough."""
        flipped = probabilities.argmax(axis=1) != won
        enough = {move.column for move, flips in zip(moves, flipped.tolist(), strict=True) if flips}
        found: list[Moves] = [
            (moves[i],)
            for i in np.argsort(probabilities[:, won], kind="stable").tolist()
            if flipped[i] and not self._may_shrink(row, moves[i])
        ]
        sides: dict[int, list[Bracket]] = {}
        for bracket in sorted(self._nearest(row, moves, flipped), key=lambda b: b.move.size):
            sides.setdefault(bracket.move.column, []).append(bracket)
        for brackets in [*sides.values()][:PAIRED]:
            found += [rounded(row, bracket, won) for bracket in shrink(row, brackets, won)]
        kept = [i for i, move in enumerate(moves) if move.column not in enough]
        if kept:
            pairs = self._pairs(row, [moves[i] for i in kept], probabilities[kept], won)
            best: dict[frozenset[int], Moves] = {}
            for pair in pairs:
                best.setdefault(columns_of(pair), pair)
            found += [self._smaller(row, pair, won) for pair in [*best.values()][:PAIRED]]
        return found

    def _may_shrink(self, row: MovedRow, move: Move) -> bool:
        """Return whether there is something between a value and the one it is moved to."""
        j = move.column
        return j < self._arrays.n_numbers and not np.isnan(row.row.lower[j])

    def _nearest(
        self, row: MovedRow, moves: Sequence[Move], flipped: NDArray[np.bool_]
    ) -> list[Bracket]:
        """Return, for each number and each direction, the nearest that changes the prediction."""
        found = []
        sides: dict[tuple[int, bool], list[tuple[Move, bool]]] = {}
        for move, flips in zip(moves, flipped.tolist(), strict=True):
            if self._may_shrink(row, move):
                up = bool(move.to > row.row.upper[move.column])
                sides.setdefault((move.column, up), []).append((move, flips))
        for tried in sides.values():
            tried.sort(key=lambda one: one[0].size)
            first = next((i for i, (_, flips) in enumerate(tried) if flips), None)
            if first is not None:
                move = tried[first][0]
                inner = tried[first - 1][0].to if first else row.start(move.column, move.to)
                found.append(self._bracket(row, (move,), 0, inner))
        return found

    def _bracket(self, row: MovedRow, moves: tuple[Move, ...], which: int, inner: float) -> Bracket:
        j, ends = moves[which].column, (inner, moves[which].to)
        both = (*ends, float(row.row.lower[j]), float(row.row.upper[j]))
        return Bracket(
            moves, which, inner, self._candidates.whole[j] and all(x.is_integer() for x in both)
        )

    def _pair(
        self, row: MovedRow, moves: Sequence[Move], probabilities: NDArray[np.float64], won: int
    ) -> tuple[Move, ...] | None:
        """Return the smallest pair found among the moves that came closest alone."""
        found = self._pairs(row, moves, probabilities, won)[:SHRUNK]
        if not found:
            return None
        return min((self._smaller(row, pair, won) for pair in found), key=size_of)

    def _pairs(
        self, row: MovedRow, moves: Sequence[Move], probabilities: NDArray[np.float64], won: int
    ) -> list[Moves]:
        """Return the pairs that change the prediction, of moves that came closest, by size."""
        gain = np.delete(probabilities, won, axis=1).max(axis=1) - probabilities[:, won]
        by_column: dict[int, list[Move]] = {}
        for i in np.argsort(-gain, kind="stable").tolist():
            of_column = by_column.setdefault(moves[i].column, [])
            if len(of_column) < EACH:
                of_column.append(moves[i])
        columns = [*by_column.values()][:PAIRED]
        pairs = [pair for a, b in combinations(columns, 2) for pair in product(a, b)]
        if not pairs:
            return []
        flips = row.flips(pairs, won).tolist()
        return sorted((pair for pair, yes in zip(pairs, flips, strict=True) if yes), key=size_of)

    def _smaller(self, row: MovedRow, moves: tuple[Move, ...], won: int) -> tuple[Move, ...]:
        """Return a pair with each of its numbers, one after the other, as close as can be."""
        for which in sorted((0, 1), key=lambda i: -moves[i].size):
            move = moves[which]
            if self._may_shrink(row, move):
                bracket = self._bracket(row, moves, which, row.start(move.column, move.to))
                (bracket,) = shrink(row, [bracket], won)
                moves = rounded(row, bracket, won)
        return moves

    def _counterfactuals(
        self, row: MovedRow, found: Sequence[Moves], won: int
    ) -> tuple[Counterfactual, ...]:
        probabilities = row.probabilities(found)
        predicted = row.model.predict(row.batch(found), self._threads).tolist()
        supports = supports_of(row, found)
        assert won not in predicted, "every change is one that the model has answered"
        return tuple(
            Counterfactual(
                tuple(self._change(row, move) for move in moves),
                self._model.labels.values[now],
                float(probabilities[i, now]),
                size_of(moves),
                None if supports is None else float(supports[i]),
            )
            for i, (moves, now) in enumerate(zip(found, predicted, strict=True))
        )

    def _change(self, row: MovedRow, move: Move) -> Change:
        n, name = self._arrays.n_numbers, self._arrays.names[move.column]
        old = row.row.values[move.column]
        if move.column < n:
            return Change(name, old, interval(*row.bounds(move)))
        return Change(
            name, old, self._model.schema.vocabularies[move.column - n].values[int(move.to)]
        )


def _smallest(brackets: Sequence[Bracket]) -> list[Bracket]:
    """Return the best of them, and those that are hardly larger."""
    return sorted(brackets, key=lambda bracket: size_of(bracket.moves))[:2]
