"""A table given as a mapping from column to values."""

from typing import Any

import numpy as np
import pytest

from boxwise import HyperboxClassifier
from boxwise.inputs import encode, infer_schema


def test_arrays_go_by_their_type_and_lists_by_their_values() -> None:
    schema = infer_schema(
        {
            "whole": np.array([1, 2]),
            "word": np.array(["a", "b"]),
            "flag": np.array([True, False]),
            "anything": np.array([1.5, None], dtype=object),
            "listed": [1, None],
            "tuple": ("x", 2),
        }
    )
    assert schema.numeric_names == ("whole", "anything", "listed")
    assert schema.categorical_names == ("word", "flag", "tuple")


def test_columns_are_matched_by_name_in_any_order() -> None:
    schema = infer_schema({"age": [1.0, 2.0], "job": ["cook", "smith"]})
    batch = encode({"job": ["cook"], "age": np.array([3.0])}, schema, learn=True)
    assert batch.lower.tolist() == [[3.0]]
    assert batch.additions == [["cook"]]


def test_masked_values_are_missing() -> None:
    X = {"age": np.ma.masked_array([1, 2], [False, True]), "job": ["cook", "smith"]}
    np.testing.assert_array_equal(encode(X, infer_schema(X), learn=True).lower, [[1], [np.nan]])


def test_a_table_of_one_row_is_a_table() -> None:
    X = {"age": [31], "job": ["cook"]}
    assert HyperboxClassifier().fit(X, ["yes"]).predict(X).tolist() == ["yes"]


@pytest.mark.parametrize("row", [{"age": 40, "job": "cook"}, {"age": None}, {}])
def test_a_single_row_must_still_be_wrapped(row: Any) -> None:
    with pytest.raises(TypeError, match=r"X is a single dict; wrap it in a list: \[X\]"):
        infer_schema(row)


def test_a_value_among_columns_is_named() -> None:
    with pytest.raises(TypeError, match="column 'job': 'cook' is not a list of values"):
        infer_schema({"age": [1, 2], "job": "cook"})


def test_columns_of_different_lengths_are_named() -> None:
    with pytest.raises(ValueError, match="column 'job' has 1 values, but column 'age' has 2"):
        infer_schema({"age": [1, 2], "job": ["cook"]})


def test_a_column_has_one_dimension() -> None:
    with pytest.raises(ValueError, match="column 'age': the array has 2 dimensions"):
        infer_schema({"age": np.zeros((2, 2))})


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.array([1j]), "column 'a': Complex data not supported"),
        (np.zeros(1, "datetime64[s]"), "column 'a': an array of dtype datetime64"),
    ],
)
def test_an_array_that_cannot_be_read_names_its_column(array: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        infer_schema({"a": array})


@pytest.mark.parametrize("nothing", [[], np.empty(0)])
def test_columns_without_rows_are_refused(nothing: Any) -> None:
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        infer_schema({"a": nothing})


def test_text_in_a_column_of_numbers_names_column_and_row() -> None:
    schema = infer_schema({"age": [1, 2]})
    with pytest.raises(ValueError, match=r"column 'age': 'old' is not a number \(row 1\)"):
        encode({"age": [1, "old"]}, schema, learn=False)
