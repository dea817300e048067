"""Numeric columns: what is a number, what is missing, what is too large."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxwise.inputs import encode, infer_schema
from boxwise.inputs.numbers import LIMIT, within_limit
from boxwise.schema import Column, Schema

NUMBERS = Schema([Column("age", "numeric"), Column("size", "numeric")], named=True)


def encode_ages(ages: list[Any]) -> list[float]:
    rows = [{"age": age, "size": 0.5} for age in ages]
    lower: list[float] = encode(rows, NUMBERS, learn=True).lower[:, 0].tolist()
    return lower


def refusal(ages: list[Any]) -> str:
    """The error for a column of ages, which must not depend on how the rows are handed over."""
    rows = [{"age": age, "size": 0.5} for age in ages]
    array = np.empty((len(ages), 2), object)
    array[:, 0], array[:, 1] = ages, 0.5
    messages = set()
    for X, schema in ((rows, NUMBERS), (array, unnamed())):
        with pytest.raises((ValueError, TypeError)) as caught:
            encode(X, schema, learn=True)
        messages.add(str(caught.value).replace("'x0'", "'age'"))
    (message,) = messages
    return message


def unnamed() -> Schema:
    return infer_schema(np.zeros((1, 2)))


def test_all_real_numbers_are_read_exactly() -> None:
    ages = [1, 2.5, np.int8(3), np.float32(0.5), Decimal("1.25"), Fraction(1, 4), np.uint64(7)]
    assert encode_ages(ages) == [1.0, 2.5, 3.0, 0.5, 1.25, 0.25, 7.0]
    for age, number in zip(ages, encode_ages(ages), strict=True):
        assert encode_ages([age]) == [number]


def test_truth_values_count_as_zero_and_one() -> None:
    assert encode_ages([True, np.False_, 2]) == [1.0, 0.0, 2.0]
    X = np.array([[True, False]])
    assert encode(X, infer_schema(X, None), learn=True).lower.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    "missing",
    [None, math.nan, np.nan, np.float32("nan"), pd.NA, pd.NaT, Decimal("nan")],
)
def test_missing_numbers_are_nan(missing: Any) -> None:
    assert math.isnan(encode_ages([missing])[0])
    one, gap = encode_ages([1, missing])
    assert one == 1
    assert math.isnan(gap)


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        pd.DataFrame({"a": pd.array([1, None], dtype="Float64")}),
        pd.DataFrame({"a": pd.array([1, None], dtype=pd.ArrowDtype(pa.int64()))}),
        pd.DataFrame({"a": pd.array([Decimal(1), None], dtype=pd.ArrowDtype(pa.decimal128(9, 2)))}),
        pl.DataFrame({"a": [1, None]}),
        pl.DataFrame({"a": [1.0, None]}),
        pl.DataFrame({"a": pl.Series([1, None], dtype=pl.Decimal(9, 2))}),
        pl.DataFrame({"a": pl.Series([1, None], dtype=pl.Int128)}),
        pa.table({"a": [1, None]}),
        pa.table({"a": pa.chunked_array([[1.0], [None]])}),
        pa.table({"a": [Decimal(1), None]}),
    ],
)
def test_missing_numbers_of_any_frame_are_nan(X: Any) -> None:
    np.testing.assert_array_equal(encode(X, infer_schema(X), learn=True).lower, [[1], [np.nan]])


def test_text_in_a_number_column_is_refused_with_column_value_row_and_remedy() -> None:
    assert refusal([*range(17), "abc"]) == (
        "column 'age': 'abc' is not a number (row 17); "
        "convert the column to numbers, or list it in categorical_features"
    )


def test_text_that_looks_like_a_number_is_not_converted() -> None:
    assert refusal([1, "12"]).startswith("column 'age': '12' is not a number (row 1)")
    assert refusal(["12"]).startswith("column 'age': '12' is not a number (row 0)")
    assert refusal([np.str_("12")]).startswith("column 'age': '12' is not a number (row 0)")


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": ["1"]}),
        pl.DataFrame({"a": ["1"]}),
        pa.table({"a": ["1"]}),
        pd.DataFrame({"a": pd.Categorical(["1"])}),
        np.array([["1"]]),
        [["1"]],
    ],
)
def test_text_columns_said_to_be_numbers_are_refused(X: Any) -> None:
    with pytest.raises(ValueError, match=r"column '(a|x0)': '1' is not a number \(row 0\)"):
        encode(X, infer_schema(X, None), learn=True)


def test_other_objects_in_a_number_column_are_a_type_error() -> None:
    with pytest.raises(
        TypeError, match=r"column 'age': \{'foo': 'bar'\} is not a number \(row 0\)"
    ) as e:
        encode_ages([{"foo": "bar"}])
    assert "argument must be a string or a real number" in str(e.value)
    with pytest.raises(TypeError, match="is not a number"):
        encode_ages([pd.Timestamp("2020-01-01")])
    with pytest.raises(TypeError, match="is not a number"):
        encode_ages([np.timedelta64(3, "s")])


def test_long_values_are_shortened_in_messages() -> None:
    assert len(refusal(["a" * 10_000])) < 300


@pytest.mark.parametrize("infinity", [math.inf, np.float32("inf"), Decimal("inf")])
def test_infinity_is_refused(infinity: Any) -> None:
    assert refusal([1, 2, 3, infinity]).startswith("column 'age': inf is not finite (row 3)")
    assert refusal([-infinity]).startswith("column 'age': -inf is not finite (row 0)")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
def test_infinity_in_an_array_is_refused(dtype: Any) -> None:
    X = np.zeros((5, 3), dtype)
    schema = infer_schema(X)
    X[0, 0] = np.nan
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match=r"column 'x1': inf is not finite \(row 3\)"):
        encode(X, schema, learn=False)


def test_numbers_up_to_the_limit_are_accepted() -> None:
    X = np.array([[1e150, -1e150, np.nan], [0, 1e-320, 1e150]])
    np.testing.assert_array_equal(encode(X, infer_schema(X), learn=True).lower, X)
    assert encode_ages([1e150, 10**150]) == [1e150, 1e150]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1e200, "1e200"),
        (-1.5e151, "-1.5e151"),
        (10**200, "1e200"),
        (10**400, "an integer of about 401 digits"),
        pytest.param(10**10_000, "an integer of about 10001 digits", id="unprintable"),
        (Decimal("1e400"), "1E+400"),
    ],
)
def test_numbers_beyond_the_limit_are_refused(value: Any, shown: str) -> None:
    expected = f"column 'age': {shown} is beyond ±1e150 (row {{}}); rescale the column"
    assert refusal([0, 0, 0, value]) == expected.format(3)
    assert refusal([value]) == expected.format(0)


def test_a_huge_fraction_is_refused() -> None:
    assert "is beyond ±1e150 (row 0); rescale" in refusal([Fraction(10**400, 3)])


def test_a_huge_long_double_is_refused() -> None:
    X = np.array([[np.longdouble("1e400")]])
    if np.isinf(X[0, 0]):
        pytest.skip("long double is not longer than double here")
    with pytest.raises(ValueError, match="column 'x0'"):
        encode(X, infer_schema(X), learn=True)


def test_numbers_beyond_the_limit_in_an_array_are_refused() -> None:
    X = np.zeros((5, 3))
    X[2, 2] = 1e160
    with pytest.raises(ValueError, match=r"column 'x2': 1e160 is beyond ±1e150 \(row 2\)"):
        encode(X, infer_schema(X), learn=True)


@pytest.mark.parametrize("rows", [2, 5_000])
@pytest.mark.parametrize(
    ("number", "within"),
    [
        *((number, True) for number in (LIMIT, -LIMIT, math.nan)),
        *((number, False) for number in (1e151, -1e151, math.inf, -math.inf)),
    ],
)
def test_within_limit_finds_a_number_in_tables_of_any_size(
    rows: int, number: float, within: bool
) -> None:
    numbers = np.random.default_rng(0).random((rows, 3))
    numbers[rows // 2, 1] = number
    assert within_limit(numbers) is within
    numbers[0, 2] = math.nan
    assert within_limit(numbers) is within
    assert within_limit(np.full((rows, 3), math.nan))
