"""Categorical columns: values, codes and what cannot be a category."""

import datetime
import enum
import math
import threading
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxwise.inputs import encode, infer_schema
from boxwise.schema import Column, Schema, Vocabulary


def schema_with(*known: object) -> Schema:
    return Schema([Column("c", "categorical", Vocabulary(known))], named=True)


def column(*cells: Any) -> list[dict[str, Any]]:
    return [{"c": cell} for cell in cells]


def test_new_values_are_numbered_after_the_known_ones() -> None:
    batch = encode(column("z", "a", "b", "z", "a"), schema_with("a", "k"), learn=True)
    assert batch.codes[:, 0].tolist() == [2, 0, 3, 2, 0]
    assert batch.additions == [["z", "b"]]


def test_the_schema_is_not_changed_by_encoding() -> None:
    schema = schema_with("a")
    encode(column("b"), schema, learn=True)
    assert schema == schema_with("a")


def test_absorbing_makes_the_codes_come_true() -> None:
    schema = schema_with("a")
    batch = encode(column("b", None, "a"), schema, learn=True)
    schema.absorb(batch.additions)
    assert [schema.vocabularies[0].values[code] for code in batch.codes[:, 0]] == ["b", None, "a"]
    again = encode(column("b", None, "a"), schema, learn=True)
    assert again.additions == [[]]
    np.testing.assert_array_equal(again.codes, batch.codes)


def test_unseen_values_are_minus_one_without_learning() -> None:
    batch = encode(column("z", "a", None), schema_with("a"), learn=False)
    assert batch.codes[:, 0].tolist() == [-1, 0, -1]
    assert batch.additions == [[]]
    assert encode(column("z"), schema_with("a"), learn=False).codes.tolist() == [[-1]]


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA, pd.NaT, np.float64("nan")])
def test_missing_is_a_category_of_its_own(missing: Any) -> None:
    batch = encode(column("a", missing, "a"), schema_with(), learn=True)
    assert batch.codes[:, 0].tolist() == [0, 1, 0]
    assert batch.additions == [["a", None]]
    assert encode(column(missing), schema_with("a", None), learn=False).codes.tolist() == [[1]]


def test_all_ways_of_missing_are_one_category() -> None:
    missing = [None, math.nan, float("nan"), pd.NA, pd.NaT]
    batch = encode(column(*missing), schema_with(), learn=True)
    assert batch.codes[:, 0].tolist() == [0] * 5
    assert batch.additions == [[None]]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"c": ["b", None, "a"]}),
        pd.DataFrame({"c": pd.Series(["b", np.nan, "a"], dtype=object)}),
        pd.DataFrame({"c": pd.Categorical(["b", None, "a"])}),
        pd.DataFrame({"c": pd.array(["b", None, "a"], dtype="string")}),
        pd.DataFrame({"c": pd.array(["b", None, "a"], dtype=pd.ArrowDtype(pa.string()))}),
        pl.DataFrame({"c": ["b", None, "a"]}),
        pl.DataFrame({"c": pl.Series(["b", None, "a"], dtype=pl.Categorical)}),
        pl.DataFrame({"c": pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b"]))}),
        pa.table({"c": ["b", None, "a"]}),
        pa.table({"c": pa.chunked_array([["b", None], ["a"]]).dictionary_encode()}),
        column("b", None, "a"),
        column(np.str_("b"), None, np.str_("a")),
    ],
)
def test_text_is_the_same_from_every_source(X: Any) -> None:
    batch = encode(X, infer_schema(X), learn=True)
    assert batch.codes[:, 0].tolist() == [0, 1, 2]
    assert batch.additions == [["b", None, "a"]]
    assert [type(value) for value in batch.additions[0]] == [str, type(None), str]
    known = encode(X, schema_with("a", "b"), learn=False)
    assert known.codes[:, 0].tolist() == [1, -1, 0]


def test_pandas_categories_that_do_not_occur_are_not_learned() -> None:
    X = pd.DataFrame({"c": pd.Categorical(["y", "x", "y"], categories=["w", "x", "y"])})
    batch = encode(X, infer_schema(X), learn=True)
    assert batch.additions == [["y", "x"]]
    assert batch.codes[:, 0].tolist() == [0, 1, 0]


