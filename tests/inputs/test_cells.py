"""Columns of Python values, read by the engine's module and, where they are unusual, not by it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxwise._native import read_codes, read_numbers
from boxwise.inputs.categories import to_codes
from boxwise.inputs.numbers import to_floats
from boxwise.schema import Vocabulary

PLAIN = st.one_of(
    st.floats(-1e150, 1e150), st.integers(-(10**30), 10**30), st.none(), st.just(math.nan)
)
UNUSUAL = [
    "12",
    True,
    np.float32(1.5),
    np.int64(3),
    1e200,
    math.inf,
    10**400,
    1j,
    b"",
    [],
    object(),
]


@given(st.lists(PLAIN))
def test_plain_numbers_are_read_as_numpy_does(column: list[float | None]) -> None:
    numbers = read_numbers(column)
    assert numbers is not None
    np.testing.assert_array_equal(numbers, np.array(column, dtype=np.float64))


@pytest.mark.parametrize("cell", UNUSUAL, ids=lambda cell: type(cell).__name__)
def test_unusual_numbers_are_left_to_the_general_way(cell: object) -> None:
    assert read_numbers([1.0, cell]) is None


def test_numbers_of_other_types_are_read_one_by_one() -> None:
    lower, upper = to_floats([np.float32(0.1), np.int8(3), True, None, 2], "age")
    assert upper is lower
    np.testing.assert_array_equal(lower, [float(np.float32(0.1)), 3, 1, math.nan, 2])


def test_text_in_a_long_column_is_named_with_its_row() -> None:
    with pytest.raises(ValueError, match=r"column 'age': 'x' is not a number \(row 1999\)"):
        to_floats([*range(1999), "x"], "age")


VALUES = st.one_of(st.sampled_from(["a", "b", "c"]), st.integers(0, 3), st.booleans(), st.none())


@given(st.lists(VALUES), st.lists(VALUES, unique=True), st.booleans())
def test_codes_are_those_of_a_look_up_one_by_one(
    column: list[object], known: list[object], learn: bool
) -> None:
    vocabulary = Vocabulary(known)
    codes, additions = to_codes(column, vocabulary, learn=learn, name="job")
    every = [*vocabulary.values, *additions]
    assert additions == (list(dict.fromkeys(v for v in column if v not in known)) if learn else [])
    for value, code in zip(column, codes.tolist(), strict=True):
        assert code == (every.index(value) if value in every else -1)


@pytest.mark.parametrize(
    "value", [math.nan, 1.5, np.str_("z"), (1, 2), [1], object()], ids=lambda v: type(v).__name__
)
def test_values_that_may_be_another_form_of_a_category_are_left_to_the_general_way(
    value: object,
) -> None:
    assert read_codes(["a", value], {"a": 0}, True) is None
    assert read_codes(["a", value], {"a": 0}, False) is None


def test_a_new_value_is_only_unknown_where_nothing_is_learned() -> None:
    codes = read_codes(["b", "a"], {"a": 0}, True)
    assert codes is not None
    assert codes.tolist() == [-1, 0]
    assert read_codes(["b", "a"], {"a": 0}, False) is None


def test_an_error_of_a_values_own_is_not_swallowed() -> None:
    class Odd:
        def __hash__(self) -> int:
            raise RuntimeError("no hash today")

    with pytest.raises(RuntimeError, match="no hash today"):
        read_codes([Odd()], {"a": 0}, True)


def test_a_value_whose_code_changes_the_list_does_no_harm() -> None:
    column: list[object] = []

    class Odd:
        def __hash__(self) -> int:
            column.clear()
            return hash("a")

        def __eq__(self, other: object) -> bool:
            return other == "a"

    column += [Odd(), "a", "a"]
    assert read_codes(column, {"a": 0}, True) is None
