"""Files to read, and a short way to read them."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boxwise.files import FileSet, ReadOptions, RowError, RowErrors


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Write a file and return its path."""

    def write_file(content: str | bytes, name: str = "data.csv") -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write_file


@pytest.fixture
def read(write: Callable[..., str]) -> Callable[..., list[dict[str, Any]]]:
    """Read the rows of a file with this content, as dicts."""

    def read_file(
        content: str | bytes, name: str = "data.csv", rows: int = 2, **options: Any
    ) -> list[dict[str, Any]]:
        files = FileSet([write(content, name)], ReadOptions(**options))
        return [row for chunk in files.chunks(rows) for row in as_rows(chunk)]

    return read_file


@pytest.fixture
def faults_of(write: Callable[..., str]) -> Callable[..., tuple[list[int], list[RowError]]]:
    """Read a file and return the lines of the rows that can be used, and the other rows' errors."""

    def read_file(content: str | bytes, name: str = "data.csv") -> tuple[list[int], list[RowError]]:
        chunks = [*FileSet([write(content, name)]).chunks()]
        lines = [line for chunk in chunks for line in chunk.lines]
        return lines, [error for chunk in chunks for error in chunk.row_errors]

    return read_file


class Recorder(RowErrors):
    """Keeps all errors."""

    def __init__(self) -> None:
        super().__init__("skip")
        self.errors: list[RowError] = []

    def __call__(self, error: RowError) -> None:
        super().__call__(error)
        self.errors.append(error)


def times_longer(run: Callable[[int], object], size: int) -> float:
    """Return how many times longer a run eight times the size takes: 8 if it is linear, or 64."""

    def seconds(size: int) -> float:
        start = time.process_time()
        run(size)
        return time.process_time() - start

    run(size)
    return min(seconds(8 * size) for _ in range(2)) / max(seconds(size) for _ in range(3))


def as_rows(chunk: Any) -> list[dict[str, Any]]:
    return [
        dict(zip(chunk.columns, cells, strict=True))
        for cells in zip(*chunk.columns.values(), strict=True)
    ]
