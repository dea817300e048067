"""The terms of membership and of log-likelihood: one for each column of a row and each box."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Model
from boxwise.explain.box_arrays import BoxArrays, Floats

Boxes = NDArray[np.intp]
Codes = NDArray[np.int32]
MEMORY = 64 * 1024 * 1024  # bytes of counted values to remember


class MembershipTerms:
    """The membership, column by column.

    It is ``alpha * min(numbers) + (1 - alpha) * mean(categories)``: each term is 1 where the value
    speaks fully for the box.
    """

    def __init__(self, arrays: BoxArrays) -> None:
        self._arrays = arrays
        most = max(1, MEMORY // (8 * max(1, len(arrays.n))))
        self.count = lru_cache(maxsize=most)(arrays.count)

    def counts(self, codes: Codes, boxes: Boxes) -> NDArray[Any]:
        """Return how often boxes have seen the values of a row: boxes × categories."""
        columns = [self.count(j, code)[boxes] for j, code in enumerate(codes.tolist())]
        return np.stack(columns, axis=1) if columns else np.zeros((len(boxes), 0), np.int64)

    def terms(self, lower: Floats, upper: Floats, codes: Codes, boxes: Boxes) -> Floats:
        """Return boxes × columns: (2) before the minimum, (8) before the mean."""
        arrays = self._arrays
        far = np.nan_to_num(arrays.beyond(lower, upper, boxes)) * arrays.slope
        numbers = 1 - np.clip(far, 0.0, 1.0)
        return np.hstack([numbers, self.counts(codes, boxes) / arrays.n[boxes, None]])

    def contributions(self, terms: Floats) -> Floats:
        """Return what each column costs: with 1, they add up to the membership.

        Of the numbers only the lowest term counts; several that are equally low share its cost.
        """
        n, r = self._arrays.n_numbers, self._arrays.n_categories
        costs = terms - 1
        if n:
            lowest = terms[:, :n].min(axis=1, keepdims=True)
            limiting = terms[:, :n] == lowest
            costs[:, :n] *= limiting * self._arrays.alpha / limiting.sum(axis=1, keepdims=True)
        if r:
            costs[:, n:] *= self._arrays.beta / r
        return costs


@dataclass(frozen=True)
class EvidenceTerms:
    """The log-likelihood of a row in each box of the model, column by column, from the engine.

    With the logarithm of the box's weight, the terms of a box add up to its log-likelihood; the
    score of a class is the logarithm of the sum over its boxes and its background component.

    Attributes
    ----------
    terms : array of shape (boxes, columns)
        Numbers first, then categories.
    log_weights : array
        By box: the logarithm of its rows, of which fewer count the older it is; minus infinity for
        boxes that have no part in the decision.
    background, log_background_weights : array
        The same of the background components, by class.
    log_classes : array
        By class: what is taken off its score for its size.
    temperature : float
        What scores are divided by before they become probabilities.
    parts : array of shape (classes, columns + 2)
        What the logits of the classes add up from, before the class prior: a curve for each column,
        a constant, and the boxes.
    by_boxes : array
        By class: its probability by the boxes of all experts.
    """

    terms: Floats
    log_weights: Floats
    background: Floats
    log_background_weights: Floats
    log_classes: Floats
    temperature: float
    parts: Floats
    by_boxes: Floats

    @classmethod
    def of(cls, model: Model, lower: Floats, upper: Floats, codes: Codes) -> EvidenceTerms:
        """Return the terms of one row."""
        return cls(**model.engine.terms(lower[None], upper[None], codes[None]))
