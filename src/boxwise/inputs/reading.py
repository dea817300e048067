"""Choosing the reader for a table."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from boxwise.inputs.arrays import ArrayTable
from boxwise.inputs.columns import read_columns
from boxwise.inputs.frames import read_frame
from boxwise.inputs.rows import field_names, read_dicts, read_records, read_sequences
from boxwise.inputs.table import Table, check_shape


def read_table(X: Any, expected: tuple[str, ...] | None = None) -> Table:
    """Return a reader for X.

    Parameters
    ----------
    X : table
        A data frame, an array, a mapping of columns, a list of dicts, of named tuples or of lists,
        or what NumPy takes for an array.
    expected : tuple of str, optional
        The keys that each row must have, if the rows are dicts or named tuples.
    """
    if isinstance(X, np.ndarray):
        return ArrayTable(X)
    if isinstance(X, list | tuple):
        return _read_list(X, expected)
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(X):
        raise TypeError(
            "Sparse data was passed, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    if isinstance(X, Mapping):  # asked after sparse, because one sparse format is a dict
        columns = read_columns(X)
        if columns is None:
            raise TypeError("X is a single dict; wrap it in a list: [X]")
        return columns
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(X, arrow.RecordBatch):
        X = arrow.Table.from_batches([X])
    return read_frame(X) or ArrayTable(X)


def _read_list(rows: list[Any] | tuple[Any, ...], expected: tuple[str, ...] | None) -> Table:
    if not rows:
        check_shape((0,))
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(rows[0], pandas.Series):  # as iterrows gives them
        rows = [row.to_dict() if isinstance(row, pandas.Series) else row for row in rows]
    first = rows[0]
    if isinstance(first, Mapping):
        return read_dicts(rows, expected)
    if field_names(first) is not None:
        return read_records(rows, expected)
    if isinstance(first, list | tuple) or (isinstance(first, np.ndarray) and first.ndim == 1):
        return read_sequences(rows)
    return ArrayTable(rows)
