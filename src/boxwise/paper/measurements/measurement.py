"""The interface of a measurement: a name, data sets, and what is measured on one fold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

from boxwise.datasets import names
from boxwise.paper.protocol import N_FOLDS, Fold
from boxwise.paper.results import Unit


class Measure(NamedTuple):
    """One number that was measured on a fold."""

    of: str  # the method, the encoder or the column
    what: str
    value: float


class Measurement(ABC):
    """Something to be measured on a few folds of each data set.

    The folds are those of the experiments: the first repetitions of them, as many as are needed to
    see how much the numbers depend on the folds.
    """

    name: str
    about: str
    mixed_only = False  # whether only data sets with both kinds of columns take part
    n_repeats, n_folds = 3, N_FOLDS
    alone = False  # whether nothing else may run meanwhile

    @property
    def datasets(self) -> list[str]:
        """The data sets it is made on."""
        return names(mixed_only=self.mixed_only)

    def units(self, dataset: str, repeats: int) -> list[Unit]:
        """Return its folds of a data set, of an evaluation with so many repetitions."""
        return [
            Unit(self.name, dataset, repeat, fold)
            for repeat in range(min(self.n_repeats, repeats))
            for fold in range(self.n_folds)
        ]

    @abstractmethod
    def run(self, fold: Fold) -> Iterator[Measure]:
        """Measure on one fold."""
