"""Predicting with rules alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boxwise.inputs import Batch
from boxwise.rules.coverage import Coverage
from boxwise.rules.rule import Rule
from boxwise.schema import Schema

Positions = NDArray[np.intp]


def deciding_rules(
    rules: Sequence[Rule], schema: Schema, batch: Batch
) -> tuple[Positions, Positions]:
    """Return which rule decides each row, and which of them covers it: -1 where none does.

    Of the rules that cover a row, the one with the lowest rank decides. Where none does, the
    nearest: the one of which the fewest conditions fail, then by the least, then of lowest rank.
    """
    order = np.array(sorted(range(len(rules)), key=lambda i: rules[i].rank))
    coverage = Coverage([rules[i].conditions for i in order], schema)
    first = np.full(batch.n_rows, -1)
    nearest = np.empty(batch.n_rows, int)
    for rows, part, bits in coverage.chunks(batch):
        some = bits.any(axis=0)
        chosen = bits.argmax(axis=0)
        first[rows] = np.where(some, order[chosen], -1)
        if not some.all():
            lost = np.flatnonzero(~some)
            alone = Batch(part.lower[lost], part.upper[lost], part.codes[lost], [])
            chosen[lost] = _nearest(coverage, alone)
        nearest[rows] = order[chosen]
    return nearest, first


def _nearest(coverage: Coverage, batch: Batch) -> Positions:
    failed, away = coverage.misses(batch)
    away[failed > failed.min(axis=0)] = np.inf
    nearest: Positions = away.argmin(axis=0)
    return nearest
