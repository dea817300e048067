"""Intervals: figures computed again with other weights of the rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from boxwise.evaluate.quality.predictions import Floats

N_BLOCKS = 50
MANY_CELLS = 100_000  # rows x classes, from which on fewer resamples are drawn
RESAMPLES, FEWER_RESAMPLES = 500, 200


@dataclass(frozen=True)
class Figure:
    """A number with its interval; NaN where there is none.

    Attributes
    ----------
    value, low, high : float
        The number, and the ends of the interval.
    """

    value: float
    low: float = math.nan
    high: float = math.nan


class Resampling(Protocol):
    """A way to find intervals."""

    @property
    def description(self) -> str:
        """How intervals are found, as text."""

    def weights(self, n_rows: int, n_classes: int) -> Iterator[Floats]:
        """Yield weights of the rows."""

    def summarise(self, values: Floats, samples: Floats, level: float) -> Floats:
        """Return value, low and high (rows) of each figure (columns).

        Parameters
        ----------
        values : array of shape (figures,)
            The figures with all rows.
        samples : array of shape (resamples, figures)
            The figures with each of the weights.
        level : float
            The share of the interval, such as 0.95.
        """


@dataclass(frozen=True)
class Bootstrap:
    """Bootstrap percentile intervals (Efron, 1979).

    Attributes
    ----------
    n_blocks : int or None
        With None, rows are drawn one by one, as rows in no order. With a number, the rows are cut
        into that many blocks of consecutive rows and blocks are drawn, since errors on a stream
        come in runs.
    seed : int
        The random seed.
    """

    n_blocks: int | None = None
    seed: int = 0

    @property
    def description(self) -> str:
        """How intervals are found, as text."""
        if self.n_blocks is None:
            return "bootstrap over rows"
        return f"bootstrap over {self.n_blocks} blocks of consecutive rows"

    def weights(self, n_rows: int, n_classes: int) -> Iterator[Floats]:
        """Yield weights of the rows."""
        random = np.random.default_rng(self.seed)
        units = n_rows if self.n_blocks is None else min(self.n_blocks, n_rows)
        block_of = np.arange(n_rows) * units // max(n_rows, 1)
        few = n_rows * n_classes <= MANY_CELLS
        for _ in range(RESAMPLES if few else FEWER_RESAMPLES):
            drawn = np.bincount(random.integers(units, size=units), minlength=units)
            yield drawn.astype(np.float64)[block_of]

    def summarise(self, values: Floats, samples: Floats, level: float) -> Floats:
        """Return value, low and high of each figure."""
        found = np.full((3, len(values)), np.nan)
        found[0] = values
        usable = ~np.isnan(samples).all(axis=0) & ~np.isnan(values)
        if usable.any():
            ends = [(1 - level) / 2, (1 + level) / 2]
            found[1:, usable] = np.nanquantile(samples[:, usable], ends, axis=0)
        return found


@dataclass(frozen=True, eq=False)
class Folds:
    """Intervals over the folds of a cross-validation (Nadeau and Bengio, 2003).

    A figure is the mean over the folds. Folds share most of the rows that are learned, so their
    variance is multiplied by 1/k + (rows predicted)/(rows learned), not by 1/k.

    Attributes
    ----------
    fold_of : array of int
        The fold in which each row is predicted, from 0.
    """

    fold_of: NDArray[np.int32]

    @property
    def n_folds(self) -> int:
        """The number of folds."""
        return int(self.fold_of.max()) + 1

    @property
    def description(self) -> str:
        """How intervals are found, as text."""
        return f"corrected t-intervals over {self.n_folds} folds"

    def weights(self, n_rows: int, n_classes: int) -> Iterator[Floats]:
        """Yield weights of the rows."""
        for fold in range(self.n_folds):
            yield (self.fold_of == fold).astype(np.float64)

    def summarise(self, values: Floats, samples: Floats, level: float) -> Floats:
        """Return value, low and high of each figure."""
        found = np.full((3, len(values)), np.nan)
        held = ~np.isnan(samples)
        for j in np.flatnonzero(held.any(axis=0)):
            of_folds = samples[held[:, j], j]
            found[:, j] = mean = of_folds.mean()
            k = len(of_folds)
            if k < 2:
                found[1:, j] = np.nan
                continue
            spread = of_folds.std(ddof=1) * math.sqrt(1 / k + 1 / (self.n_folds - 1))
            reach = spread * student.ppf((1 + level) / 2, k - 1)
            found[1:, j] = mean - reach, mean + reach
        return found
