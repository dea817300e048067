"""What each column of a row says of each box: terms of the membership, and of the evidence."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EvidenceSettings, Model
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

    def counts(self, codes: Codes, boxes: Boxes) -> NDArray[np.int64]:
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


class EvidenceTerms:
    """The logarithm of the evidence, column by column, for one bandwidth and one backoff.

    With the logarithm of the box's weight, the terms of a box add up to the logarithm of its
    evidence; the score of a class is the logarithm of the sum over its boxes.

    Attributes
    ----------
    log_weight : array
        By box: the logarithm of its rows, of which fewer count the older it is, so that those of a
        class are as many as it has.
    """

    def __init__(self, arrays: BoxArrays, model: Model) -> None:
        assert isinstance(model.settings, EvidenceSettings)
        self._arrays = arrays
        self.bandwidth, self.backoff, self.temperature = model.engine.chosen
        self.power = _power(model)
        *reach, memory = model.engine.reach
        self._h = self.bandwidth * np.array(reach[: arrays.n_numbers])
        self._a = self.backoff * np.array(reach[arrays.n_numbers :])
        self.log_weight = _log_weights(arrays, model, memory)
        self._log_extent = np.nan_to_num(
            np.log(arrays.extent(np.arange(len(arrays.n))) * self._units + 2 * self._h)
        )
        self._rows_of_class = np.bincount(arrays.label + 1, arrays.n, minlength=1)[1:]
        most = max(1, MEMORY // (8 * max(1, len(arrays.n))))
        self._logs = lru_cache(maxsize=most)(self._log_shares)

    @property
    def _units(self) -> Floats:
        width = self._arrays.width
        units: Floats = np.divide(1, width, out=np.full(len(width), np.nan), where=width > 0)
        return units

    def terms(self, lower: Floats, upper: Floats, codes: Codes, boxes: Boxes) -> Floats:
        """Return boxes × columns; 0 where a number is missing, or was never seen in the box."""
        beyond = self._arrays.beyond(lower, upper, boxes) * self._units
        numbers = -self._log_extent[boxes] - np.maximum(beyond, 0) / self._h
        numbers[np.isnan(beyond)] = 0.0
        logs = [self._logs(j, code)[boxes] for j, code in enumerate(codes.tolist())]
        return np.hstack([numbers, *(column[:, None] for column in logs)])

    def _log_shares(self, j: int, code: int) -> Floats:
        """Return the logarithm of the smoothed share of a value in each box."""
        arrays, a = self._arrays, self._a[j]
        counts = arrays.count(j, code)
        labels = np.maximum(arrays.label, 0)  # a box without a class has no say, whatever it gets
        seen = np.bincount(arrays.label + 1, counts, minlength=1)[1:]
        share = (seen + 1 / (arrays.n_values(j) + 1)) / (self._rows_of_class + 1)
        logs: Floats = np.log((counts + a * share[labels]) / (arrays.n + a))
        return logs

    def prior(self, label: int) -> float:
        """Return what is taken off the score of a class for its size."""
        return self.power * float(np.log(max(self._rows_of_class[label], 1)))


def _log_weights(arrays: BoxArrays, model: Model, memory: float) -> Floats:
    weight = arrays.n.astype(np.float64)
    assert isinstance(model.settings, EvidenceSettings)
    if model.settings.forget:
        state = model.engine.snapshot()
        last, rows = state["last"].astype(np.float64), max(int(state["tested"][3]), 1)
        for boxes in arrays.members.values():
            age = (last[boxes].max() - last[boxes]) / rows
            weight[boxes] /= (1 + age / memory) ** 2
            weight[boxes] *= arrays.n[boxes].sum() / weight[boxes].sum()
    logs: Floats = np.log(weight)
    return logs


def _power(model: Model) -> float:
    """Return to what power the sizes of the classes are taken out: the best so far."""
    assert isinstance(model.settings, EvidenceSettings)
    powers = model.settings.powers
    if len(powers) == 1:
        return powers[0]
    tallies = model.engine.snapshot()["tallies"].reshape(-1, len(powers), 3)
    rows = tallies[:, :, :2].max(axis=2)
    right = np.divide(tallies[:, :, 2], rows, out=np.zeros_like(rows), where=rows > 0)
    accuracy = right.sum(axis=0) / np.maximum((rows > 0).sum(axis=0), 1)
    return powers[int(np.argmax(accuracy))]
