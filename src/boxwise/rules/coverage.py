"""The coverage of rules: which rows meet the conditions of which, for all rules at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from boxwise.inputs import Batch
from boxwise.rules.condition import Between, Condition, OneOf
from boxwise.schema import Schema

CELLS = 4_000_000  # rules × rows at a time

Bits = NDArray[np.bool_]


class Coverage:
    """The conditions of some rules as arrays, to be held against rows.

    Parameters
    ----------
    rules : sequence of sequences of conditions
        The conditions of each rule.
    schema : Schema
        The columns, with their ranges where distances are needed.
    """

    def __init__(self, rules: Sequence[Sequence[Condition]], schema: Schema) -> None:
        self.n_rules = len(rules)
        # Per column with a condition: which rules have one there, and what it is.
        self._numbers: list[tuple[int, float, list[int], NDArray[np.float64]]] = []
        self._sets: list[tuple[int, list[int], Bits]] = []
        by_column: dict[str, list[tuple[int, Condition]]] = {}
        for i, conditions in enumerate(rules):
            for condition in conditions:
                by_column.setdefault(condition.column, []).append((i, condition))
        for k, (j, name) in enumerate(zip(schema.numeric, schema.numeric_names, strict=True)):
            there = [(i, c) for i, c in by_column.get(name, ()) if isinstance(c, Between)]
            if there:
                ends = np.array([[c.lower, c.upper] for _, c in there])
                low, high = schema.columns[j].range or (0.0, 1.0)
                width = high - low if high > low else 1.0
                self._numbers.append((k, width, [i for i, _ in there], ends))
        for k, name in enumerate(schema.categorical_names):
            if name in by_column:
                codes = schema.vocabularies[k].codes
                table = np.array([_allowed(c, codes) for _, c in by_column[name]])
                self._sets.append((k, [i for i, _ in by_column[name]], table))

    def bits(self, batch: Batch) -> Bits:
        """Return rules × rows: whether all conditions hold."""
        held = np.ones((self.n_rules, batch.n_rows), bool)
        for rules, met in self._met(batch):
            held[rules] &= met
        return held

    def chunks(self, batch: Batch) -> Iterator[tuple[slice, Batch, Bits]]:
        """Yield `bits` for a part of the rows at a time, with the part and its rows."""
        size = max(1, CELLS // max(1, self.n_rules))
        for begin in range(0, batch.n_rows, size):
            rows = slice(begin, begin + size)
            part = batch.part(rows)
            yield rows, part, self.bits(part)

    def nearest(self, batch: Batch) -> NDArray[np.intp]:
        """Return, for each row, the rule of which the fewest conditions fail, and by the least.

        A number fails by its distance from the interval, as a share of the column's range, at most
        1; a category fails by 1. Of equal ones it is the first.
        """
        failed = np.zeros((self.n_rules, batch.n_rows), np.int16)
        for there, met in self._met(batch):
            failed[there] += ~met
        # By how much is asked only where it matters.
        rows, rules = np.nonzero((failed == failed.min(axis=0)).T)
        away = self._away(batch, rows, rules)
        first = np.searchsorted(rows, np.arange(batch.n_rows))
        least = np.repeat(np.minimum.reduceat(away, first), np.diff(first, append=len(rows)))
        best = np.flatnonzero(away == least)
        _, place = np.unique(rows[best], return_index=True)
        nearest: NDArray[np.intp] = rules[best[place]]
        return nearest

    def _away(
        self, batch: Batch, rows: NDArray[np.intp], rules: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return by how much the conditions of these rules fail for these rows, pair by pair."""
        away = np.zeros(len(rows))
        for k, width, there, ends in self._numbers:
            limits = np.tile([-np.inf, np.inf], (self.n_rules, 1))
            limits[there] = ends
            low, high = limits[rules].T
            out = np.maximum(low - batch.lower[rows, k], batch.upper[rows, k] - high)
            away += np.clip(np.nan_to_num(out / width), 0.0, 1.0)
        for k, there, table in self._sets:
            place = np.full(self.n_rules, len(table))
            place[there] = np.arange(len(table))
            anything = np.ones((1, table.shape[1]), bool)
            away += ~np.concatenate([table, anything])[place[rules], batch.codes[rows, k]]
        return away

    def _met(self, batch: Batch) -> Iterator[tuple[list[int], Bits]]:
        for k, _, rules, ends in self._numbers:
            # A missing number is neither below nor above anything.
            out = (batch.lower[:, k] < ends[:, :1]) | (batch.upper[:, k] > ends[:, 1:])
            yield rules, ~out
        for k, rules, table in self._sets:
            yield rules, table[:, batch.codes[:, k]]  # a value never seen, -1, is the last


def _allowed(condition: Condition, codes: dict[object, int]) -> Bits:
    """Return for each code, and at the end for a value never seen, whether it is allowed."""
    if isinstance(condition, Between):
        raise ValueError(f"column {condition.column!r} holds categories, not numbers: {condition}")
    wanted = isinstance(condition, OneOf)
    allowed = np.full(len(codes) + 1, not wanted)
    allowed[[codes[value] for value in condition.values if value in codes]] = wanted
    return allowed
