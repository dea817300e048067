"""Candidates for conditions: the ends of boxes' intervals, and the values of categories.

All are held against all rows once, so that a search only adds up numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Boxes
from boxwise.inputs import Batch
from boxwise.rules.condition import Between, Condition, NoneOf, OneOf
from boxwise.rules.round_numbers import roundest
from boxwise.schema import Schema

MOST_ENDS = 24  # per column
MOST_VALUES = 64  # per column, the most frequent ones

Bits = NDArray[np.bool_]


@dataclass(frozen=True)
class Pick:
    """A part of a condition on one column.

    Attributes
    ----------
    column : int
        Its position in the schema.
    lower, upper : float
        For numbers.
    values : frozenset of int
        For categories: codes.
    negated : bool
        Whether the values are those that are excluded.
    """

    column: int
    lower: float = -inf
    upper: float = inf
    values: frozenset[int] = frozenset()
    negated: bool = False


class Candidates:
    """Single picks on the rows that a search looks at: ends of intervals, and single values.

    Attributes
    ----------
    picks : list of Pick
        What there is.
    column : array of int
        The column of each.
    bits : array of bool, of shape (picks, rows)
        Whether a row meets it.
    numbers : array of float32, of shape (rows, picks)
        The same to calculate with: a few rows of it are taken often.
    starts, sizes : arrays of int
        Where the single values of each categorical column begin, and how many there are; they come
        last.
    """

    def __init__(self, schema: Schema, boxes: Boxes, batch: Batch) -> None:
        self.schema = schema
        self.picks: list[Pick] = []
        held: list[Bits] = []
        for k, j in enumerate(schema.numeric):
            seen = np.concatenate([boxes.lower[:, k], boxes.upper[:, k]])
            for pick in _ends(j, seen, batch.lower[:, k], batch.upper[:, k]):
                # A missing number meets both: it is neither below nor above.
                out = (batch.lower[:, k] < pick.lower) | (batch.upper[:, k] > pick.upper)
                if out.any() and not out.all():
                    self.picks.append(pick)
                    held.append(~out)
        groups: list[tuple[int, int]] = []
        for k, j in enumerate(schema.categorical):
            begin = len(self.picks)
            codes = batch.codes[:, k]
            counts = np.bincount(codes[codes >= 0], minlength=1)
            frequent = [c for c in np.argsort(-counts, kind="stable").tolist() if counts[c]]
            for code in sorted(frequent[:MOST_VALUES]):
                self.picks.append(Pick(j, values=frozenset([code])))
                held.append(codes == code)
            if len(self.picks) > begin:
                groups.append((begin, len(self.picks) - begin))
        self.starts, self.sizes = np.array(groups, np.int64).reshape(len(groups), 2).T
        self.column = np.array([pick.column for pick in self.picks], np.int64)
        shape = (len(held), batch.n_rows)
        self.bits = np.array(held, bool).reshape(shape)
        self.numbers = np.ascontiguousarray(self.bits.T, np.float32)

    def rows_of(self, pick: Pick, place: int | None) -> Bits:
        """Return which rows meet a pick; `place` is where it stands, if it is a single one."""
        met: Bits
        if place is not None:
            met = self.bits[place]
            return met
        places = np.flatnonzero(self.column == pick.column).tolist()
        listed = [i for i in places if self.picks[i].values <= pick.values]
        met = np.asarray(self.bits[listed].any(axis=0))
        return ~met if pick.negated else met

    def conditions(self, picks: tuple[Pick, ...]) -> tuple[Condition, ...]:
        """Return what several picks come to, a condition per column, in the order of picks."""
        of_column: dict[int, list[Pick]] = {}
        for pick in picks:
            of_column.setdefault(pick.column, []).append(pick)
        return tuple(self._condition(j, of_column[j]) for j in of_column)

    def _condition(self, j: int, picks: list[Pick]) -> Condition:
        column = self.schema.columns[j]
        if column.vocabulary is None:
            lower, upper = max(p.lower for p in picks), min(p.upper for p in picks)
            return Between(column.name, lower, upper)
        excluded = frozenset[int]().union(*(p.values for p in picks if p.negated))
        listed = [p.values for p in picks if not p.negated]
        allowed = frozenset(range(len(column.vocabulary))).intersection(*listed) - excluded
        rest = frozenset(range(len(column.vocabulary))) - allowed
        values = column.vocabulary.values
        # The shorter of the two: they differ only in values that were never seen.
        if not allowed or len(rest) < len(allowed):
            return NoneOf(column.name, tuple(values[c] for c in sorted(rest)))
        return OneOf(column.name, tuple(values[c] for c in sorted(allowed)))


def _ends(
    j: int, seen: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> list[Pick]:
    """Return picks at ends of boxes, spread evenly over the rows, as round as rows allow."""
    values = np.unique(np.concatenate([seen, lower, upper]))
    values = values[~np.isnan(values)]
    ends = np.unique(seen[~np.isnan(seen)])
    if len(ends) > MOST_ENDS:
        known = np.concatenate([lower, upper])
        shares = np.linspace(0, 1, MOST_ENDS)
        wanted = np.quantile(known[~np.isnan(known)], shares, method="nearest")
        ends = np.unique(ends[np.searchsorted(ends, wanted).clip(0, len(ends) - 1)])
    picks = []
    for end in ends.tolist():
        place = int(np.searchsorted(values, end))
        if place + 1 < len(values):
            picks.append(Pick(j, upper=roundest(end, float(values[place + 1]))))
        if place > 0:
            picks.append(Pick(j, lower=-roundest(-end, -float(values[place - 1]))))
    return picks
