"""Kinds of columns, numbers, categories and labels."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxwise.files import (
    Chunk,
    FileSet,
    InputError,
    RowError,
    RowErrors,
    Typing,
    check_classes,
    infer_kinds,
)
from boxwise.files.numbers import LIMIT, problem, to_floats
from boxwise.files.row_errors import MOST_REPORTS
from boxwise.files.spelling import respelled
from boxwise.inputs import numbers
from tests.files.conftest import Recorder


def chunk(columns, typed=False):
    n = len(next(iter(columns.values())))
    return Chunk("data.csv", "line", [*range(1, n + 1)], [*range(2, n + 2)], columns, typed)


def kind(cells, typed=False, **given_kinds):
    return infer_kinds([chunk({"a": cells}, typed)], ["a"], **given_kinds)["a"]


@pytest.mark.parametrize("text", ["1", "-1.5", "1e5", " 7 ", ".5", "007", "+3"])
def test_texts_that_read_as_numbers_are_numbers(text):
    assert kind([text, None]) == "numeric"


@pytest.mark.parametrize("text", ["x", "nan", "inf", "1_000", "1,5", "1e200", "٣", "0x1F", "true"])
def test_other_texts_are_categories(text):
    assert kind(["1", text]) == "categorical"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([1, 2.5, None], "numeric"),
        ([True, False], "categorical"),
        ([1, True], "categorical"),
        (["1", "2"], "categorical"),
        ([1, "2"], "categorical"),
    ],
)
def test_in_a_file_with_types_they_decide(cells, expected):
    assert kind(cells, typed=True) == expected


def test_kinds_that_are_given_are_not_inferred():
    assert kind(["1"], categorical=["a"]) == "categorical"
    assert kind(["x"], numeric=["a"]) == "numeric"
    assert kind([None], numeric=["a"]) == "numeric"


def test_a_column_without_a_value_is_of_unknown_kind():
    first = [chunk({"a": [None, None], "b": ["1", None]})]
    assert infer_kinds(first, ["a", "b"]) == {"a": "unknown", "b": "numeric"}
    with pytest.raises(InputError, match=r"data\.csv: no column but the label has a value"):
        infer_kinds(first, ["a"])


def test_the_first_value_settles_a_column_of_unknown_kind():
    typing = Typing({"a": "unknown", "b": "numeric"})
    gaps = chunk({"a": [None, None], "b": ["1", "2"]})
    assert typing.with_kinds_of(gaps) is typing
    assert typing.apply(gaps, RowErrors()).columns["a"] == [None, None]
    assert typing.with_kinds_of(chunk({"a": [None, "3", "x"]})).kinds["a"] == "numeric"
    assert typing.with_kinds_of(chunk({"a": [None, "x", "3"]})).kinds["a"] == "categorical"
    settled = typing.with_kinds_of(chunk({"a": [None, "x"], "b": ["1", "2"]}))
    assert settled.unknown == []
    typed = settled.apply(chunk({"a": [None, "x"], "b": ["1", "2"]}), RowErrors())
    assert typed.columns["a"] == [None, "x"]
    assert (typed.first_value("a"), typed.first_value("b")) == (1, 0)


def test_the_same_rows_decide_however_they_are_cut(monkeypatch):
    monkeypatch.setattr("boxwise.files.kinds.KIND_ROWS", 3)
    cells = ["1", "2", "3", "x"]
    whole = [chunk({"a": cells})]
    parts = [replace(chunk({"a": [cell]}), rows=[i]) for i, cell in enumerate(cells, start=1)]
    assert infer_kinds(whole, ["a"]) == infer_kinds(parts, ["a"]) == {"a": "numeric"}


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize(
    "labels",
    [
        [i + 0.5 for i in range(30)],
        [i % 25 + 0.5 for i in range(200)],
        [round(i * 7.3, 2) for i in range(1000)],
        [None, *(i / 7 for i in range(100))],
    ],
)
def test_labels_that_are_measurements_are_refused(labels, typed):
    cells = labels if typed else [None if label is None else str(label) for label in labels]
    with pytest.raises(
        InputError, match=r"data\.csv, column 'y': its values, such as .*no classes"
    ):
        check_classes([chunk({"y": cells}, typed)], "y")


@pytest.mark.parametrize(
    "labels",
    [
        [f"user {i}" for i in range(1000)],
        [str(i) for i in range(1000)],
        [f"{i}.0" for i in range(1000)],
        [f"{i}e3" for i in range(1000)],
        [f"2.{i}.1" for i in range(1000)],
        [*range(1000)],
        [float(i) for i in range(1000)],
        [True, False] * 500,
        [f"{i % 10 / 2}" for i in range(100)],  # stars
        [f"{i % 15}.5" for i in range(16)],
        [f"{250 + i % 60 / 100}" for i in range(1000)],  # codes, each of several rows
        [[i, 0.5] for i in range(100)],  # refused later, row by row
        [math.nan for _ in range(100)],
        [None, None],
        [],
    ],
)
def test_labels_that_are_text_whole_numbers_or_few_are_classes(labels):
    check_classes([chunk({"y": labels})], "y")


def test_the_limit_is_that_of_the_learners():
    assert LIMIT == numbers.LIMIT


odd_cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**400), 10**400),
    st.floats(),
    st.text(max_size=4),
    st.floats().map(repr),
    st.sampled_from(["1_0", "٣", " 1 ", "1e151", "nan", "-inf", "1e150"]),
    st.just([1]),
)


@given(st.lists(odd_cells, max_size=5) | st.lists(st.floats().map(repr) | st.none(), max_size=5))
def test_a_column_is_read_at_once_exactly_if_each_of_its_cells_can_be(cells):
    floats = to_floats(cells)
    assert (floats is None) == any(problem(cell) is not None for cell in cells)
    if floats is not None:
        expected = [math.nan if cell is None else float(cell) for cell in cells]
        np.testing.assert_array_equal(floats, expected)


def typed(columns, kinds, *, is_typed=False, **more):
    row_errors = Recorder()
    return Typing(kinds, **more).apply(chunk(columns, is_typed), row_errors), row_errors.errors


def test_numbers_are_arrays_and_categories_lists():
    columns = {"a": ["1", None], "b": ["x", None], "y": ["no", "yes"]}
    result, errors = typed(columns, {"a": "numeric", "b": "categorical"}, label="y")
    assert not errors
    np.testing.assert_array_equal(result.columns["a"], [1.0, np.nan])
    assert result.columns["b"] == ["x", None]
    assert result.labels == ["no", "yes"]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("old", "column 'a': 'old' is not a number; correct it, give it as --missing, or"),
        ("inf", "column 'a': 'inf' is not finite"),
        ("nan", "column 'a': 'nan' is not a number"),
        ("1e200", "column 'a': '1e200' is beyond ±1e+150; rescale the column"),
        (10**400, "is beyond ±1e+150"),
        ({"x": 1}, "is an object within a row; spread it over several columns"),
        ([1], "is a list within a row"),
        ("z" * 5000, "is not a number"),
    ],
)
def test_a_cell_that_is_no_number_drops_its_row(cell, words):
    columns = {"a": ["1", cell, "3"], "b": ["x", "y", "z"], "y": ["no", "no", "yes"]}
    result, (error,) = typed(columns, {"a": "numeric", "b": "categorical"}, label="y")
    assert result.columns["a"].tolist() == [1, 3]
    assert result.columns["b"] == ["x", "z"]
    assert result.labels == ["no", "yes"]
    assert result.rows == [1, 3]
    assert "data.csv, line 3" in str(error)
    assert words in str(error)
    assert len(str(error)) < 400


@pytest.mark.parametrize(
    ("label", "words"),
    [
        (None, "column 'y': the label is missing; give the row a label"),
        (0.37, "0.37 is no class: it is a measurement"),
        ({"a": 1}, "is an object within a row"),
        (math.nan, "the label is missing"),
    ],
)
def test_a_label_that_is_no_class_drops_its_row(label, words):
    columns = {"a": [1, 2], "y": [label, "yes"]}
    result, (error,) = typed(columns, {"a": "numeric"}, label="y", is_typed=True)
    assert result.labels == ["yes"]
    assert "line 2" in str(error)
    assert words in str(error)


def test_a_label_may_be_missing_where_rows_without_one_are_learned():
    columns = {"a": ["1", "2"], "y": [None, "yes"]}
    result, errors = typed(columns, {"a": "numeric"}, label="y", unlabelled=True)
    assert result.labels == [None, "yes"]
    assert not errors


def test_nested_values_in_a_category_drop_their_row():
    result, (error,) = typed({"a": ["x", ["y"]]}, {"a": "categorical"}, is_typed=True)
    assert result.columns["a"] == ["x"]
    assert "['y'] is a list within a row" in str(error)


def test_a_row_with_two_faults_counts_once_and_rows_are_told_in_order():
    columns = {"a": ["1", "2", "x"], "b": ["x", "2", "x"]}
    _, errors = typed(columns, {"a": "numeric", "b": "numeric"})
    assert [(error.line, error.column) for error in errors] == [(2, "b"), (4, "a")]


def test_rows_that_cannot_be_read_are_told_with_the_others_in_the_order_of_lines(write):
    path = write("a,b\n1,x\nold,x\n3\n4,x\nyoung,x\n6,x,x\n")
    row_errors = Recorder()
    for part in FileSet([path]).chunks():
        Typing({"a": "numeric", "b": "categorical"}).apply(part, row_errors)
    assert [error.line for error in row_errors.errors] == [3, 4, 6, 7]
    assert row_errors.first is not None
    assert row_errors.first.line == 3


def test_under_stop_the_first_bad_row_is_raised(write):
    (part,) = FileSet([write("a,b\n1,x\nold,x\n3\n")]).chunks()
    with pytest.raises(RowError, match="line 3, column 'a'"):
        Typing({"a": "numeric"}).apply(part, RowErrors())


def test_a_label_that_is_a_fraction_to_a_model_of_whole_numbers_drops_its_row():
    columns = {"a": ["1", "2"], "y": ["1", "1.5"]}
    result, (error,) = typed(columns, {"a": "numeric"}, label="y", known={"y": [0, 1]})
    assert result.labels == [1]
    assert "column 'y': '1.5' is no class" in str(error)


@pytest.mark.parametrize(
    ("cells", "known", "expected"),
    [
        (["3", "7", "x", None], [3, 4], [3, 7, "x", None]),
        (["1.5", "2.0"], [2], [1.5, 2]),
        (["true", "FALSE"], [True, False], [True, False]),
        ([3, 4.0, 1.5, True, None], ["3", "TRUE"], ["3", "4", "1.5", "TRUE", None]),
        ([1, 1.0, 0.5, 2], ["1.0", "0.50"], ["1.0", "1.0", "0.50", "2"]),
        ([1, 1.0], ["1.0", "1"], ["1", "1"]),
        (["3", 4], ["3", 4], ["3", 4]),
        (["3", 4], [], ["3", 4]),
    ],
)
def test_cells_are_written_as_the_model_knows_them(cells, known, expected):
    assert respelled(cells, known) == expected
    result, _ = typed({"a": cells}, {"a": "categorical"}, is_typed=True, known={"a": known})
    assert result.columns["a"] == expected


def test_under_report_the_first_errors_are_told_and_all_are_counted():
    told = []
    row_errors = RowErrors("report", told.append)
    cells = ["x"] * (MOST_REPORTS + 30)
    Typing({"a": "numeric"}).apply(chunk({"a": cells}), row_errors)
    assert row_errors.count == len(cells)
    assert len(told) == MOST_REPORTS + 1
    assert "only counted" in told[-1]
    assert "line 2, column 'a'" in str(row_errors.first)


def test_under_skip_nothing_is_told():
    told = []
    row_errors = RowErrors("skip", told.append)
    Typing({"a": "numeric"}).apply(chunk({"a": ["x"]}), row_errors)
    assert row_errors.count == 1
    assert not told


def test_an_unknown_policy_is_refused():
    with pytest.raises(ValueError, match="on_error must be"):
        RowErrors("ignore")
