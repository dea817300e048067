"""Predicting with rules alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boxwise.inputs import Batch
from boxwise.rules.coverage import Coverage
from boxwise.rules.rule import Rule
from boxwise.schema import Schema


def deciding_rules(rules: Sequence[Rule], schema: Schema, batch: Batch) -> NDArray[np.intp]:
    """Return which rule decides each row.

    Of the rules that cover a row, the one with the lowest rank decides. Where none does, the
    nearest: the one of which the fewest conditions fail, then by the least, then of lowest rank.
    """
    order = np.array(sorted(range(len(rules)), key=lambda i: rules[i].rank), int)
    coverage = Coverage([rules[i].conditions for i in order], schema)
    decided = np.empty(batch.n_rows, int)
    for rows, part, bits in coverage.chunks(batch):
        chosen = np.where(bits.any(axis=0), bits.argmax(axis=0), -1)
        lost = np.flatnonzero(chosen < 0)
        if len(lost):
            chosen[lost] = coverage.nearest(part.part(lost))
        decided[rows] = order[chosen]
    return decided
