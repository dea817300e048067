"""CSV that a spreadsheet opens without running what users wrote into it."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxwise import HyperboxClassifier
from boxwise.csv_writing import CsvWriter, escape_formula
from boxwise.evaluate import prequential

FORMULAS = ["=1+1", "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-"]
HARMLESS = ["cook", "", "a=b", "1-2", "-1", "+1", "-1.5", "+.5", "-2.", "-1e-5", "'=1", "é"]


@pytest.mark.parametrize("text", FORMULAS)
def test_escape_formula_quotes_text_that_would_run(text: str) -> None:
    assert escape_formula(text) == f"'{text}"


@pytest.mark.parametrize("cell", [*HARMLESS, -1, -1.5, True, None])
def test_escape_formula_leaves_numbers_and_other_text(cell: object) -> None:
    assert escape_formula(cell) is cell


@pytest.mark.parametrize("text", ["-1\n", "-1+1", "-1 ", "-1e", "-٣", "--1"])
def test_escape_formula_takes_only_plain_numbers_for_numbers(text: str) -> None:
    assert escape_formula(text) == f"'{text}"


def written(rows: list[list[str]], *, escape: bool) -> str:
    out = io.StringIO(newline="")
    writer = CsvWriter(out, escape_formulas=escape)
    for row in rows:
        writer.write_row(row)
    return out.getvalue()


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2)))
def test_a_written_table_is_read_as_it_was(rows: list[list[str]]) -> None:
    text = written(rows, escape=False)
    assert [*csv.reader(io.StringIO(text, newline=""))] == rows
    escaped = [[escape_formula(cell) for cell in row] for row in rows]
    assert [*csv.reader(io.StringIO(written(rows, escape=True), newline=""))] == escaped


def test_names_of_learners_are_escaped_in_csv_alone(tmp_path: Path) -> None:
    run = prequential({"=1+1": HyperboxClassifier()}, ([[1.0], [2.0]], ["a", "b"]))
    run.write(tmp_path / "a.csv")
    run.write(tmp_path / "b.csv", escape_formulas=False)
    run.write(tmp_path / "a.jsonl")
    assert (tmp_path / "a.csv").read_text().splitlines()[1].startswith("'=1+1,2,")
    assert (tmp_path / "b.csv").read_text().splitlines()[1].startswith("=1+1,2,")
    assert '"learner": "=1+1"' in (tmp_path / "a.jsonl").read_text()
