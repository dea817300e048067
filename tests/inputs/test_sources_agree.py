"""The same data gives the same batch, whatever carries it and however it is cut."""

from collections import namedtuple
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from boxwise.inputs import Batch, encode, infer_schema
from boxwise.schema import Schema

NAMES = ("age", "job", "size", "flag", "count", "shop")
CATEGORICAL = ["job", "flag", "shop"]
POSITIONS = [NAMES.index(name) for name in CATEGORICAL]
Rows = list[dict[str, Any]]


def rows() -> st.SearchStrategy[Rows]:
    numbers = st.none() | st.floats(-1e6, 1e6)
    texts = st.none() | st.sampled_from(["a", "b", "1", "", "ä"])
    flags = st.none() | st.booleans()
    counts = st.none() | st.integers(-1000, 1000)
    shops = st.none() | st.integers(0, 3)
    cells = st.tuples(numbers, texts, numbers, flags, counts, shops)
    row = cells.map(lambda values: dict(zip(NAMES, values, strict=True)))
    return st.lists(row, min_size=1, max_size=12)


def as_pandas(table: Rows) -> Any:
    return pd.DataFrame(table, columns=list(NAMES))


def as_nullable_pandas(table: Rows) -> Any:
    types = {
        "age": "Float64",
        "job": "string",
        "flag": "boolean",
        "count": "Int64",
        "shop": "Int64",
    }
    return as_pandas(table).astype(types)


def as_categorical_pandas(table: Rows) -> Any:
    return as_pandas(table).astype(dict.fromkeys(CATEGORICAL, "category"))


def as_polars(table: Rows) -> Any:
    types = (pl.Float64, pl.String, pl.Float64, pl.Boolean, pl.Int64, pl.Int64)
    return pl.DataFrame(table, schema=dict(zip(NAMES, types, strict=True)))


def as_arrow(table: Rows) -> Any:
    return as_polars(table).to_arrow()


def as_object_array(table: Rows) -> Any:
    return np.array([list(row.values()) for row in table], dtype=object)


def as_lists(table: Rows) -> Any:
    return [list(row.values()) for row in table]


def as_pandas_with_years(table: Rows) -> Any:
    return as_pandas(table).set_axis([*range(2020, 2026)], axis="columns")


def as_pandas_with_levels(table: Rows) -> Any:
    frame = as_pandas(table)
    frame.columns = pd.MultiIndex.from_tuples([("staff", name) for name in NAMES])
    return frame


def as_named_tuples(table: Rows) -> Any:
    kind = namedtuple("kind", [*table[0]])
    return [kind(**row) for row in table]


def as_columns(table: Rows) -> Any:
    return {name: [row[name] for row in table] for name in NAMES}


def as_columns_of_arrays(table: Rows) -> Any:
    columns = as_columns(table)
    for name in ("age", "size", "count"):
        columns[name] = np.array(columns[name], dtype=np.float64)
    columns["job"] = np.array(columns["job"], dtype=object)
    columns["shop"] = tuple(columns["shop"])
    return columns


SOURCES = (
    as_pandas,
    as_nullable_pandas,
    as_categorical_pandas,
    as_polars,
    as_arrow,
    as_object_array,
    as_lists,
    as_columns,
    as_columns_of_arrays,
    as_pandas_with_years,
    as_pandas_with_levels,
    as_named_tuples,
)


def reversed_columns(X: Any) -> Any:
    """Return the same table with its columns in reverse order, None if it has no names."""
    if isinstance(X, pd.DataFrame):
        return X[X.columns[::-1]]
    if isinstance(X, dict):
        return dict(reversed(X.items()))
    if isinstance(X, list) and hasattr(X[0], "_fields"):
        return as_named_tuples([dict(reversed(row._asdict().items())) for row in X])
    return X.select(X.columns[::-1]) if isinstance(X, pl.DataFrame) else None


def same(one: Batch, other: Batch) -> None:
    np.testing.assert_array_equal(one.lower, other.lower)
    np.testing.assert_array_equal(one.codes, other.codes)
    assert one.additions == other.additions
    assert one.lower.dtype == other.lower.dtype == np.float64
    assert one.codes.dtype == other.codes.dtype == np.int32


@given(rows(), rows())
@settings(max_examples=60, deadline=None)
def test_every_source_gives_the_same_batch_and_vocabulary(first: Rows, second: Rows) -> None:
    plain = infer_schema(first, POSITIONS)
    learned = encode(first, plain, learn=True)
    plain.absorb(learned.additions)
    later = encode(second, plain, learn=True)
    predicted = encode(second, plain, learn=False)
    for source in SOURCES:
        X, Y = source(first), source(second)
        schema = infer_schema(X, POSITIONS)
        batch = encode(X, schema, learn=True)
        same(batch, learned)
        schema.absorb(batch.additions)
        assert [v.values for v in schema.vocabularies] == [v.values for v in plain.vocabularies]
        same(encode(Y, schema, learn=True), later)
        same(encode(Y, schema, learn=False), predicted)
        moved = reversed_columns(Y)
        if moved is not None:
            same(encode(moved, schema, learn=False), predicted)


def row_by_row(table: Any, schema: Schema) -> tuple[list[Any], list[Any]]:
    lower, codes = [], []
    for i in range(len(table)):
        batch = encode(table[i : i + 1], schema, learn=True)
        schema.absorb(batch.additions)
        lower.append(batch.lower[0])
        codes.append(batch.codes[0])
    return lower, codes


@given(rows())
@settings(max_examples=100, deadline=None)
def test_row_by_row_equals_all_at_once(table: Rows) -> None:
    for X in (table, as_lists(table), as_object_array(table), as_polars(table)):
        schema = infer_schema(X, POSITIONS)
        bulk = encode(X, schema, learn=True)
        lower, codes = row_by_row(X, schema)
        np.testing.assert_array_equal(np.array(lower), bulk.lower)
        np.testing.assert_array_equal(np.array(codes), bulk.codes)
        assert [v.values for v in schema.vocabularies] == bulk.additions


odd_cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**400), 10**400),
    st.floats(),
    st.decimals(),
    st.fractions(),
    st.complex_numbers(),
    st.text(max_size=3),
    st.binary(max_size=2),
    st.dates(),
    st.just(pd.NA),
    st.just(pd.NaT),
    st.just({1: 2}),
    st.builds(np.float32, st.floats(width=32)),
    st.builds(np.int64, st.integers(0, 5)),
)


@given(st.lists(st.tuples(odd_cells, odd_cells), min_size=1, max_size=3), st.booleans())
@settings(max_examples=300, deadline=None)
def test_one_odd_row_fares_as_it_does_among_others(cells: list[Any], learn: bool) -> None:
    """The express lane for single rows has to agree with the general way, errors included."""
    schema = infer_schema([[0.0, "a"]])
    schema.absorb([["a", 1, None]])

    def outcome(row: Any, rows_before: list[Any]) -> Any:
        try:
            batch = encode([*rows_before, row], schema, learn=learn)
        except (ValueError, TypeError) as error:
            return type(error)
        return repr(batch.lower[-1].tolist()), batch.codes[-1].tolist(), repr(batch.additions)

    for row in cells:
        alone = outcome(list(row), [])
        assert alone == outcome(tuple(row), [])
        assert alone == outcome(list(row), [[0.0, "a"]])
