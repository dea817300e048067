"""Predictions of rows with known labels, as arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

# As in scikit-learn's log_loss: a probability of 0 counts as the smallest difference from 1.
LEAST = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class GroupColumn:
    """The values of a column that divides rows into groups.

    Attributes
    ----------
    values : list
        The different values.
    codes : array of int
        For each row the position of its value.
    """

    values: list[Hashable]
    codes: Codes

    @classmethod
    def of(cls, column: Iterable[Any]) -> GroupColumn:
        """Return the column of these values, one for each row."""
        known: dict[Hashable, int] = {}
        codes = [known.setdefault(group_name(value), len(known)) for value in column]
        return cls([*known], np.array(codes, np.int32))


def group_name(value: Any) -> Hashable:
    """Return the name of a group by its value; None, NaN and the like are ``"missing"``.

    Examples
    --------
    >>> group_name(None), group_name(float("nan")), group_name(2.0), group_name("f")
    ('missing', 'missing', 2, 'f')
    """
    try:
        if value is None or bool(value != value):
            return "missing"
    except TypeError:  # pandas.NA refuses to be a truth value
        return "missing"
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.item() if isinstance(value, np.generic) else value  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Predictions:
    """Predictions of rows with known labels.

    Attributes
    ----------
    labels : list
        The classes, sorted.
    truth, predicted : array of int
        For each row the position of its class and of the class predicted for it.
    p : array of shape (rows, classes), or None
        The probabilities; None if there are none.
    groups : mapping of str to GroupColumn
        Columns that divide the rows into groups.
    """

    labels: Sequence[Hashable]
    truth: Codes
    predicted: Codes
    p: Floats | None = None
    groups: Mapping[str, GroupColumn] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.truth)

    @cached_property
    def losses(self) -> Floats:
        """The log-loss of each row; NaN without probabilities."""
        if self.p is None:
            return np.full(len(self), np.nan)
        return log_losses(self.p, self.truth)

    @cached_property
    def brier_scores(self) -> Floats:
        """The squared error of each row, summed over the classes; NaN without probabilities."""
        if self.p is None:
            return np.full(len(self), np.nan)
        return squared_errors(self.p, self.truth)

    @cached_property
    def ranks(self) -> list[tuple[Codes, int]]:
        """For each class the rank of each row by its probability, and how many ranks there are."""
        if self.p is None:
            return []
        ranked = []
        for column in self.p.T:
            values, rank = np.unique(column, return_inverse=True)
            ranked.append((rank.astype(np.int32), len(values)))
        return ranked

    def part(self, rows: NDArray[Any]) -> Predictions:
        """Return the predictions of some of the rows."""
        return Predictions(
            self.labels,
            self.truth[rows],
            self.predicted[rows],
            None if self.p is None else self.p[rows],
            {n: GroupColumn(g.values, g.codes[rows]) for n, g in self.groups.items()},
        )


def log_losses(p: Floats, truth: Codes) -> Floats:
    """Return -log of the probability of the true class of each row."""
    likely = np.clip(p[np.arange(len(p)), truth], LEAST, 1 - LEAST)
    return np.asarray(-np.log(likely), dtype=np.float64)


def squared_errors(p: Floats, truth: Codes) -> Floats:
    """Return the squared distance of each row's probabilities from 1 for its class and 0 else."""
    of_truth = p[np.arange(len(p)), truth]
    return np.asarray((p * p).sum(axis=1) - of_truth**2 + (1 - of_truth) ** 2, dtype=np.float64)


def sorted_labels(labels: Iterable[Hashable]) -> list[Hashable]:
    """Return different labels, sorted; those of several types by their text."""
    different: list[Any] = [*dict.fromkeys(labels)]
    try:
        return sorted(different)
    except TypeError:
        return sorted(different, key=str)
