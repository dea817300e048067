"""Real files, in a folder whose name has spaces."""

import csv
from pathlib import Path

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from boxwise.datasets import LoanStream

ROWS = 400


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder."""
    path = tmp_path / "a folder with spaces"
    path.mkdir()
    return path


@pytest.fixture(scope="session")
def loans() -> list[list[object]]:
    """A table of loans, the header first; the last column is the decision."""
    rows = list(LoanStream(ROWS, function=7, noise=0.05, seed=3))
    return [[*rows[0][0], "decision"], *([*row.values(), label] for row, label in rows)]


@pytest.fixture
def loans_csv(folder: Path, loans: list[list[object]]) -> Path:
    """The table as a file."""
    return write_csv(folder / "loans.csv", loans)


def write_csv(path: Path, rows: list[list[object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path
