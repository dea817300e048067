"""Columns are matched by name where there are names, else by position."""

import contextlib
import datetime
import json
import sqlite3
import warnings
from collections import namedtuple
from collections.abc import Iterator
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


OTHER_LABELS = [
    pytest.param([5, 7, 9], id="numbers"),
    pytest.param([2, 0, 1], id="positions in another order"),
    pytest.param([0, 1, 2], id="positions"),
    pytest.param(pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")]), id="tuples"),
    pytest.param(pd.to_datetime(["2020", "2021", "2022"]), id="times"),
    pytest.param([datetime.date(2020, 1, 1), None, ("a",)], id="several types"),
]


def labelled(labels: Any) -> pd.DataFrame:
    frame = pd.DataFrame([list(row.values()) for row in ROWS])
    frame.columns = labels
    return frame


def in_other_orders(frame: pd.DataFrame) -> Iterator[Any]:
    for order in ([2, 1, 0], [1, 2, 0], [0, 1, 2]):
        moved = frame.iloc[:, order]
        yield moved
        yield moved.iloc[:1]
        records = moved.to_dict("records")
        yield records
        yield records[:1]
        yield [row for _, row in moved.iterrows()]
        yield {label: moved[label].tolist() for label in moved.columns}


@pytest.mark.parametrize("labels", OTHER_LABELS)
def test_labels_that_are_no_text_match_in_any_order(labels: Any) -> None:
    frame = labelled(labels)
    schema = infer_schema(frame)
    schema.absorb([["cook", "smith"]])
    schema = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    expected = encode(frame, schema, learn=False)
    assert expected.codes.tolist() == [[0], [1]]
    for X in in_other_orders(frame):
        batch = encode(X, schema, learn=False)
        assert batch.lower.tolist() == expected.lower.tolist()[: batch.n_rows]
        assert batch.codes.tolist() == expected.codes.tolist()[: batch.n_rows]


def test_numbered_columns_and_arrays_are_interchangeable() -> None:
    frame = labelled([0, 1, 2])
    for X in (frame, frame.to_numpy(), frame[[2, 0, 1]], frame.rename(columns="x{}".format)):
        check(X, unnamed())
    moved = infer_schema(frame[[2, 0, 1]])
    assert moved.names == ("2", "0", "1")
    assert encode(frame, moved, learn=False).lower.tolist() == [[1.5, 31.0], [1.8, 44.0]]
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        # An array has no labels: its columns are in the order of the table that was learned.
        batch = encode(frame[[2, 0, 1]].to_numpy(), moved, learn=False)
    assert batch.lower.tolist() == [[1.5, 31.0], [1.8, 44.0]]


def test_other_numbers_than_those_of_the_schema_are_refused() -> None:
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- 8\n.*yet now missing:\n- 7") as e:
        encode(labelled([5, 8, 9]), infer_schema(labelled([5, 7, 9])), learn=False)
    assert "Drop the columns" in str(e.value)
    with pytest.raises(ValueError, match=r"column 7 is absent \(row 1\)"):
        infer_schema([{5: 1.0, 7: 2.0}, {5: 1.0}])


def test_labels_that_look_alike_as_text_are_refused() -> None:
    alike = [(1, 2), "(1, 2)"]
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        infer_schema([dict.fromkeys(alike, 1.0)])
    alike = [datetime.date(2020, 1, 1), Spelled("2020-01-01")]
    with pytest.raises(ValueError, match=r"the columns .*date.* and .* look alike as text; rename"):
        infer_schema([dict.fromkeys(alike, 1.0)])


class Spelled:
    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


Row = namedtuple("Row", "age job size")
Moved = namedtuple("Moved", "size age job")


@pytest.mark.parametrize("n", [1, 2])
def test_named_tuples_match_by_their_fields(n: int) -> None:
    schema = infer_schema([Row(**row) for row in ROWS])
    assert schema.names == ("age", "job", "size")
    schema.absorb([["cook", "smith"]])
    for rows in (
        [Moved(**row) for row in ROWS],
        [Moved(**ROWS[0]), Row(**ROWS[1])],
        list(pd.DataFrame(ROWS)[["size", "job", "age"]].itertuples(index=False)),
    ):
        batch = encode(rows[:n], schema, learn=False)
        assert batch.lower.tolist() == [[31.0, 1.5], [44.0, 1.8]][:n]
        assert batch.codes.tolist() == [[0], [1]][:n]
    with pytest.raises(ValueError, match=r"column 'size' is absent \(row 0\)"):
        encode([namedtuple("Short", "age job")(1.0, "cook")], schema, learn=False)
    with pytest.raises(TypeError, match="row 1 is a list, but other rows have named fields"):
        encode([Row(**ROWS[0]), [1.0, "cook", 2.0]], schema, learn=False)


def test_rows_of_sqlite_match_by_their_columns() -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.row_factory = sqlite3.Row
        base.execute("create table staff (age real, job text, size real)")
        base.executemany("insert into staff values (?, ?, ?)", [(*row.values(),) for row in ROWS])
        schema = infer_schema(base.execute("select * from staff").fetchall())
        schema.absorb([["cook", "smith"]])
        check(base.execute("select size, job, age from staff").fetchall(), schema)


def test_upper_bounds_match_by_labels_that_are_no_text() -> None:
    frame = labelled([0, 1, 2])
    for labels in ([0, 1, 2], [5, 7, 9], [("a",), ("b",), ("c",)]):
        lower = labelled(labels)
        schema = infer_schema(lower)
        upper = labelled(labels).iloc[:, [2, 0]]
        upper = upper + 1.0
        batch = encode(lower, schema, learn=True, upper=upper)
        assert batch.upper.tolist() == [[32.0, 2.5], [45.0, 2.8]]
    moved = frame[[2, 1, 0]]
    upper = pd.DataFrame({0: [40.0, 50.0], 1: ["", ""], 2: [2.0, 2.0]})
    batch = encode(moved, infer_schema(moved), learn=True, upper=upper)
    assert batch.upper.tolist() == [[2.0, 40.0], [2.0, 50.0]]


def test_categorical_features_take_labels_that_are_no_text() -> None:
    labels = [("a", "x"), ("a", "y")]
    frame = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples(labels))
    assert infer_schema(frame, [("a", "y")]).categorical == (1,)
    assert infer_schema(frame, ["('a', 'x')"]).categorical == (0,)
    dates = pd.DataFrame([[1, 2]], columns=pd.to_datetime(["2020", "2021"]))
    assert infer_schema(dates, [pd.Timestamp("2021")]).categorical == (1,)
    years = pd.DataFrame([[1, 2]], columns=[2020, 2021])
    assert infer_schema(years, [1]).categorical == (1,)
    assert infer_schema(years, ["2021"]).categorical == (1,)
    with pytest.raises(ValueError, match=r"position 2021, but X has 2 columns.*as text, '2021'"):
        infer_schema(years, [2021])
