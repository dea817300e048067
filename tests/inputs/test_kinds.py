"""Which columns are numeric, which categorical."""

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxwise.inputs import encode, infer_schema


def kinds(X: Any, categorical_features: Any = "from_dtype") -> str:
    """One letter per column: n for numbers, c for categories."""
    schema = infer_schema(X, categorical_features)
    return "".join("n" if column.kind == "numeric" else "c" for column in schema.columns)


def test_pandas_kinds_follow_the_dtypes() -> None:
    frame = pd.DataFrame(
        {
            "text": ["a", None],
            "object": pd.Series([1, 2], dtype=object),
            "nothing": pd.Series([None, None], dtype=object),
            "category": pd.Categorical([1, 2]),
            "ordered": pd.Categorical(["x", "y"], ordered=True),
            "bool": [True, False],
            "boolean": pd.array([True, None], dtype="boolean"),
            "arrow text": pd.array(["a", None], dtype=pd.ArrowDtype(pa.string())),
            "arrow dictionary": pd.array(
                ["a", None], dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
            ),
            "int": [1, 2],
            "small": np.array([1, 2], dtype=np.uint8),
            "float": [1.0, np.nan],
            "only missing": [np.nan, np.nan],
            "Int64": pd.array([1, None], dtype="Int64"),
            "Float64": pd.array([1.5, None], dtype="Float64"),
            "arrow int": pd.array([1, None], dtype=pd.ArrowDtype(pa.int64())),
            "decimal": pd.array([Decimal("1.5"), None], dtype=pd.ArrowDtype(pa.decimal128(9, 2))),
            "interval": pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 2)]),
            "interval objects": pd.Series([pd.Interval(0, 1), np.nan], dtype=object),
            "sparse": pd.arrays.SparseArray([0.0, 1.0]),
        }
    )
    assert kinds(frame) == "c" * 9 + "n" * 11


def test_polars_kinds_follow_the_dtypes() -> None:
    frame = pl.DataFrame(
        {
            "text": ["a", None],
            "categorical": pl.Series(["a", None], dtype=pl.Categorical),
            "enum": pl.Series(["a", None], dtype=pl.Enum(["a", "b"])),
            "bool": [True, None],
            "object": pl.Series([1, 2], dtype=pl.Object),
            "int": [1, None],
            "float": [1.5, None],
            "decimal": pl.Series([Decimal("1.5"), None], dtype=pl.Decimal(9, 2)),
            "wide": pl.Series([1, None], dtype=pl.Int128),
        }
    )
    assert kinds(frame) == "c" * 5 + "n" * 4


def test_arrow_kinds_follow_the_types() -> None:
    table = pa.table(
        {
            "text": ["a", None],
            "dictionary": pa.array(["a", None]).dictionary_encode(),
            "bool": [True, None],
            "int": [1, None],
            "half": pa.array([1, None], pa.float16()),
            "decimal": [Decimal("1.5"), None],
        }
    )
    assert kinds(table) == "cccnnn"


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.zeros((2, 2)), "nn"),
        (np.zeros((2, 2), np.float32), "nn"),
        (np.zeros((2, 2), np.int8), "nn"),
        (np.zeros((2, 2), bool), "cc"),
        (np.array([["1", "b"]]), "cc"),
        (np.array([["1", "b"]], dtype=np.dtypes.StringDType()), "cc"),
    ],
)
def test_array_kinds_follow_the_dtype(array: Any, expected: str) -> None:
    assert kinds(array) == expected


MIXED_COLUMNS: list[tuple[list[object], str]] = [
    ([1, 2.5], "n"),
    ([np.int64(1), np.float32(2)], "n"),
    ([Decimal(1), Fraction(1, 2)], "n"),
    ([None, 3], "n"),
    ([float("nan"), 3], "n"),
    ([pd.NA, pd.NaT], "?"),
    ([pd.NA, 3], "n"),
    ([True, False], "c"),
    ([True, 1], "c"),
    ([np.True_, 1], "c"),
    (["1", 1], "c"),
    ([None, "a"], "c"),
    ([np.timedelta64(1, "s"), 1], "c"),
    ([pd.Interval(0, 1), None], "n"),
    ([pd.Interval(0, 1), 2], "n"),
]


