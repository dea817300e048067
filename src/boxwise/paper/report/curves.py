"""Class balanced accuracy and number of boxes as functions of alpha and of delta."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boxwise.datasets.catalogue import find
from boxwise.paper.report.view import MissingError, Setting, View

LARGE, SMALL = 1.0, 0.1


@dataclass(frozen=True, eq=False)
class Curve:
    """Values of a parameter and what came of each."""

    x: NDArray[np.float64]
    cba: NDArray[np.float64]
    boxes: NDArray[np.float64]

    def where(self, chosen: Callable[[float], bool]) -> NDArray[np.float64]:
        """Return the scores where the parameter is as chosen."""
        found = self.cba[[chosen(x) for x in self.x]]
        if not len(found):
            raise MissingError("the grid has no such values")
        return found

    def at(self, x: float) -> float:
        """Return the score where the parameter is nearest to a value."""
        return float(self.cba[np.argmin(np.abs(self.x - x))])

    def best(self, near: float) -> float:
        """Return the parameter of the highest score; of several that nearest to a value."""
        best = self.x[np.isclose(self.cba, self.cba.max(), rtol=0, atol=1e-9)]
        return float(best[np.argmin(np.abs(best - near))])


def share(dataset: str) -> float:
    """Return n/(n+r): numeric columns among all."""
    entry = find(dataset)
    return len(entry.numeric) / len(entry.columns)


def alpha_curve(view: View, dataset: str, version: str, size: float) -> Curve:
    """Return the run over alpha, with theta = delta = size."""
    results = view.results("alpha")
    settings = [s for s in results.settings if (s.method, s.theta) == (version, size)]
    return _curve(view, "alpha", dataset, {s.alpha or 0.0: s for s in settings})


def delta_curve(view: View, dataset: str, version: str) -> Curve:
    """Return the run over delta."""
    settings = [s for s in view.results("delta").settings if s.method == version]
    return _curve(view, "delta", dataset, {s.second or 0.0: s for s in settings})


def _curve(view: View, experiment: str, dataset: str, settings: dict[float, Setting]) -> Curve:
    results = view.results(experiment)
    points = [
        (x, results.mean(dataset, setting), results.boxes(dataset, setting))
        for x, setting in sorted(settings.items())
        if not np.isnan(results.mean(dataset, setting))
    ]
    if not points:
        raise MissingError(f"no results of experiment {experiment} on {dataset}")
    return Curve(*np.array(points, dtype=np.float64).T)
