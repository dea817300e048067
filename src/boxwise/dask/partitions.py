"""Dask collections as aligned partitions: rows, labels and weights, each a delayed object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

from boxwise.inputs.table import are_positions, column_names, generated_names
from boxwise.schema import Column, Schema, show
from dask import delayed


@dataclass(frozen=True)
class Partition:
    """One partition: its number, and its delayed rows, labels and weights as one triple."""

    number: int
    rows: Any


@dataclass(frozen=True)
class Header:
    """The columns of a table that has not been read: as far as `boxwise.inputs.table.Table`."""

    n_columns: int
    names: tuple[str, ...] | None
    numbered: bool

    def schema(self) -> Schema:
        """Return the columns, of unknown kinds."""
        names = self.names or generated_names(self.n_columns)
        return Schema([Column(name, "unknown") for name in names], named=self.names is not None)


def partitions_of(X: Any, y: Any, sample_weight: Any = None) -> list[Partition]:
    """Return the partitions of a table, its labels and its weights, in order.

    Raises
    ------
    TypeError
        If one of them is not a dask collection.
    ValueError
        If they are not partitioned alike, as far as that is known before they are computed; the
        tasks compare the numbers of rows.
    """
    table = check_table(X)
    columns = {"y": _one_column(y, "y")}
    if sample_weight is not None:
        columns["sample_weight"] = _one_column(sample_weight, "sample_weight")
    for name, column in columns.items():
        _check_alike(table, column, name)
    return [Partition(*each) for each in enumerate(_triples(table, *columns.values()))]


def _triples(X: Any, y: Any, sample_weight: Any = None) -> list[Any]:
    given = [X, y] if sample_weight is None else [X, y, sample_weight]
    if all(isinstance(collection, dd.DataFrame | dd.Series) for collection in given):
        # As one expression: what they are taken from is read and shuffled once for all of them.
        nothing = pd.Series(dtype=object)
        how = {"meta": nothing, "enforce_metadata": False, "align_dataframes": False}
        return [*dd.map_partitions(_triple, *given, **how).to_delayed()]
    parts = zip(*map(_delayed, given), strict=True)
    return [delayed(_triple)(*part) for part in parts]


def _triple(X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Any, Any]:
    return X, y, sample_weight


def check_table(X: Any) -> Any:
    """Return X if it is a dask table; an array with all columns in one chunk."""
    if isinstance(X, dd.DataFrame):
        return X
    if not isinstance(X, da.Array):
        raise TypeError(
            f"X must be a dask DataFrame or a dask Array, not {_kind(X)}; make one with "
            "dask.dataframe.from_pandas or dask.array.from_array, or use HyperboxClassifier, "
            "which to_local() returns"
        )
    if X.ndim != 2:
        raise ValueError(
            f"X must have rows and columns, but has {X.ndim} dimension{'s' * (X.ndim != 1)}; "
            "use X.reshape(-1, 1) if it is one column"
        )
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def header_of(X: Any) -> Header:
    """Return what is known of the columns of a dask table before it is computed."""
    if isinstance(X, da.Array):
        return Header(int(X.shape[1]), None, numbered=False)
    numbered = are_positions(X.columns)
    return Header(len(X.columns), None if numbered else column_names(X.columns), numbered=numbered)


def _one_column(column: Any, name: str) -> Any:
    """Return labels or weights as a collection of one dimension."""
    if isinstance(column, dd.DataFrame) and len(column.columns) == 1:
        return column[column.columns[0]]
    if isinstance(column, da.Array) and column.ndim == 2 and column.shape[1] == 1:
        return column[:, 0]
    if isinstance(column, dd.DataFrame) or (isinstance(column, da.Array) and column.ndim != 1):
        raise ValueError(f"{name} must be one column; choose one, for example {name}['label']")
    if not isinstance(column, dd.Series | da.Array):
        raise TypeError(
            f"{name} must be a dask Series or a dask Array, not {_kind(column)}; make one with "
            "dask.dataframe.from_pandas or dask.array.from_array, partitioned as X"
        )
    return column


def _check_alike(X: Any, column: Any, name: str) -> None:
    rows, others = _row_chunks(X), _row_chunks(column)
    if len(rows) != len(others):
        raise ValueError(
            f"X has {len(rows)} partitions, but {name} has {len(others)}; {_remedy(X, name)}"
        )
    for number, (n, m) in enumerate(zip(rows, others, strict=True)):
        if n != m and not np.isnan(n) and not np.isnan(m):
            raise ValueError(
                f"partition {number} of X has {n} rows, but that of {name} has {m}; "
                f"{_remedy(X, name)}"
            )


def _remedy(X: Any, name: str) -> str:
    if isinstance(X, da.Array) and not any(np.isnan(n) for n in X.chunks[0]):
        return f"use {name}.rechunk((X.chunks[0],))"
    return "take both from one table, so that they are partitioned alike"


def _row_chunks(collection: Any) -> tuple[float, ...]:
    """Return the number of rows of each partition, NaN where it is not known."""
    if isinstance(collection, da.Array):
        chunks: tuple[float, ...] = collection.chunks[0]
        return chunks
    return (np.nan,) * int(collection.npartitions)


def _delayed(collection: Any) -> list[Any]:
    return [*np.ravel(collection.to_delayed())]


def _kind(value: Any) -> str:
    kind = type(value)
    if kind.__module__ == "builtins":
        return show(value) if value is None else f"a {kind.__qualname__}"
    return f"a {kind.__qualname__} of {kind.__module__.partition('.')[0]}"
