"""Rows to compare with, drawn from the boxes of a model, which keeps no learned rows itself."""

from __future__ import annotations

import numpy as np

from boxwise.core import Model
from boxwise.explain.box_arrays import BoxArrays
from boxwise.inputs import Batch

SEED = 0


def rows_of_boxes(model: Model, n: int) -> Batch:
    """Return `n` rows like those that the current boxes have learned, always the same ones.

    Each box is drawn as often as its rows are of all rows (systematic sampling over the boxes in
    order of class); a number is uniform within the interval, a category as frequent as in the box.
    Columns are independent within a box.
    """
    boxes = BoxArrays(model)
    random = np.random.RandomState(SEED)
    present = np.flatnonzero(boxes.present)
    present = present[np.argsort(boxes.label[present], kind="stable")]
    ends = np.cumsum(boxes.n[present].astype(np.float64))
    at = (np.arange(n) + 0.5) / n * ends[-1]
    drawn = present[np.minimum(np.searchsorted(ends, at, side="right"), len(present) - 1)]
    low, high = boxes.V[drawn], boxes.W[drawn]
    numbers = np.clip(low + random.random_sample(low.shape) * (high - low), low, high)
    codes = np.zeros((n, boxes.n_categories), np.int32)
    for j in range(boxes.n_categories):
        counts = np.array([boxes.count(j, code)[drawn] for code in range(boxes.n_values(j))])
        shares = np.cumsum(counts, axis=0)
        below = shares <= random.random_sample(n) * shares[-1]
        codes[:, j] = np.minimum(below.sum(axis=0), len(shares) - 1)
    return Batch(numbers, numbers, codes, [[] for _ in range(boxes.n_categories)])
