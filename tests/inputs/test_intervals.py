"""Intervals: from a second table of upper bounds, or from pandas.Interval values."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxwise.inputs import Batch, encode, infer_schema

LOWER = pd.DataFrame({"a": [1.0, 2.0], "c": ["x", "y"], "b": [10.0, 20.0]})
UPPER = pd.DataFrame({"a": [1.5, 2.0], "b": [11.0, 21.0]})


def encode_bounds(lower: Any, upper: Any) -> Batch:
    return encode(lower, infer_schema(lower, upper=upper), learn=True, upper=upper)


def check(batch: Batch) -> None:
    assert batch.lower.tolist() == [[1.0, 10.0], [2.0, 20.0]]
    assert batch.upper.tolist() == [[1.5, 11.0], [2.0, 21.0]]
    assert batch.upper.flags.c_contiguous
    assert batch.additions == [["x", "y"]]


@pytest.mark.parametrize(
    "upper",
    [
        UPPER,
        UPPER[["b", "a"]],
        pl.DataFrame({"b": [11, 21], "a": [1.5, 2.0]}),
        pa.table({"b": [11, 21], "a": [1.5, 2.0]}),
        UPPER.to_dict("records"),
        UPPER.to_numpy(),
        UPPER.to_numpy().tolist(),
        UPPER.assign(c="anything at all"),
    ],
)
def test_upper_bounds_match_by_name_or_among_the_continuous_columns(upper: Any) -> None:
    check(encode_bounds(LOWER, upper))
    check(encode_bounds(LOWER.to_dict("records"), upper))


def test_upper_bounds_of_unnamed_rows_match_by_position() -> None:
    lower = LOWER.to_numpy(dtype=object)
    check(encode_bounds(lower, UPPER))
    check(encode_bounds(lower, UPPER.to_numpy()))
    numbers = np.array([[1.0, 2.0]])
    batch = encode_bounds(numbers, numbers + 1)
    assert batch.upper.tolist() == [[2.0, 3.0]]


def test_shuffled_columns_keep_their_upper_bounds() -> None:
    schema = infer_schema(LOWER)
    check(encode(LOWER[["b", "c", "a"]], schema, learn=True, upper=UPPER))


@pytest.mark.parametrize(
    ("upper", "words"),
    [
        (UPPER[["a"]], "upper has no column 'b'; give an upper bound for each"),
        (UPPER.assign(d=1), "upper has the columns 'd', which are not numeric"),
        (UPPER.iloc[:1], "upper has 1 rows, but X has 2"),
        (np.zeros((2, 3)), r"upper has 3 columns, but there are 2 numeric ones \('a', 'b'\)"),
    ],
)
def test_upper_bounds_that_do_not_fit_are_refused(upper: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        infer_schema(LOWER, upper=upper)
    with pytest.raises(ValueError, match=words):
        encode(LOWER, infer_schema(LOWER), learn=True, upper=upper)


def test_bounds_the_wrong_way_round_name_column_row_and_both_numbers() -> None:
    with pytest.raises(
        ValueError,
        match=r"column 'b': the lower bound 20.0 is above the upper bound 19.5 \(row 1\)",
    ):
        encode_bounds(LOWER, UPPER.assign(b=[11.0, 19.5]))


def test_a_bound_missing_on_one_side_names_column_and_row() -> None:
    with pytest.raises(ValueError, match=r"column 'a': the upper bound is missing .* \(row 0\)"):
        encode_bounds(LOWER, UPPER.assign(a=[None, 2.0]))
    with pytest.raises(ValueError, match=r"column 'b': the lower bound is missing .* \(row 1\)"):
        encode_bounds(LOWER.assign(b=[10.0, None]), UPPER)


def test_both_bounds_missing_is_a_missing_value() -> None:
    batch = encode_bounds(LOWER.assign(a=[None, 2.0]), UPPER.assign(a=[None, 2.0]))
    assert np.isnan(batch.lower[0, 0])
    assert np.isnan(batch.upper[0, 0])


def test_upper_bounds_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match=r"column 'b': inf is not finite \(row 1\)"):
        encode_bounds(LOWER, UPPER.assign(b=[11.0, np.inf]))
    with pytest.raises(ValueError, match=r"column 'b': 'x' is not a number \(row 1\)"):
        encode_bounds(LOWER, UPPER.assign(b=[11.0, "x"]))


def intervals() -> list[Any]:
    return [pd.Interval(0, 2, closed="both"), None, pd.Interval(3, 3.5, closed="left")]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame(
            {"a": pd.arrays.IntervalArray.from_tuples([(0, 2), None, (3, 3.5)]), "b": 1.0}
        ),
        pd.DataFrame({"a": pd.Series(intervals(), dtype=object), "b": 1.0}),
        pd.DataFrame(
            {"a": pd.Series([*intervals()[:1], np.nan, intervals()[2]], dtype=object), "b": 1}
        ),
        [{"a": cell, "b": 1.0} for cell in intervals()],
        [[cell, 1.0] for cell in intervals()],
        np.array([[cell, 1.0] for cell in intervals()], dtype=object),
    ],
)
def test_pandas_intervals_are_lower_and_upper_bounds(X: Any) -> None:
    schema = infer_schema(X)
    assert schema.continuous == (0, 1)
    batch = encode(X, schema, learn=True)
    np.testing.assert_array_equal(batch.lower, [[0, 1], [np.nan, 1], [3, 1]])
    np.testing.assert_array_equal(batch.upper, [[2, 1], [np.nan, 1], [3.5, 1]])


def test_numbers_and_intervals_may_share_a_column() -> None:
    batch = encode([[pd.Interval(0, 1)], [5]], infer_schema([[5]]), learn=True)
    assert batch.lower.tolist() == [[0.0], [5.0]]
    assert batch.upper.tolist() == [[1.0], [5.0]]


def test_intervals_together_with_upper_are_refused() -> None:
    X = [[pd.Interval(0, 1)]]
    with pytest.raises(ValueError, match="X holds intervals and upper is given as well"):
        encode(X, infer_schema(X), learn=True, upper=[[2]])
    with pytest.raises(ValueError, match="upper holds intervals"):
        encode([[0]], infer_schema(X), learn=True, upper=X)


def test_an_interval_of_dates_is_not_a_number() -> None:
    X = pd.DataFrame({"a": pd.interval_range(pd.Timestamp("2020"), periods=2)})
    with pytest.raises(TypeError, match=r"column 'a'.*is not a number"):
        encode(X, infer_schema(X), learn=True)


def test_an_infinite_interval_is_refused() -> None:
    X = [[pd.Interval(0, float("inf"))]]
    with pytest.raises(ValueError, match=r"column 'x0': inf is not finite \(row 0\)"):
        encode(X, infer_schema(X), learn=True)


def test_without_intervals_upper_is_the_very_same_array() -> None:
    decimals = [{"a": Decimal(1), "c": "x"}, {"a": pd.NA, "c": "y"}]
    for X in (LOWER, LOWER.to_numpy(dtype=object), LOWER.to_dict("records"), decimals):
        batch = encode(X, infer_schema(X), learn=True)
        assert batch.upper is batch.lower
