"""The results file keeps complete folds, whatever happens to it."""

import random

import pytest

from boxwise.paper.protocol import Row
from boxwise.paper.results import ResultsFile, Unit

UNITS = {
    Unit("alpha", "zoo", 0, fold): [
        Row("v1", "", 0.1, 0.1, alpha / 10, 0.1 + alpha / 3, 12 + alpha) for alpha in range(3)
    ]
    for fold in range(4)
} | {Unit("encoders", "zoo", 0, 0): [Row("IOL", "one-hot", 0.7, None, None, 1 / 3, 7)]}


@pytest.fixture
def stored(tmp_path):
    file = ResultsFile(tmp_path / "results.csv")
    for unit, rows in UNITS.items():
        file.add(unit, rows)
    return file


def test_what_was_added_is_read_back_to_the_last_digit(stored):
    assert ResultsFile(stored.path).done == UNITS


def test_a_file_cut_off_anywhere_keeps_the_folds_before_the_cut(stored):
    whole = stored.path.read_bytes()
    for length in range(len(whole)):
        stored.path.write_bytes(whole[:length])
        done = ResultsFile(stored.path).done
        assert all(UNITS[unit] == rows for unit, rows in done.items())
        lines = whole[:length].count(b"\n")
        assert len(done) >= max(0, lines - 1) // 3 if lines <= 13 else len(done) == 5


def test_what_is_left_of_a_torn_fold_does_not_reach_the_next_run(stored):
    whole = stored.path.read_bytes()
    stored.path.write_bytes(whole[: whole.index(b"alpha,zoo,0,2") + 60])
    again = ResultsFile(stored.path)
    assert [unit.fold for unit in again.done] == [0, 1]
    for unit, rows in UNITS.items():
        if unit not in again.done:
            again.add(unit, rows)
    assert ResultsFile(stored.path).done == UNITS


def test_equal_results_make_equal_files_in_whatever_order_they_came(stored, tmp_path):
    other = ResultsFile(tmp_path / "other.csv")
    units = [*UNITS]
    random.Random(1).shuffle(units)
    for unit in units:
        other.add(unit, UNITS[unit])
    assert other.path.read_bytes() != stored.path.read_bytes()
    stored.rewrite()
    other.rewrite()
    assert other.path.read_bytes() == stored.path.read_bytes()


def test_lines_that_are_no_results_are_left_out(stored):
    with stored.path.open("ab") as file:
        file.write(b"alpha,zoo,0,nonsense,v1,,0.1,0.1,0.0,0.5,3,1\nmore nonsense\n\xff\0\n")
    assert ResultsFile(stored.path).done == UNITS


@pytest.mark.parametrize("damage", ["", "#@!\n", "alpha,zoo,0,1,v1,,0.1,0.1,0.1,nan,13,3\n"])
def test_a_fold_with_a_damaged_line_is_to_be_run_again(stored, damage):
    lines = stored.path.read_text().splitlines(keepends=True)
    for number in range(1, len(lines)):
        damaged = [*lines]
        damaged[number] = damage
        stored.path.write_text("".join(damaged))
        hit = Unit(*(c if i < 2 else int(c) for i, c in enumerate(lines[number].split(",")[:4])))
        done = ResultsFile(stored.path).done
        assert done == {unit: rows for unit, rows in UNITS.items() if unit != hit}
