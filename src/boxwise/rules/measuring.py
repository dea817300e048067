"""Counts of the rows that rules cover and decide, and of those decided correctly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boxwise.inputs import Batch
from boxwise.rules.coverage import Coverage
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
    if not rules:
        return []
    known = np.flatnonzero(labels >= 0)
    batch, labels = batch.part(known), labels[known]
    # In the order in which they decide: the first that covers a row does.
    order = np.array(sorted(range(len(rules)), key=lambda i: rules[i].rank), int)
    wanted = np.asarray(codes, dtype=np.int64)[order, None]
    counts = np.zeros((4, len(rules)), np.int64)
    for rows, _, bits in Coverage([rules[i].conditions for i in order], schema).chunks(batch):
        right = bits & (labels[rows] == wanted)
        some = np.flatnonzero(bits.any(axis=0))
        first = bits.argmax(axis=0)[some]
        good = first[right[first, some]]
        counts[:, order] += [
            bits.sum(axis=1),
            right.sum(axis=1),
            np.bincount(first, minlength=len(rules)),
            np.bincount(good, minlength=len(rules)),
        ]
    numbers = counts.T.tolist()
    return [
        replace(rule, covered=c, right=r, decided=d, decided_right=dr)
        for rule, (c, r, d, dr) in zip(rules, numbers, strict=True)
    ]
