"""Rows that are withheld from a part: which, and what becomes of the others."""

import numpy as np
import pytest

from boxwise.apps.jobs.withheld import Withheld
from boxwise.files import TypedChunk
from boxwise.learners.parts import withheld_places


def rows(first, last):
    numbers = np.arange(first, last, dtype=np.float64)
    return TypedChunk(range(first, last), {"x": numbers, "w": [*numbers]}, [*range(first, last)])


def split(n, most, size):
    """Return the labels of the rows that are withheld, and of those learned, in order."""
    withheld, learned = Withheld(0, most), []
    for begin in range(0, n, size):
        learned += withheld.others(rows(begin, min(n, begin + size))).labels
    return withheld.table()[1], learned


@pytest.mark.parametrize("n", [1, 2, 9, 10, 11, 500, 5_000])
@pytest.mark.parametrize("most", [1, 7, 100])
def test_withheld_rows_do_not_depend_on_the_chunks_and_none_is_lost(n, most):
    withheld, learned = split(n, most, n)
    assert sorted(withheld + learned) == [*range(n)]
    for size in (1, 3, 64):
        assert split(n, most, size) == (withheld, learned)


def test_withheld_rows_are_those_of_the_library():
    assert split(12_345, 100, 2_000)[0] == withheld_places(12_345, 0, 100).tolist()


@pytest.mark.parametrize("n", [2_000, 12_345, 100_000])
def test_rows_given_back_are_learned_at_once_and_all_others_in_order(n):
    _, learned = split(n, 100, 2_000)
    late = np.maximum.accumulate(learned) - learned > 1
    assert late.sum() <= 51 * (np.log2(n / 1_000) + 1)


def test_withheld_rows_given_back_have_the_kind_that_a_column_got_later():
    withheld = Withheld(0, 1)
    empty = TypedChunk(range(20), {"x": [None] * 20}, [*range(20)])
    withheld.others(empty)
    others = withheld.others(TypedChunk(range(20, 60), {"x": np.ones(40)}, [*range(20, 60)]))
    assert isinstance(others.columns["x"], np.ndarray)
    assert others.columns["x"].dtype == np.float64
    assert others.n_rows >= 37