def test_numbers_and_truth_values_can_be_categories() -> None:
    for X in (
        np.array([[3], [1], [3]]),
        pd.DataFrame({"x0": [3, 1, 3]}),
        pl.DataFrame({"x0": [3, 1, 3]}),
        [[np.int64(3)], [np.int16(1)], [3]],
    ):
        batch = encode(X, infer_schema(X, [0]), learn=True)
        assert batch.additions == [[3, 1]]
        assert all(type(value) is int for value in batch.additions[0])
    flags = np.array([[True], [False]])
    batch = encode(flags, infer_schema(flags), learn=True)
    assert batch.additions == [[True, False]]
    assert all(type(value) is bool for value in batch.additions[0])
    assert (
        type(encode([[np.True_]], infer_schema([[np.True_]]), learn=True).additions[0][0]) is bool
    )


def test_whole_numbers_that_pandas_made_floats_are_the_same_categories() -> None:
    whole = pd.DataFrame({"c": [1, 2]})
    schema = infer_schema(whole, ["c"])
    schema.absorb(encode(whole, schema, learn=True).additions)
    batch = encode(pd.DataFrame({"c": [2, None, 1]}), schema, learn=True)
    assert batch.codes[:, 0].tolist() == [1, 2, 0]
    assert batch.additions == [[None]]


def test_large_integers_keep_their_digits() -> None:
    X = pl.DataFrame({"c": [2**62, 2**62 + 1, None]})
    assert encode(X, infer_schema(X, ["c"]), learn=True).additions == [[2**62, 2**62 + 1, None]]


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


def test_subclasses_become_the_plain_value() -> None:
    batch = encode(column(Colour.RED, Level.LOW, "red", 1), schema_with(), learn=True)
    assert batch.additions == [["red", 1]]
    assert [type(value) for value in batch.additions[0]] == [str, int]
    assert batch.codes[:, 0].tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("cell", [["a"], {"a": 1}, {1, 2}, np.zeros(2)])
def test_unhashable_values_are_refused_with_column_and_row(cell: Any) -> None:
    for rows, row in ((column("a", cell), 1), (column(cell), 0)):
        with pytest.raises(
            TypeError, match=rf"column 'c': .* cannot be a category \(row {row}\)"
        ) as e:
            encode(rows, schema_with("a"), learn=False)
        assert "argument must be a string or a real number" in str(e.value)


def test_a_dict_in_an_object_array_is_a_type_error() -> None:
    X = np.random.default_rng(0).normal(size=(5, 2)).astype(object)
    X[0, 0] = {"foo": "bar"}
    with pytest.raises(TypeError, match=r"column 'x0'.*argument must be a string or a real number"):
        encode(X, infer_schema(X), learn=True)


@pytest.mark.parametrize(
    "cell", [datetime.date(2020, 1, 1), np.datetime64("2020-01-01", "ns"), (1, 2), b"a"]
)
def test_other_types_are_refused_with_column_value_row_and_remedy(cell: Any) -> None:
    with pytest.raises(TypeError, match=r"column 'c': .*\(row 2\); .*convert the column to text"):
        encode(column("a", "a", cell), schema_with(), learn=True)
    with pytest.raises(TypeError, match=r"column 'c': .*\(row 0\); .*convert the column to text"):
        encode(column(cell), schema_with("a"), learn=False)


def test_encoding_while_another_thread_absorbs() -> None:
    schema = schema_with("a")
    rows = column(*(str(i % 500) for i in range(2_000)), "a")
    wrong = []
    done = threading.Event()

    def predict() -> None:
        while not done.is_set():
            batch = encode(rows, schema, learn=False)
            codes = batch.codes[:, 0].tolist()
            values = [None if code < 0 else schema.vocabularies[0].values[code] for code in codes]
            if any(v not in (None, row["c"]) for v, row in zip(values, rows, strict=True)):
                wrong.append(values)

    reader = threading.Thread(target=predict)
    reader.start()
    for i in range(500):
        schema.absorb(encode(column(str(i)), schema, learn=True).additions)
    done.set()
    reader.join()
    assert not wrong
    assert encode(rows, schema, learn=False).codes.min() == 0
