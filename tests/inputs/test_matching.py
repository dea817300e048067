"""Columns are matched by name where there are names, else by position."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxwise.inputs import encode, infer_schema
from boxwise.schema import Schema

ROWS = [{"age": 31.0, "job": "cook", "size": 1.5}, {"age": 44.0, "job": "smith", "size": 1.8}]


def named() -> Schema:
    schema = infer_schema(ROWS)
    schema.absorb([["cook", "smith"]])
    return schema


def unnamed() -> Schema:
    schema = infer_schema([list(row.values()) for row in ROWS])
    schema.absorb([["cook", "smith"]])
    return schema


@pytest.fixture(autouse=True)
def _no_warnings() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def check(X: Any, schema: Schema) -> None:
    batch = encode(X, schema, learn=False)
    assert batch.lower.tolist() == [[31.0, 1.5], [44.0, 1.8]]
    assert batch.codes.tolist() == [[0], [1]]


def test_names_match_in_any_order() -> None:
    shuffled = [{key: row[key] for key in ("size", "age", "job")} for row in ROWS]
    for X in (
        shuffled,
        pd.DataFrame(shuffled),
        pl.DataFrame(shuffled),
        pa.Table.from_pylist(shuffled),
    ):
        check(X, named())
    assert encode(shuffled[:1], named(), learn=False).lower.tolist() == [[31.0, 1.5]]


def test_missing_and_extra_columns_are_listed_with_the_remedy() -> None:
    frame = pd.DataFrame(ROWS)
    with pytest.raises(ValueError) as caught:
        encode(frame.rename(columns={"job": "work", "age": "years"}), named(), learn=False)
    assert str(caught.value) == (
        "The feature names should match those that were passed during fit.\n"
        "Feature names unseen at fit time:\n- work\n- years\n"
        "Feature names seen at fit time, yet now missing:\n- age\n- job\n"
        "Drop the columns that were not there when learning.\n"
        "Add the missing columns; None stands for a missing value."
    )
    with pytest.raises(ValueError, match="yet now missing:\n- job\nAdd the missing"):
        encode(frame.drop(columns="job"), named(), learn=False)
    with pytest.raises(ValueError, match="unseen at fit time:\n- new\nDrop the columns"):
        encode(frame.assign(new=1), named(), learn=False)


def test_only_the_first_names_are_listed() -> None:
    many = pd.DataFrame(np.zeros((1, 50)), columns=[f"c{j:02}" for j in range(50)])
    with pytest.raises(ValueError, match=r"- c04\n- \.\.\.\n"):
        encode(many, named(), learn=False)


@pytest.mark.parametrize("n_good", [0, 1])
def test_a_dict_without_a_column_names_column_and_row(n_good: int) -> None:
    bad = {"age": 1.0, "job": "cook"}
    with pytest.raises(
        ValueError, match=rf"column 'size' is absent \(row {n_good}\); use None for a missing value"
    ):
        encode([*ROWS[:n_good], bad], named(), learn=False)


@pytest.mark.parametrize("n_good", [0, 1])
def test_a_dict_with_an_extra_column_names_column_and_row(n_good: int) -> None:
    bad = {**ROWS[0], "hat": 1}
    with pytest.raises(ValueError, match=rf"column 'hat' is not one of .* \(row {n_good}\)"):
        encode([*ROWS[:n_good], bad], named(), learn=False)


def test_a_dict_with_another_column_instead_names_the_absent_one() -> None:
    with pytest.raises(ValueError, match="column 'size' is absent"):
        encode([{"age": 1.0, "job": "cook", "hat": 1}], named(), learn=False)


def test_dicts_must_agree_on_their_keys_from_the_start() -> None:
    with pytest.raises(ValueError, match=r"column 'b' is absent \(row 1\)"):
        infer_schema([{"a": 1, "b": 2}, {"a": 1}], None)


def test_unnamed_rows_match_by_position_with_scikit_learns_warning() -> None:
    words = "X does not have valid feature names, but the model was fitted with feature names"
    lists = [list(row.values()) for row in ROWS]
    for X in (lists, np.array(lists, dtype=object), pd.DataFrame(lists)):
        with pytest.warns(UserWarning, match=words):
            check(X, named())
    with pytest.warns(UserWarning, match=words):
        encode(lists[:1], named(), learn=False)
    with pytest.warns(UserWarning, match=words):
        encode(np.zeros((1, 2)), infer_schema([{"a": 1, "b": 2}]), learn=False)


def test_named_rows_match_an_unnamed_schema_by_position_with_scikit_learns_warning() -> None:
    words = "X has feature names, but the model was fitted without feature names"
    for X in (ROWS, pd.DataFrame(ROWS), pl.DataFrame(ROWS)):
        with pytest.warns(UserWarning, match=words):
            check(X, unnamed())


def test_the_warning_points_at_the_caller() -> None:
    with pytest.warns(UserWarning) as caught:
        encode(ROWS, unnamed(), learn=False)
    assert caught[0].filename == __file__


def test_unnamed_rows_for_an_unnamed_schema_are_silent() -> None:
    lists = [list(row.values()) for row in ROWS]
    for X in (lists, np.array(lists, dtype=object), pd.DataFrame(lists)):
        check(X, unnamed())


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_wrong_number_of_columns_is_refused_in_scikit_learns_words(n: int) -> None:
    words = f"X has {n} features, but the model is expecting 3 features as input"
    for X in (np.zeros((1, n)), np.zeros((2, n)), [[0] * n], np.zeros((1, n), object)):
        for schema in (named(), unnamed()):
            with pytest.raises(ValueError, match=words):
                encode(X, schema, learn=False)


def test_integer_names_are_no_names() -> None:
    frame = pd.DataFrame({0: [1.0], 1: ["a"]})
    schema = infer_schema(frame)
    assert not schema.named
    assert schema.names == ("x0", "x1")
    assert not infer_schema([{0: 1.0, 1: "a"}]).named


def test_mixed_names_are_refused_in_scikit_learns_words() -> None:
    words = r"only supported if all input features have string names.*\['int', 'str'\]"
    for X in (pd.DataFrame({"a": [1], 0: [2]}), [{"a": 1, 0: 2}]):
        with pytest.raises(TypeError, match=words):
            infer_schema(X)


def test_a_number_column_that_turns_into_text_is_refused() -> None:
    later = pd.DataFrame(ROWS).assign(age=["31", "old"])
    with pytest.raises(ValueError, match=r"column 'age': '31' is not a number \(row 0\)"):
        encode(later, named(), learn=False)


def test_a_category_column_may_turn_into_numbers() -> None:
    batch = encode(pd.DataFrame(ROWS).assign(job=[7, True]), named(), learn=True)
    assert batch.additions == [[7, True]]
