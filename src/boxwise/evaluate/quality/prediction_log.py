"""Predictions on a stream, in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from boxwise.evaluate.confusion import Confusion
from boxwise.evaluate.quality.assessment import Assessment, Plan, assessed
from boxwise.evaluate.quality.figures import Figures, class_aucs, from_counts
from boxwise.evaluate.quality.predictions import (
    Floats,
    GroupColumn,
    Predictions,
    group_name,
    log_losses,
    sorted_labels,
    squared_errors,
)
from boxwise.evaluate.quality.resampling import N_BLOCKS, Bootstrap

MOST_ROWS = 100_000
MOST_CELLS = 4_000_000  # rows x classes: 32 MB of probabilities
MOST_GROUPS = 50  # of a column
OTHER_GROUPS = "other values"

Shares = Mapping[Hashable, float]  # the probability of each class


class PredictionLog:
    """Predictions on a stream: exact sums, and a bounded number of rows.

    Log-loss and Brier score are sums over all rows, and so is the confusion matrix, which its owner
    counts. The rows themselves are held up to `MOST_ROWS` (fewer with many classes, at most
    `MOST_CELLS` probabilities); of more rows a uniform random sample is held (bottom-k sampling:
    every row draws a number, those with the smallest are kept). Results are those of the last
    `note`, so that a run that is interrupted between two steps has those of a whole step.

    Parameters
    ----------
    window : int
        The number of latest rows of the recent means.
    columns : sequence of str
        The names of the columns that divide rows into groups.
    has_probabilities : bool
        Whether the learner gives probabilities.
    most_rows : int
        The number of rows to hold.
    seed : int
        The random seed of the sample.
    """

    def __init__(
        self,
        window: int,
        columns: Sequence[str],
        *,
        has_probabilities: bool = True,
        most_rows: int = MOST_ROWS,
        seed: int = 0,
    ) -> None:
        self._columns, self._most_rows, self._seed = columns, most_rows, seed
        self.has_probabilities = has_probabilities
        self._random = np.random.default_rng(seed)
        self._places: dict[Hashable, int] = {}  # of the classes, in order of appearance
        self._groups: list[dict[Hashable, int]] = [{} for _ in columns]
        self._sums = np.zeros(2)  # log-loss, squared error
        self._recent: deque[tuple[float, float]] = deque(maxlen=window)
        self._blocks: list[_Block] = []
        self._held = self._read = 0
        self._noted_sums, self._noted_counts = np.zeros(2), Confusion()
        self.rows = 0  # up to the last note

    def add(
        self,
        truth: Sequence[Hashable],
        predicted: Sequence[Hashable],
        shares: Sequence[Shares],
        groups: Sequence[Sequence[Any]],
    ) -> None:
        """Take the next rows.

        Parameters
        ----------
        truth, predicted : sequence of labels
            Their classes, and those predicted for them.
        shares : sequence of mappings
            Their probabilities by class; empty for a learner that gives none.
        groups : sequence of sequences
            Their values in each group column.
        """
        for label in (*truth, *predicted, *(label for share in shares for label in share)):
            self._places.setdefault(label, len(self._places))
        true, chosen = self._codes(truth), self._codes(predicted)
        p = np.empty((len(true), 0))
        if self.has_probabilities:
            p = _probabilities(shares, self._places)
            scores = np.stack([log_losses(p, true), squared_errors(p, true)])
            self._sums += scores.sum(axis=1)
            self._recent.extend(zip(*scores.tolist(), strict=True))
        group_codes = np.empty((len(true), len(self._columns)), np.int32)
        for j, column in enumerate(groups):
            group_codes[:, j] = [self._group_code(j, value) for value in column]
        number = np.arange(self._read, self._read + len(true))
        drawn = self._random.random(len(true))
        self._blocks.append(_Block(true, chosen, p, group_codes, drawn, number))
        self._held += len(true)
        self._read += len(true)
        if self._held > 2 * self._capacity:
            self._sample()

    def note(self, confusion: Confusion) -> None:
        """Take all rows so far for what is known; `confusion` has counted them."""
        self.rows = self._read
        self._noted_sums = self._sums.copy()
        self._noted_counts = confusion.copy()

    def means(self) -> tuple[float, float]:
        """Return log-loss and Brier score over all rows."""
        if not self.rows or not self.has_probabilities:
            return np.nan, np.nan
        return self._scaled(*(self._noted_sums / self.rows).tolist())

    def recent_means(self) -> tuple[float, float]:
        """Return log-loss and Brier score over the latest rows."""
        return self._scaled(*np.mean(self._recent, axis=0)) if self._recent else (np.nan, np.nan)

    def auc(self) -> float:
        """Return the macro AUC of the rows that are held."""
        if not self.rows or not self.has_probabilities:
            return float("nan")
        predictions = self.predictions()
        aucs = class_aucs(predictions, np.ones(len(predictions)))
        return float(np.nanmean(aucs)) if not np.isnan(aucs).all() else float("nan")

    def predictions(self) -> Predictions:
        """Return the rows that are held, at least one, in the order of the stream."""
        if self._held > self._capacity:
            self._sample()
        block = self._joined()
        if self._read > self.rows:
            block = block.part(np.flatnonzero(block.number < self.rows))
        labels = sorted_labels(self._places)
        order = np.array([self._places[label] for label in labels])
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order))
        groups = {
            name: GroupColumn([*self._groups[j]], block.groups[:, j])
            for j, name in enumerate(self._columns)
        }
        p = block.p[:, order] if self.has_probabilities else None
        return Predictions(labels, place[block.truth], place[block.predicted], p, groups)

    def assess(self, plan: Plan) -> Assessment:
        """Return the assessment of all rows."""
        predictions, confusion = self.predictions(), self._noted_counts
        resampling = Bootstrap(N_BLOCKS, self._seed)
        if len(predictions) == self.rows:
            return assessed(predictions, resampling, plan)
        totals = self._totals(predictions, confusion)
        return assessed(predictions, resampling, plan, totals=totals, confusion=confusion)

    def _totals(self, predictions: Predictions, confusion: Confusion) -> Figures:
        """Return the figures of all rows, but for AUC, which is that of the sample."""
        place = {label: k for k, label in enumerate(predictions.labels)}
        counts = np.zeros((len(place), len(place)))
        for (truth, predicted), n in confusion.counts.items():
            counts[place[truth], place[predicted]] = n
        aucs = class_aucs(predictions, np.ones(len(predictions)))
        means = self._noted_sums / self.rows if self.has_probabilities else np.full(2, np.nan)
        return from_counts(counts, aucs, *means.tolist())

    @property
    def _capacity(self) -> int:
        width = len(self._places) if self.has_probabilities else 1
        return max(1, min(self._most_rows, MOST_CELLS // max(1, width)))

    def _scaled(self, log_loss: float, squared_error: float) -> tuple[float, float]:
        return float(log_loss), float(squared_error) / (2 if len(self._places) <= 2 else 1)

    def _codes(self, labels: Sequence[Hashable]) -> Any:
        return np.array([self._places[label] for label in labels], np.int32)

    def _group_code(self, j: int, value: Any) -> int:
        known, name = self._groups[j], group_name(value)
        if name not in known and len(known) >= MOST_GROUPS:
            name = OTHER_GROUPS
        return known.setdefault(name, len(known))

    def _joined(self) -> _Block:
        """Return all rows that are held in one block, which is then the only one."""
        width = len(self._places) if self.has_probabilities else 0
        for block in self._blocks:
            block.p = _widened(block.p, width)
        if len(self._blocks) > 1:
            self._blocks = [
                _Block(*(np.concatenate(parts) for parts in zip(*self._blocks, strict=True)))
            ]
        return self._blocks[0]

    def _sample(self) -> None:
        """Keep the rows that drew the smallest numbers, in their order."""
        block = self._joined()
        kept = np.sort(np.argpartition(block.drawn, self._capacity - 1)[: self._capacity])
        self._blocks = [block.part(kept)]
        self._held = len(kept)


class _Block:
    """Rows in the order of the stream, with their numbers, and the numbers that they drew."""

    def __init__(
        self, truth: Any, predicted: Any, p: Floats, groups: Any, drawn: Floats, number: Any
    ) -> None:
        self.truth, self.predicted, self.p, self.groups = truth, predicted, p, groups
        self.drawn, self.number = drawn, number

    def part(self, rows: Any) -> _Block:
        return _Block(*(column[rows] for column in self))

    def __iter__(self) -> Iterator[Any]:
        yield from (self.truth, self.predicted, self.p, self.groups, self.drawn, self.number)


def _probabilities(shares: Sequence[Shares], places: Mapping[Hashable, int]) -> Floats:
    """Return rows x classes; each row sums to 1, and is uniform where a learner says nothing."""
    p = np.zeros((len(shares), len(places)))
    first = shares[0] if shares else {}
    if all(share.keys() == first.keys() for share in shares):
        p[:, [places[label] for label in first]] = [
            [share[label] for label in first] for share in shares
        ]
    else:
        for i, share in enumerate(shares):
            for label, value in share.items():
                p[i, places[label]] = value
    p = np.nan_to_num(p, nan=0.0)
    sums = p.sum(axis=1)
    p[sums <= 0] = 1 / max(1, len(places))
    inexact = (sums > 0) & (np.abs(sums - 1) > 1e-9)
    p[inexact] /= sums[inexact, None]
    return p


def _widened(p: Floats, width: int) -> Floats:
    return p if p.shape[1] == width else np.pad(p, ((0, 0), (0, width - p.shape[1])))
