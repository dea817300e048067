"""The conditions of a box that bind, those with the largest gain first (FOIL's information gain).

In: a model, its boxes and the conditions of one box. Out: its conditions in greedy order, each the
one that raises the precision of the rule most, as long as one does (Quinlan, 1990), or the
narrowest one while the rule is imprecise. The rows are those of the boxes, as if they were spread
evenly over the intervals, column by column.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Boxes, EvidenceSettings, Model
from boxwise.rules.condition import Between, OneOf

MIN_GAIN = 0.01  # of log-precision: a condition that adds less does not bind
PRECISE = 0.8  # a rule of less goes on, even if no single condition raises its precision
PSEUDO_ROWS = 1.0  # of the class distribution, added to the rows that a rule covers
MOST_CONDITIONS = 5  # of a rule, where all boxes vote
WORK = 50_000_000  # rules × columns × boxes to compare with
MIN_BOXES = 200  # to compare with, those with most rows

Floats = NDArray[np.float64]


class ConditionGain:
    """The rows of the boxes, to measure conditions on, at one moment.

    Attributes
    ----------
    present : array of bool
        By box: whether it belongs to the current expert; retired and challenging ones do not.
    most_conditions : int or None
        How many conditions a rule keeps, those with the largest gain; None: all.
    """

    def __init__(self, model: Model, boxes: Boxes) -> None:
        votes = isinstance(model.settings, EvidenceSettings)
        self.most_conditions = MOST_CONDITIONS if votes else None
        self.present: NDArray[np.bool_] = np.ones(len(boxes), bool)
        if votes:
            self.present = model.engine.snapshot()["place"][:, 0] == 0
        labels = boxes.labels.tolist()
        codes = {label: code for code, label in enumerate(model.classes)}
        self._class_of = np.array([codes.get(label, -1) for label in labels], np.int64)
        schema = model.schema
        compared = self._compared(boxes, len(schema.known))
        self._rows = boxes.n_samples[compared].astype(float)
        self._classes = self._class_of[compared]
        self._lower, self._upper = boxes.lower[compared].T, boxes.upper[compared].T
        self._numbers = {j: k for k, j in enumerate(schema.numeric)}
        self._slots: dict[int, dict[object, int]] = {}
        self._shares: dict[int, Floats] = {}
        for k, j in enumerate(schema.categorical):
            counts = [boxes.counts[i][k] for i in compared.tolist()]
            self._slots[j] = {v: s for s, v in enumerate({v for its in counts for v in its})}
            self._shares[j] = _shares(counts, self._slots[j])

    def _compared(self, boxes: Boxes, n_columns: int) -> NDArray[np.intp]:
        """Return the boxes to compare with: all that have a class, if the work allows."""
        there = np.flatnonzero(self.present & (self._class_of >= 0))
        most = max(MIN_BOXES, WORK // max(1, len(there) * n_columns))
        return np.sort(there[np.argsort(-boxes.n_samples[there], kind="stable")[:most]])

    def binding(self, box: int, conditions: Mapping[int, Between | OneOf]) -> list[int]:
        """Return the columns whose conditions bind, by position, the largest gain first."""
        if not conditions:
            return []
        columns = [*conditions]
        met = np.stack([self._met(j, conditions[j]) for j in columns])
        own = (self._classes == self._class_of[box]).astype(float)
        covered = self._rows
        prior = float(covered @ own) / max(float(covered.sum()), 1e-300)
        before = log(max(prior, 1e-300))
        found: list[int] = []
        left = np.ones(len(columns), bool)
        while left.any():
            totals, mine = met @ covered, met @ (covered * own)
            precision = np.log(
                np.maximum(mine + PSEUDO_ROWS * prior, 1e-300) / (totals + PSEUDO_ROWS)
            )
            raised = precision - before
            gain = np.where(left & (raised > MIN_GAIN), mine * raised, -np.inf)
            best = int(gain.argmax())
            if gain[best] <= 0:
                if before > log(PRECISE):
                    break
                # Two conditions may tell classes apart only together: the narrowest one is next.
                best = int(np.where(left, totals, np.inf).argmin())
            found.append(columns[best])
            left[best] = False
            covered, before = covered * met[best], float(precision[best])
        return found

    def _met(self, j: int, condition: Between | OneOf) -> Floats:
        """Return which share of the rows of each box meets a condition."""
        if isinstance(condition, OneOf):
            slots = [self._slots[j][v] for v in condition.values if v in self._slots[j]]
            shares: Floats = self._shares[j][slots].sum(axis=0)
            return shares
        lower, upper = self._lower[self._numbers[j]], self._upper[self._numbers[j]]
        inside = np.minimum(upper, condition.upper) - np.maximum(lower, condition.lower)
        length = upper - lower
        share = np.clip(inside / np.where(length > 0, length, 1.0), 0.0, 1.0)
        share = np.where(length > 0, share, inside >= 0)
        return np.where(np.isnan(lower), 1.0, share)  # a missing number meets every condition


def _shares(counts: list[Mapping[object, float]], slots: Mapping[object, int]) -> Floats:
    """Return values × boxes: the share of each value in each box."""
    shares = np.zeros((len(slots), len(counts)))
    for i, its in enumerate(counts):
        total = sum(its.values()) or 1
        for value, times in its.items():
            shares[slots[value], i] = times / total
    return shares
