"""A table of scores, one row per data set and one column per method, from an array or a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ScoreTable:
    """Scores without gaps, and the names of what they are scores of."""

    values: NDArray[np.float64]
    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    frame: nw.DataFrame[Any] | None = None

    def replaced_by(self, values: NDArray[np.float64]) -> Any:
        """Return other values in the form in which the scores came."""
        if self.frame is None:
            return values
        index = nw.maybe_get_index(self.frame)
        new = []
        for name, column in zip(_score_columns(self.frame), values.T, strict=True):
            series = nw.new_series(name, column, backend=self.frame.implementation)
            new.append(series if index is None else nw.maybe_set_index(series, index=index))
        return self.frame.with_columns(*new).to_native()


def read_scores(scores: Any) -> ScoreTable:
    """Read an array, a list of rows or a data frame; complain about what cannot be ranked."""
    try:
        frame = nw.from_native(scores, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"two methods have the same name: {error}") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("scores is a lazy table; collect it first: scores.collect()")
    table = _read_frame(frame) if isinstance(frame, nw.DataFrame) else _read_array(scores)
    n_datasets, n_methods = table.values.shape
    if n_methods < 2 or n_datasets < 1:
        raise ValueError(
            f"scores has {n_datasets} rows and {n_methods} columns of numbers; "
            "it needs a row for each data set and a column for each of 2 or more methods"
        )
    missing = np.argwhere(np.isnan(table.values))
    if len(missing):
        i, j = missing[0]
        raise ValueError(
            f"no score for data set {table.datasets[i]!r} and method {table.methods[j]!r} "
            f"({len(missing)} missing in all); every method must be scored on every data set, "
            "so fill the gap or leave that data set or that method out"
        )
    return table


def _read_array(scores: Any) -> ScoreTable:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"scores must be a table of numbers: {error}") from None
    if values.ndim != 2:
        raise ValueError(
            f"scores must be a table with a row for each data set and a column for each method, "
            f"not an array of {values.ndim} dimensions"
        )
    methods = tuple(f"method {j}" for j in range(values.shape[1]))
    return ScoreTable(values, methods, tuple(f"row {i}" for i in range(len(values))))


def _read_frame(frame: nw.DataFrame[Any]) -> ScoreTable:
    names = _score_columns(frame)
    others = [name for name in frame.columns if name not in names]
    if len(others) > 1:
        raise TypeError(
            f"columns {', '.join(map(repr, others))} are not numbers; one such column may name "
            "the data sets, all others must be scores"
        )
    index = nw.maybe_get_index(frame)
    if others:
        datasets = [str(name) for name in frame.get_column(others[0]).to_list()]
    elif index is not None:
        datasets = [str(name) for name in index]
    else:
        datasets = [f"row {i}" for i in range(len(frame))]
    values = np.empty((len(frame), len(names)))
    for j, name in enumerate(names):
        values[:, j] = frame.get_column(name).cast(nw.Float64).to_numpy()
    return ScoreTable(values, tuple(map(str, names)), tuple(datasets), frame)


def _score_columns(frame: nw.DataFrame[Any]) -> list[str]:
    return [name for name, dtype in frame.schema.items() if dtype.is_numeric()]
