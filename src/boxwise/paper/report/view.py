"""The results by experiment, data set and setting: means, spreads and ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from math import fsum, nan
from statistics import stdev
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boxwise.evaluate import AverageRanks, average_ranks
from boxwise.paper.protocol import Row
from boxwise.paper.results import Unit
from boxwise.paper.run import EXPERIMENTS

# What an experiment finds for itself in each fold is no part of the setting.
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


class Sheet:
    """The results of one experiment.

    Parameters
    ----------
    name : str
        The experiment.
    done : mapping of Unit to rows
        Its units.
    """

    def __init__(self, name: str, done: Mapping[Unit, Sequence[Row]]) -> None:
        self._cells: dict[tuple[str, Setting], list[Row]] = {}
        hidden: dict[str, Any] = dict.fromkeys(FOUND.get(name, ()))
        for unit in sorted(done):
            for row in done[unit]:
                setting = Setting(*row[:5])._replace(**hidden)
                self._cells.setdefault((unit.dataset, setting), []).append(row)
        self.datasets = sorted({dataset for dataset, _ in self._cells})
        self.settings = [*dict.fromkeys(setting for _, setting in self._cells)]

    def rows(self, dataset: str, setting: Setting) -> list[Row]:
        """Return what came out on each fold, in order; nothing if it was not run."""
        return self._cells.get((dataset, setting), [])

    def mean(self, dataset: str, setting: Setting) -> float:
        """Return the mean class balanced accuracy over the folds; nan without any."""
        return _mean([row.cba for row in self.rows(dataset, setting)])

    def spread(self, dataset: str, setting: Setting) -> float:
        """Return its standard deviation over the folds; nan with fewer than two."""
        scores = [row.cba for row in self.rows(dataset, setting)]
        return stdev(scores) if len(scores) > 1 else nan

    def boxes(self, dataset: str, setting: Setting) -> float:
        """Return the mean number of hyperboxes over the folds; nan without any."""
        return _mean([row.boxes for row in self.rows(dataset, setting)])

    def complete(self, settings: Sequence[Setting]) -> list[str]:
        """Return the data sets that have results for all of these settings."""
        return [d for d in self.datasets if all(self.rows(d, setting) for setting in settings)]

    def means(self, settings: Sequence[Setting]) -> NDArray[np.float64]:
        """Return the means, a row for each complete data set and a column for each setting."""
        table = [[self.mean(d, setting) for setting in settings] for d in self.complete(settings)]
        return np.array(table, dtype=np.float64).reshape(-1, len(settings))

    def ranks(self, columns: Mapping[str, Setting]) -> AverageRanks:
        """Rank the means of named settings on each complete data set, and average the ranks."""
        table = self.means([*columns.values()])
        if len(table) < 2 or len(columns) < 2:
            raise MissingError("ranks need two data sets or more")
        return average_ranks(table, methods=[*columns])


class View:
    """All results, or those of one repetition.

    Parameters
    ----------
    done : mapping of Unit to rows
        What a results file holds.
    """

    def __init__(self, done: Mapping[Unit, Sequence[Row]]) -> None:
        self._done = done
        self._folds = Counter((unit.experiment, unit.dataset) for unit in done)
        self.sheet = cache(self._sheet)
        self.only = cache(self._only)

    @property
    def repeats(self) -> list[int]:
        """The repetitions of which there is anything."""
        return sorted({unit.repeat for unit in self._done})

    def folds(self, experiment: str, dataset: str) -> int:
        """Return how many folds of a data set were run."""
        return self._folds[experiment, dataset]

    def missing(self, experiment: str, folds: int = 1) -> list[str]:
        """Return the data sets of an experiment with fewer folds than these."""
        wanted = EXPERIMENTS[experiment].datasets
        return [dataset for dataset in wanted if self.folds(experiment, dataset) < folds]

    def _sheet(self, experiment: str) -> Sheet:
        units = {u: rows for u, rows in self._done.items() if u.experiment == experiment}
        return Sheet(experiment, units)

    def _only(self, repeat: int) -> View:
        return View({unit: rows for unit, rows in self._done.items() if unit.repeat == repeat})


def _mean(values: Sequence[float]) -> float:
    # Rounded, so that equal folds in another order are equal means and share a rank.
    return round(fsum(values) / len(values), 12) if values else nan
