"""Columns that cannot be learned are refused before a task starts."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: make spark")

import pyarrow as pa

from boxwise.spark import SparkHyperboxClassifier
from boxwise.spark.columns import Layout


@pytest.fixture
def rows(spark):
    return spark.sql(
        "select 1.5D as x, date'2024-01-01' as day, timestamp'2024-01-01 00:00:00' as time, "
        "array(1) as list, map('a', 1) as pairs, interval 1 day as span, x'00' as bytes, "
        "array('a') as words, 'a' as label, 1.5BD as price"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("day", "column 'day': type date is not supported; convert the column to numbers, for"),
        ("time", "column 'time': type timestamp is not supported; convert the column to numbers"),
        ("span", "column 'span': type interval day is not supported; convert the column to"),
        ("list", "column 'list': type array<int> is not supported; spread it over several"),
        ("pairs", "column 'pairs': type map<string,int> is not supported; spread it over"),
        ("bytes", "column 'bytes': type binary is not supported; convert the column to numbers"),
    ],
)
def test_columns_of_other_types_are_refused_with_a_remedy(rows, name, message):
    with pytest.raises(TypeError, match="^" + message):
        SparkHyperboxClassifier(featuresCols=["x", name]).fit(rows)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({}, ValueError, r"there is no column 'features' of features; name the columns with feat"),
        ({"featuresCol": "words"}, TypeError, "column 'words': type array<string> is not support"),
        ({"featuresCols": []}, ValueError, "featuresCols is empty; name at least one column"),
        ({"featuresCols": ["x", "x"]}, ValueError, "featuresCols names column 'x' twice"),
        (
            {"featuresCols": ["x", "z"]},
            ValueError,
            r"there is no column 'z'; the columns are \['x'",
        ),
        ({"featuresCols": ["x", "label"]}, ValueError, "'label' is both the label and a feature"),
        (
            {"featuresCols": ["x"], "featuresCol": "list"},
            ValueError,
            "both featuresCol and featuresCols are set",
        ),
        (
            {"featuresCols": ["x"], "labelCol": "day"},
            TypeError,
            "column 'day': labels of type date are not supported; cast them to string",
        ),
        (
            {"featuresCols": ["x"], "labelCol": "price"},
            TypeError,
            r"column 'price': labels of type decimal\(2,1\) are not supported",
        ),
        (
            {"featuresCols": ["x"], "weightCol": "label"},
            TypeError,
            "column 'label': weights of type string are not supported; cast them to double",
        ),
        ({"featuresCols": ["x"], "tuneRows": -1}, ValueError, "tuneRows must be a whole number"),
    ],
)
def test_wrong_columns_and_parameters_are_refused(rows, parameters, error, message):
    with pytest.raises(error, match=message):
        SparkHyperboxClassifier(**parameters).fit(rows)


def test_two_columns_of_one_name_are_refused(rows):
    twice = rows.select("x", "x", "label")
    with pytest.raises(ValueError, match="there are 2 columns 'x'; rename all but one"):
        SparkHyperboxClassifier(featuresCols=["x"]).fit(twice)


def test_zeros_lose_their_sign_so_that_equal_rows_are_the_same_row():
    column = pa.array([-0.0, 0.0, None])
    table = Layout(("x",), packed=False).table([column])
    assert not np.signbit(table["x"].to_numpy()[:2]).any()
    lists = pa.array([[-0.0, 1.0]])
    assert not np.signbit(Layout(("v",), packed=True).table([lists])).any()


def test_lists_of_several_lengths_are_refused():
    lists = pa.array([[1.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="column 'v': a row has 2 features, others have 1"):
        Layout(("v",), packed=True).table([lists])