@pytest.mark.parametrize("source", ["object array", "dicts", "lists", "tuples", "arrays"])
def test_values_decide_where_there_is_no_dtype(source: str) -> None:
    columns = [values for values, kind in MIXED_COLUMNS if kind != "?"]
    expected = "".join(kind for _, kind in MIXED_COLUMNS if kind != "?")
    array = np.empty((2, len(columns)), dtype=object)
    for j, values in enumerate(columns):
        array[:, j] = values
    tables: dict[str, Any] = {
        "object array": array,
        "dicts": [{f"c{j}": cell for j, cell in enumerate(row)} for row in array.tolist()],
        "lists": array.tolist(),
        "tuples": tuple(map(tuple, array.tolist())),
        "arrays": list(array),
    }
    assert kinds(tables[source]) == expected


ALL_MISSING: list[Any] = [
    np.array([[1, None], [2, np.nan]], dtype=object),
    [{"x0": 1, "x1": None}, {"x0": 2, "x1": pd.NA}],
    [[1, None], [2, None]],
    pl.DataFrame({"x0": [1, 2], "x1": pl.Series([None, None], dtype=pl.Null)}),
    pa.table({"x0": [1, 2], "x1": pa.nulls(2)}),
]


@pytest.mark.parametrize("X", ALL_MISSING)
def test_all_missing_without_a_dtype_is_of_unknown_kind_unless_declared(X: Any) -> None:
    assert infer_schema(X).unknown == (1,)
    assert kinds(X, []) == "nn"
    assert kinds(X, [1]) == "nc"
    as_number = encode(X, infer_schema(X, None), learn=True)
    assert np.isnan(as_number.lower[:, 1]).all()
    as_category = encode(X, infer_schema(X, [1]), learn=True)
    assert as_category.additions == [[None]]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"ok": [1, 2], "when": pd.date_range("2020", periods=2)}),
        pd.DataFrame({"ok": [1, 2], "when": pd.to_timedelta([1, 2])}),
        pd.DataFrame({"ok": [1, 2], "when": pd.period_range("2020", periods=2, freq="D")}),
        pl.DataFrame({"ok": [1], "when": [datetime.date(2020, 1, 1)]}),
        pl.DataFrame({"ok": [1], "when": [datetime.time(1)]}),
        pa.table({"ok": [1], "when": [datetime.datetime(2020, 1, 1)]}),
        pl.DataFrame({"ok": [1], "when": [[1, 2]]}),
        pl.DataFrame({"ok": [1], "when": [{"a": 1}]}),
        pa.table({"ok": [1], "when": [[1, 2]]}),
        pa.table({"ok": [1], "when": [b"abc"]}),
    ],
)
def test_unsupported_column_types_are_named_with_a_remedy(X: Any) -> None:
    with pytest.raises(TypeError, match=r"column 'when': type .* not supported; .*to text"):
        infer_schema(X)


@pytest.mark.parametrize(
    "chosen",
    [
        ["b"],
        ("b",),
        np.array(["b"]),
        pd.Index(["b"]),
        [1],
        [-2],
        np.array([1]),
        [False, True, False],
        np.array([False, True, False]),
        pd.Series([False, True, False]),
        ["b", "b"],
    ],
)
def test_categorical_features_as_names_positions_or_mask(chosen: Any) -> None:
    assert kinds(pd.DataFrame({"a": [1], "b": [2], "c": [3]}), chosen) == "ncn"


@pytest.mark.parametrize("nothing", [None, [], (), np.array([])])
def test_no_categorical_features(nothing: Any) -> None:
    assert kinds(pd.DataFrame({"a": [True], "b": [2]}), nothing) == "nn"


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (["d"], "'d', but X has no such column; it has 'a', 'b', 'c'"),
        ([3], "position 3, but X has 3 columns"),
        ([-4], "position -4"),
        ([True], "mask in categorical_features has 1 entries, but X has 3 columns"),
        ("b", "must be 'from_dtype', a list of names"),
        (1, "must be 'from_dtype', a list of names"),
        (["b", 1], "it holds int, str"),
        ([1, True], "it holds bool, int"),
        ([1.0], "it holds float"),
        ([None], "it holds NoneType"),
    ],
)
def test_unusable_categorical_features(chosen: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        infer_schema(pd.DataFrame({"a": [1], "b": [2], "c": [3]}), chosen)


def test_columns_without_names_are_numbered() -> None:
    schema = infer_schema(np.array([[1, "a"]], dtype=object))
    assert not schema.named
    assert schema.names == ("x0", "x1")
    assert infer_schema(np.zeros((1, 2)), ["x1"]).categorical == (1,)


def test_new_schema_has_empty_vocabularies() -> None:
    assert len(infer_schema([{"c": "a"}]).vocabularies[0]) == 0
