"""How many rows rules cover and decide, and how many of them rightly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boxwise.inputs import Batch
from boxwise.rules.coverage import Coverage
from boxwise.rules.deciding import deciding_rules
from boxwise.rules.rule import Rule
from boxwise.schema import Schema


def measured(
    rules: Sequence[Rule],
    schema: Schema,
    batch: Batch,
    labels: NDArray[np.int32],
    codes: Sequence[int],
) -> list[Rule]:
    """Return the rules with their numbers on these rows.

    Parameters
    ----------
    labels : array of int
        The class of each row; -1 is none, and such a row does not count.
    codes : sequence of int
        The class of each rule.
    """
    known = np.flatnonzero(labels >= 0)
    batch = Batch(batch.lower[known], batch.upper[known], batch.codes[known], [])
    labels = labels[known]
    wanted = np.asarray(codes, dtype=np.int64)[:, None]
    covered, right = np.zeros((2, len(rules)), np.int64)
    for rows, _, bits in Coverage([r.conditions for r in rules], schema).chunks(batch):
        covered += bits.sum(axis=1)
        right += (bits & (labels[rows] == wanted)).sum(axis=1)
    _, first = deciding_rules(rules, schema, batch)
    decided = np.bincount(first[first >= 0], minlength=len(rules))
    good = first[(first >= 0) & (labels == wanted[first, 0])]
    decided_right = np.bincount(good, minlength=len(rules))
    numbers = zip(*(a.tolist() for a in (covered, right, decided, decided_right)), strict=True)
    return [
        replace(rule, covered=c, right=r, decided=d, decided_right=dr)
        for rule, (c, r, d, dr) in zip(rules, numbers, strict=True)
    ]
