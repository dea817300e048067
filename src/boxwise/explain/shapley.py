"""Shapley values of one row against one background row: which hybrids to evaluate, how to add up.

A hybrid takes some columns from the row and the others from the background row. Columns in which
the two are equal get 0 and need no hybrids (null players). With s columns that differ the values
are exact, from all 2**s hybrids, or the mean over orders of the columns: each order adds the
columns one by one, and a column gets what the score changes by. Orders come in pairs, one the
reverse of the other (antithetic sampling). In both cases the values sum to the difference of the
two scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]  # hybrids × columns: whether the value is that of the row


@dataclass(frozen=True)
class Exact:
    """All hybrids of `s` columns."""

    masks: Masks
    weights: Floats  # columns × hybrids

    def values(self, scores: Floats) -> Floats:
        """Return columns × outputs, from the scores of the hybrids (hybrids × outputs)."""
        return self.weights @ scores


@dataclass(frozen=True)
class Sampled:
    """The hybrids along some orders of the columns, from the background row to the row."""

    masks: Masks
    orders: NDArray[np.intp]  # orders × columns

    def values(self, scores: Floats) -> Floats:
        """Return columns × outputs, from the scores of the hybrids (hybrids × outputs)."""
        n_orders, s = self.orders.shape
        steps = np.diff(scores.reshape(n_orders, s + 1, -1), axis=1)
        places = np.argsort(self.orders, axis=1)  # of each column in each order
        mean: Floats = np.take_along_axis(steps, places[:, :, None], axis=1).mean(axis=0)
        return mean


@lru_cache(maxsize=32)
def exact(s: int) -> Exact:
    """Return the plan for `s` columns that needs 2**s hybrids."""
    masks = (np.arange(2**s)[:, None] >> np.arange(s)) % 2 == 1
    size = masks.sum(axis=1)
    joins = np.array([1 / (s * comb(s - 1, max(k - 1, 0))) for k in range(s + 1)])[size]
    leaves = np.array([1 / (s * comb(s - 1, min(k, s - 1))) for k in range(s + 1)])[size]
    return Exact(masks, np.where(masks, joins[:, None], -leaves[:, None]).T)


def sampled(s: int, pairs: int, seed: int) -> Sampled:
    """Return the plan for `s` columns with so many pairs of orders, drawn from the seed."""
    random = np.random.RandomState(seed)  # draws the same with every version of NumPy
    drawn = np.array([random.permutation(s) for _ in range(pairs)])
    orders = np.concatenate([drawn, drawn[:, ::-1]])
    places = np.argsort(orders, axis=1)
    masks = places[:, None, :] < np.arange(s + 1)[None, :, None]
    return Sampled(masks.reshape(-1, s), orders)
