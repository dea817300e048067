"""Table S.I: the rows, classes and columns of each data set."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.datasets.catalogue import find
from boxwise.paper.measurements.measurement import Measure, Measurement
from boxwise.paper.protocol import Fold


class Data(Measurement):
    """Counted in the whole data set, whatever the fold."""

    name = "data"
    about = "rows, classes, columns and the number of values of each categorical one"
    n_repeats = n_folds = 1

    def run(self, fold: Fold) -> Iterator[Measure]:
        """Count."""
        table = fold.table
        yield Measure("", "rows", len(table.y))
        yield Measure("", "classes", len({*table.y.tolist()}))
        yield Measure("", "continuous", table.n)
        for j, column in zip(table.categorical, find(table.name).categorical, strict=True):
            yield Measure(column, "values", len({*table.X[:, j].tolist()}))
