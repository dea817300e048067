"""What boxes say by evidence, in NumPy, term by term: to try variants before the engine has them.

`Held` is the boxes as they are after each row of a replay, with the sums that variants need. It
gives what `boxwise.reference.evidence` gives, for points without missing values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np


class Rows:
    """A table of points: numbers scaled by their ranges in training, categories and classes coded.

    Columns with one number only say nothing and are left out.
    """

    def __init__(self, X: Any, y: Any, categorical: list[int], train: Any) -> None:
        numbers = np.delete(X, categorical, axis=1).astype(float)
        low, high = numbers[train].min(axis=0), numbers[train].max(axis=0)
        places = [j for j in range(X.shape[1]) if j not in categorical]
        self.ranges = {j: (low[k], high[k]) for k, j in enumerate(places)}
        wide = high > low
        self.numbers = (numbers[:, wide] - low[wide]) / (high - low)[wide]
        if np.isnan(self.numbers).any():
            raise ValueError("a number is missing, which this code does not know")
        coded = [np.unique(X[:, j].astype(str), return_inverse=True) for j in categorical]
        self.codes = np.stack([codes for _, codes in coded], axis=1)
        self.n_values = [len(values) for values, _ in coded]
        self.classes = np.unique(y[train])
        place = {label: k for k, label in enumerate(self.classes)}
        self.y = np.array([place.get(label, -1) for label in y])


class Asked(NamedTuple):
    """What is known of one row and all boxes: logarithms of the factors, a column each."""

    row: int
    logs: Any  # boxes: log(n) and all terms
    size: Any  # boxes: log(n)
    label: Any  # boxes
    numbers: Any  # boxes by columns
    categories: Any  # boxes by columns
    counts: Any  # boxes by columns: how often the value of the row was seen
    shares: Any  # boxes by columns: the share of the value in the class


class Held:
    """Boxes that take rows one after the other, as told."""

    def __init__(self, rows: Rows, most: int) -> None:
        p, q, k = rows.numbers.shape[1], rows.codes.shape[1], len(rows.classes)
        self.rows, self.n_boxes, self.columns = rows, 0, np.arange(q)
        self.V, self.W = np.full((most, p), np.inf), np.full((most, p), -np.inf)
        self.n, self._label = np.zeros(most), np.zeros(most, int)
        self.sums, self.squares = np.zeros((most, p)), np.zeros((most, p))
        self._counts = np.zeros((most, q, max(rows.n_values)))
        self.seen = np.zeros((k, q, max(rows.n_values)))
        self.rows_of = np.zeros(k)
        self.members: list[list[int]] = []

    def take(self, i: int, box: int) -> None:
        """Let a box take row `i`; a box that is not there yet is new."""
        if box == self.n_boxes:
            self.n_boxes += 1
            self._label[box] = self.rows.y[i]
            self.members.append([])
        self.members[box].append(i)
        x = self.rows.numbers[i]
        self.V[box], self.W[box] = np.minimum(self.V[box], x), np.maximum(self.W[box], x)
        self._count(i, box, 1)

    def drop(self, i: int, box: int) -> None:
        """Undo what `take` did; a box without rows keeps its place and says nothing."""
        self.members[box].remove(i)
        if self.members[box]:
            others = self.rows.numbers[self.members[box]]
            self.V[box], self.W[box] = others.min(axis=0), others.max(axis=0)
        self._count(i, box, -1)

    def _count(self, i: int, box: int, sign: int) -> None:
        x, codes, label = self.rows.numbers[i], self.rows.codes[i], self._label[box]
        self.n[box] += sign
        self.sums[box] += sign * x
        self.squares[box] += sign * x * x
        self._counts[box, self.columns, codes] += sign
        self.seen[label, self.columns, codes] += sign
        self.rows_of[label] += sign

    @property
    def label(self) -> Any:
        """The class of each box."""
        return self._label[: self.n_boxes]

    def ask(self, i: int, h: float, a: float) -> Asked:
        """Return what the boxes say of row `i`, uniform within and with tails."""
        counts, shares = self.counts_and_shares(i)
        with np.errstate(divide="ignore"):
            size = np.log(self.n[: self.n_boxes])
        numbers, categories = self.even(i, h), self.categories(counts, shares, a)
        logs = size + numbers.sum(axis=1) + categories.sum(axis=1)
        return Asked(i, logs, size, self.label, numbers, categories, counts, shares)

    def even(self, i: int, h: float) -> Any:
        """Return the terms of the numbers: even within the box, with tails."""
        V, W, x = self.V[: self.n_boxes], self.W[: self.n_boxes], self.rows.numbers[i]
        return -np.maximum(np.maximum(x - W, V - x), 0) / h - np.log(W - V + 2 * h)

    def normal(self, i: int, h: float) -> Any:
        """Return the terms of the numbers: a Gaussian, no narrower than h."""
        n = np.maximum(self.n[: self.n_boxes, None], 1)
        mean = self.sums[: self.n_boxes] / n
        variance = np.maximum(self.squares[: self.n_boxes] / n - mean * mean, h * h)
        away = self.rows.numbers[i] - mean
        return -0.5 * (away * away / variance + np.log(2 * np.pi * variance))

    def counts_and_shares(self, i: int) -> tuple[Any, Any]:
        """Return how often boxes have seen the values of row `i`, and their shares in the class."""
        codes = self.rows.codes[i]
        counts = self._counts[: self.n_boxes, self.columns, codes]
        known = (self.seen.sum(axis=0) > 0).sum(axis=1)
        seen = self.seen[:, self.columns, codes] + 1 / (known + 1)
        return counts, (seen / (self.rows_of[:, None] + 1))[self.label]

    def categories(self, counts: Any, shares: Any, a: Any) -> Any:
        """Return the terms of the categories; one backoff, or one a column."""
        return np.log((counts + a * shares) / (self.n[: self.n_boxes, None] + a))


def replay(rows: Rows, taken: Iterable[tuple[int, int]]) -> Held:
    """Return the boxes after all rows."""
    taken = [*taken]
    held = Held(rows, len(taken))
    for i, box in taken:
        held.take(i, box)
    return held


def class_scores(logs: Any, label: Any, n_classes: int) -> tuple[Any, Any]:
    """Return log(sum of exp) by class, and the part that each box has in it."""
    most = np.full(n_classes, -np.inf)
    np.maximum.at(most, label, logs)
    most[most == -np.inf] = 0.0  # a class without a box, or with empty ones only
    parts = np.exp(logs - most[label])
    total = np.bincount(label, parts, n_classes)
    with np.errstate(divide="ignore"):
        scores = np.log(total) + most
    return scores, parts / np.maximum(total, 1e-300)[label]


def softmax(logits: Any) -> Any:
    """Return probabilities, of the last axis."""
    parts = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return parts / parts.sum(axis=-1, keepdims=True)
