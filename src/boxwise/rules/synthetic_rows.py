"""Synthetic rows, which a model labels so that rules can imitate it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boxwise.inputs import Batch

CHANGED = 0.3  # of the columns of a row


def synthetic_rows(batch: Batch, n: int, random: np.random.Generator) -> Batch:
    """Return `n` rows like those given: each one of them, some columns as in other rows.

    Parameters
    ----------
    batch : Batch
        The rows.
    n : int
        How many to make.
    random : Generator
        By which they are drawn.
    """
    base = random.integers(0, batch.n_rows, n)

    def mixed(columns: int) -> NDArray[np.intp]:
        others = random.integers(0, batch.n_rows, (n, columns))
        return np.where(random.random((n, columns)) < CHANGED, others, base[:, None])

    numbers, values = mixed(batch.lower.shape[1]), mixed(batch.codes.shape[1])
    along = np.arange(batch.lower.shape[1])
    lower = batch.lower[numbers, along]
    upper = lower if batch.upper is batch.lower else batch.upper[numbers, along]
    return Batch(lower, upper, batch.codes[values, np.arange(batch.codes.shape[1])], [])


def joined(first: Batch, second: Batch) -> Batch:
    """Return the rows of both."""
    lower = np.concatenate([first.lower, second.lower])
    points = first.upper is first.lower and second.upper is second.lower
    upper = lower if points else np.concatenate([first.upper, second.upper])
    return Batch(lower, upper, np.concatenate([first.codes, second.codes]), [])
