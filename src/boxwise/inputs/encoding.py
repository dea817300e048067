"""From any table to a Batch, by way of the schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.inputs.batch import Batch
from boxwise.inputs.categories import to_codes, warn_of_spelling
from boxwise.inputs.dated import DatedTable, check_no_dates, has_parts
from boxwise.inputs.fast_path import encode_fast
from boxwise.inputs.intervals import check_bounds
from boxwise.inputs.kinds import kinds_found
from boxwise.inputs.matching import match_columns, match_upper
from boxwise.inputs.numbers import check_range, to_floats
from boxwise.inputs.reading import read_table
from boxwise.inputs.table import Table
from boxwise.schema import Schema


def encode(
    X: Any,
    schema: Schema,
    *,
    learn: bool,
    upper: Any = None,
    reader: str = "the model",
    assign_kinds: bool = False,
) -> Batch:
    """Turn a table into arrays.

    The schema is not changed, so that an error leaves nothing half done: call
    ``schema.absorb(batch.additions)`` once the batch is learned.

    Parameters
    ----------
    X : table
        pandas or polars DataFrame, Arrow table, array, mapping of columns, list of dicts, of named
        tuples or of lists. Columns are matched by name if both X and the schema have names, else by
        position.
        None, NaN, pandas.NA and NaT are missing values. pandas.Interval values are intervals from
        left to right; whether they include their ends is ignored.
    schema : Schema
        What the columns are.
    learn : bool
        Whether category values not in the schema get new codes, listed in ``Batch.additions``.
        Otherwise their code is -1.
    upper : table, optional
        The upper bounds of the numeric columns, if X holds the lower bounds: by name if both
        have names (all columns of X may then be there), else in the order of the numeric ones.
    reader : str
        Who reads the table: errors and warnings about its columns name it.
    assign_kinds : bool
        Whether columns of unknown kind get one by their values, listed in ``Batch.kinds``.
        Otherwise what is in them is left out.

    Returns
    -------
    Batch

    Examples
    --------
    >>> from boxwise.inputs import infer_schema
    >>> rows = [{"age": 31, "job": "cook"}, {"age": None, "job": "smith"}]
    >>> schema = infer_schema(rows)
    >>> batch = encode(rows, schema, learn=True)
    >>> batch.codes.tolist(), batch.additions
    ([[0], [1]], [['cook', 'smith']])
    >>> schema.absorb(batch.additions)
    >>> encode([{"age": 52, "job": "nurse"}], schema, learn=False).codes.tolist()
    [[-1]]
    """
    assign_kinds = assign_kinds and bool(schema.unknown)
    if upper is None and not assign_kinds:
        batch = encode_fast(X, schema, learn=learn)
        if batch is not None:
            return batch
    table, wanted = _read_table(X, schema)
    positions = match_columns(table, schema, reader, wanted)
    if wanted != schema.names:
        table = DatedTable(table, schema, dict(zip(wanted, positions, strict=True)))
        positions = range(schema.n_features)
    kinds = kinds_found(table, schema, positions) if assign_kinds else {}
    if kinds:
        schema = schema.with_kinds(kinds)
    numeric = [positions[j] for j in schema.numeric]
    lower, highest = _read_numbers(table, numeric, schema.numeric_names)
    if upper is not None:
        if highest is not lower:
            raise ValueError(
                "X holds intervals and upper is given as well; "
                "pass intervals in X, or lower and upper bounds as numbers"
            )
        check_no_dates(schema)
        highest = _read_upper(read_table(upper), table, schema, positions)
    if highest is not lower:
        check_bounds(lower, highest, schema.numeric_names)
    codes, additions = _read_codes(table, schema, positions, learn=learn)
    return Batch(lower, highest, codes, additions, kinds)


def _read_table(X: Any, schema: Schema) -> tuple[Table, tuple[str, ...]]:
    """Return a reader for X, and the columns that it should have.

    These are the dates, or, as files are read, columns of their parts.
    """
    expected = schema.inputs if schema.named else None
    if not schema.dates:
        return read_table(X, expected), schema.names
    parts = {schema.names[j] for places in schema.dates.values() for j in places}
    if has_parts(_keys(X), schema.dates, parts):
        expected = schema.names
    table = read_table(X, expected)
    return table, schema.names if has_parts(table.names, schema.dates, parts) else schema.inputs


def _keys(X: Any) -> Sequence[object] | None:
    """Return the keys of the first row, if the rows are dicts."""
    rows = isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)
    return [*X[0]] if rows else None


def _read_numbers(
    table: Table, positions: Sequence[int], names: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bounds of these columns; one and the same array without intervals."""
    lower = upper = table.matrix(positions)
    if lower is None or upper is None:
        columns = [
            to_floats(table.numbers(j), name) for j, name in zip(positions, names, strict=True)
        ]
        lower = upper = _side_by_side([low for low, _ in columns], table.n_rows)
        if any(high is not low for low, high in columns):
            upper = _side_by_side([high for _, high in columns], table.n_rows)
            check_range(upper, names)
    check_range(lower, names)
    return lower, upper


def _side_by_side(columns: list[NDArray[np.float64]], n_rows: int) -> NDArray[np.float64]:
    matrix = np.empty((n_rows, len(columns)))
    for j, column in enumerate(columns):
        matrix[:, j] = column
    return matrix


def _read_upper(
    upper: Table, table: Table, schema: Schema, positions: Sequence[int]
) -> NDArray[np.float64]:
    names = schema.numeric_names
    highest, also = _read_numbers(upper, match_upper(upper, table, schema, positions), names)
    if also is not highest:
        raise ValueError("upper holds intervals; give the upper bounds as numbers")
    return highest


def _read_codes(
    table: Table, schema: Schema, positions: Sequence[int], *, learn: bool
) -> tuple[NDArray[np.int32], list[list[object]]]:
    codes = np.empty((table.n_rows, len(schema.categorical)), np.int32)
    additions = []
    for k, j in enumerate(schema.categorical):
        values, vocabulary, name = (
            table.values(positions[j]),
            schema.vocabularies[k],
            schema.names[j],
        )
        codes[:, k], new = to_codes(values, vocabulary, learn=learn, name=name)
        warn_of_spelling(values, codes[:, k], vocabulary, name)
        additions.append(new)
    return codes, additions
