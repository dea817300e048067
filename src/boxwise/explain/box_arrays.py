"""The boxes of a model as arrays, measured as the engine measures them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EntropySettings, EvidenceSettings, Model
from boxwise.core.boxes import whole_counts
from boxwise.core.model import ranges_of
from boxwise.explain.counterfactuals.measure import Measure
from boxwise.explain.winning import members_of

Floats = NDArray[np.float64]


class BoxArrays:
    """A snapshot of the boxes of a model, to compare rows with.

    Numbers and categories are numbered one after the other: first the `n_numbers` numeric
    columns, then the categorical ones.

    Attributes
    ----------
    V, W : array of shape (boxes, numbers)
        The intervals in the units of the input; NaN where all values of a box are missing.
    n : array of int or float
        The rows of each box; float where rows had weights that were not whole.
    label : array of int
        The class of each box as a position in `Model.labels`; -1 is none.
    members : dict
        The boxes of each class.
    present : array of bool
        By box: whether it belongs to the current expert. Others are of challengers and of retired
        experts; only models that decide by evidence have them.
    n_experts : int
        How many sets of boxes predict together.
    alpha, beta : float
        The weights of numbers and categories in the membership.
    """

    def __init__(self, model: Model) -> None:
        settings = model.settings
        assert isinstance(settings, EntropySettings | EvidenceSettings)
        state = model.engine.snapshot()
        self.V, self.W = state["V"], state["W"]
        self.n: NDArray[Any] = whole_counts(state["n"])
        self.label: NDArray[np.int32] = state["label"]
        self.n_numbers = self.V.shape[1]
        self.n_categories = len(model.schema.categorical)
        names = (*model.schema.numeric_names, *model.schema.categorical_names)
        self.names: tuple[str, ...] = names
        share = settings.alpha if isinstance(settings, EntropySettings) else 0.5
        self.alpha = 1.0 if not self.n_categories else share if self.n_numbers else 0.0
        self.beta = 1 - self.alpha
        self.measures = [Measure(r) for r in ranges_of(state)]
        self._by_rank = model.by_rank
        self.width = np.array([m.width for m in self.measures])
        with np.errstate(divide="ignore", invalid="ignore"):
            steep = settings.gamma if isinstance(settings, EntropySettings) else 1.0
            gamma = np.array(steep, dtype=np.float64)
            self.slope = np.where(self.width > 0, gamma / self.width, 0.0)
        self._v = self.measured(self.V)
        self._w = self.measured(self.W)
        self._sort_counts(state["first"], state["code"], whole_counts(state["times"]))
        self.members = members_of(self.label)
        self.present: NDArray[np.bool_] = np.ones(len(self.n), bool)
        self.n_experts = 1
        if isinstance(settings, EvidenceSettings):
            self.present = state["place"][:, 0] == 0
            self.n_experts = len(state["members"])

    def measured(self, values: Floats) -> Floats:
        """Return values, numbers last, by the measures of their columns."""
        if not self._by_rank:
            return values
        ranks = np.empty_like(values)
        for j, measure in enumerate(self.measures):
            ranks[..., j] = measure(values[..., j])
        return ranks

    def beyond(self, lower: Floats, upper: Floats, boxes: NDArray[np.intp]) -> Floats:
        """Return how far a row sticks out of boxes, measured; NaN where that does not count."""
        xl, xu = self.measured(lower), self.measured(upper)
        return np.maximum(xu - self._w[boxes], self._v[boxes] - xl)

    def present_of(self, label: int) -> NDArray[np.intp]:
        """Return the boxes of a class in the current expert; all, if it has none."""
        boxes = self.members[label]
        present = boxes[self.present[boxes]]
        return present if len(present) else boxes

    def extent(self, boxes: NDArray[np.intp]) -> Floats:
        """Return the sides of boxes, measured; NaN where all values of a box are missing."""
        sides: Floats = self._w[boxes] - self._v[boxes]
        return sides

    def _sort_counts(
        self, first: NDArray[Any], code: NDArray[np.int32], times: NDArray[Any]
    ) -> None:
        """Put what the boxes have counted in the order of columns and values."""
        n, r = len(self.n), self.n_categories
        ends = first.astype(np.int64)
        sizes = ends[1:] - ends[:-1]
        box = np.repeat(np.repeat(np.arange(n), r), sizes)
        column = np.repeat(np.tile(np.arange(r), n), sizes)
        order = np.lexsort((box, code, column))
        self._boxes, self._times = box[order], times[order]
        self._code = code[order]
        self._begin = np.searchsorted(column[order], np.arange(r + 1))

    def count(self, j: int, code: int) -> NDArray[Any]:
        """Return how often each box has seen a value of the j-th categorical column."""
        counts = np.zeros(len(self.n), dtype=self._times.dtype)
        begin, end = self._begin[j : j + 2]
        codes = self._code[begin:end]
        held = slice(
            begin + np.searchsorted(codes, code), begin + np.searchsorted(codes, code, "right")
        )
        counts[self._boxes[held]] = self._times[held]
        return counts

    def n_values(self, j: int) -> int:
        """Return how many values of the j-th categorical column were learned."""
        begin, end = self._begin[j : j + 2]
        return int(self._code[end - 1]) + 1 if end > begin else 0
