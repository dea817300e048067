"""The results by experiment, data set and setting: means, spreads and ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cache
from math import fsum, isnan, nan
from statistics import stdev
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boxwise.evaluate import AverageRanks, average_ranks
from boxwise.paper.measurements import MEASUREMENTS, Measure
from boxwise.paper.protocol import N_FOLDS, Row
from boxwise.paper.results import Unit
from boxwise.paper.run import EXPERIMENTS

# Parameters that an experiment finds in each fold are no part of the setting.
FOUND = {
    "find-alpha": ("alpha",),
    "tuned": ("theta", "second", "alpha"),
}


class MissingError(LookupError):
    """There are no results to decide by."""


class Setting(NamedTuple):
    """A method and what it was told; what does not apply, or was found, is None."""

    method: str
    variant: str = ""
    theta: float | None = None
    second: float | None = None
    alpha: float | None = None


class ExperimentResults:
    """The results of one experiment.

    Parameters
    ----------
    name : str
        The experiment.
    done : mapping of Unit to rows
        Its units.
    """

    def __init__(self, name: str, done: Mapping[Unit, Sequence[Row]]) -> None:
        # By data set and setting, then by repetition.
        self._cells: dict[tuple[str, Setting], dict[int, list[Row]]] = {}
        self._drawn: Sequence[int] | None = None
        self._means: dict[tuple[str, Setting], tuple[float, float]] = {}
        hidden: dict[str, Any] = dict.fromkeys(FOUND.get(name, ()))
        for unit in sorted(done):
            for row in done[unit]:
                setting = Setting(*row[:5])._replace(**hidden)
                cell = self._cells.setdefault((unit.dataset, setting), {})
                cell.setdefault(unit.repeat, []).append(row)
        self.datasets = sorted({dataset for dataset, _ in self._cells})
        self.settings = [*dict.fromkeys(setting for _, setting in self._cells)]

    def drawn(self, repeats: Sequence[int]) -> ExperimentResults:
        """Return the results of these repetitions, each as often as it is named."""
        other = copy(self)
        other._drawn = repeats
        other._means = {}
        return other

    def rows(self, dataset: str, setting: Setting) -> list[Row]:
        """Return what came out on each fold, in order; nothing if it was not run."""
        cell = self._cells.get((dataset, setting), {})
        repeats = cell if self._drawn is None else self._drawn
        return [row for repeat in repeats for row in cell.get(repeat, ())]

    def mean(self, dataset: str, setting: Setting) -> float:
        """Return the mean class balanced accuracy over the folds; nan without any."""
        return self._mean(dataset, setting)[0]

    def spread(self, dataset: str, setting: Setting) -> float:
        """Return its standard deviation over the folds; nan with fewer than two."""
        scores = [row.cba for row in self.rows(dataset, setting)]
        return stdev(scores) if len(scores) > 1 else nan

    def boxes(self, dataset: str, setting: Setting) -> float:
        """Return the mean number of hyperboxes over the folds; nan without any."""
        return self._mean(dataset, setting)[1]

    def complete(self, settings: Sequence[Setting]) -> list[str]:
        """Return the data sets that have results for all of these settings."""
        return [
            d
            for d in self.datasets
            if not any(isnan(self.mean(d, setting)) for setting in settings)
        ]

    def means(self, settings: Sequence[Setting]) -> NDArray[np.float64]:
        """Return the means, a row for each complete data set and a column for each setting."""
        table = [[self.mean(d, setting) for setting in settings] for d in self.complete(settings)]
        return np.array(table, dtype=np.float64).reshape(-1, len(settings))

    def _mean(self, dataset: str, setting: Setting) -> tuple[float, float]:
        found = self._means.get((dataset, setting))
        if found is None:
            rows = self.rows(dataset, setting)
            found = _mean([row.cba for row in rows]), _mean([row.boxes for row in rows])
            self._means[dataset, setting] = found
        return found

    def ranks(self, columns: Mapping[str, Setting]) -> AverageRanks:
        """Rank the means of named settings on each complete data set, and average the ranks."""
        table = self.means([*columns.values()])
        if len(table) < 2 or len(columns) < 2:
            raise MissingError("ranks need two data sets or more")
        return average_ranks(table, methods=[*columns])


class Gauge:
    """The result of one measurement.

    Parameters
    ----------
    measured : mapping of Unit to measures
        Its units.
    """

    def __init__(self, measured: Mapping[Unit, Sequence[Measure]]) -> None:
        # By data set and what was measured, then by repetition.
        self._cells: dict[tuple[str, str, str], dict[int, list[float]]] = {}
        self._drawn: Sequence[int] | None = None
        for unit in sorted(measured):
            for of, what, value in measured[unit]:
                cell = self._cells.setdefault((unit.dataset, of, what), {})
                cell.setdefault(unit.repeat, []).append(value)
        self.datasets = sorted({dataset for dataset, _, _ in self._cells})

    def drawn(self, repeats: Sequence[int]) -> Gauge:
        """Return what these repetitions gave, each as often as it is named."""
        other = copy(self)
        other._drawn = repeats
        return other

    def of(self, dataset: str, what: str) -> list[str]:
        """Return what it was that something was measured of, in the order of the file."""
        return [of for d, of, w in self._cells if (d, w) == (dataset, what)]

    def whats(self, of: str) -> list[str]:
        """Return what was measured of something, in the order of the file."""
        return [*dict.fromkeys(what for _, o, what in self._cells if o == of)]

    def mean(self, dataset: str, of: str, what: str) -> float:
        """Return the mean over the folds; nan without any."""
        cell = self._cells.get((dataset, of, what), {})
        repeats = cell if self._drawn is None else self._drawn
        return _mean([value for repeat in repeats for value in cell.get(repeat, ())])


class View:
    """All results, or those of some repetitions.

    Parameters
    ----------
    done : mapping of Unit to rows
        What a results file holds.
    measured : mapping of Unit to measures
        What a file of measurements holds.
    """

    def __init__(
        self,
        done: Mapping[Unit, Sequence[Row]],
        measured: Mapping[Unit, Sequence[Measure]] | None = None,
    ) -> None:
        self._done = done
        self._measured = measured or {}
        self._units = [*self._done, *self._measured]
        self._folds = Counter((unit.experiment, unit.dataset) for unit in self._units)
        self._folds_of = Counter((u.experiment, u.dataset, u.repeat) for u in self._units)
        self.results = cache(self._results)
        self.gauge = cache(self._gauge)
        self.drawn = cache(self._draw)

    @property
    def repeats(self) -> list[int]:
        """The repetitions of which there is anything."""
        return sorted({unit.repeat for unit in self._units})

    def folds(self, experiment: str, dataset: str) -> int:
        """Return how many folds of a data set were run."""
        return self._folds[experiment, dataset]

    def missing(self, experiment: str, repeat: int | None = None) -> list[str]:
        """Return the data sets of an experiment or measurement of which there is nothing.

        Of one repetition: those of which it has not all folds.
        """
        if experiment in MEASUREMENTS:
            wanted, n_folds = MEASUREMENTS[experiment].datasets, MEASUREMENTS[experiment].n_folds
        else:
            wanted, n_folds = EXPERIMENTS[experiment].datasets, N_FOLDS
        if repeat is None:
            return [dataset for dataset in wanted if not self.folds(experiment, dataset)]
        return [d for d in wanted if self._folds_of[experiment, d, repeat] < n_folds]

    def _results(self, experiment: str) -> ExperimentResults:
        units = {u: rows for u, rows in self._done.items() if u.experiment == experiment}
        return ExperimentResults(experiment, units)

    def _gauge(self, measurement: str) -> Gauge:
        units = {u: found for u, found in self._measured.items() if u.experiment == measurement}
        return Gauge(units)

    def _draw(self, repeats: tuple[int, ...]) -> View:
        """Return a view of these repetitions, each as often as it is named."""
        other = copy(self)
        other.results = cache(lambda experiment: self.results(experiment).drawn(repeats))
        other.gauge = cache(lambda measurement: self.gauge(measurement).drawn(repeats))
        return other


def _mean(values: Sequence[float]) -> float:
    # Rounded, so that equal folds in another order are equal means and share a rank.
    return round(fsum(values) / len(values), 12) if values else nan
