"""Predictions as they are written: CSV or JSON Lines, to standard output or to a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO

from boxwise.apps.writable import STANDARD_OUTPUT
from boxwise.atomic_files import errors_named, writing_text
from boxwise.csv_writing import CsvWriter


class Results(Protocol):
    """Takes predictions, one row at a time."""

    def write(self, row: int, prediction: Any, shares: Sequence[float], why: Sequence[Any]) -> None:
        """Write one row; the shares of the classes and the reason are empty if not wanted."""

    def finish(self) -> None:
        """End the results."""


class CsvResults:
    """One line per row, after a header."""

    def __init__(
        self, out: TextIO, classes: Sequence[Any], why: Sequence[str], *, escape_formulas: bool
    ) -> None:
        self._writer = CsvWriter(out, escape_formulas=escape_formulas)
        self._header = ["row", "prediction", *(f"proba_{k}" for k in classes), *why]

    def write(self, row: int, prediction: Any, shares: Sequence[float], why: Sequence[Any]) -> None:
        """Write one line."""
        self.finish()
        self._writer.write_row([row, prediction, *shares, *why])

    def finish(self) -> None:
        """Write the header, if there was no row before which to write it."""
        if self._header:
            self._writer.write_row(self._header)
            self._header = []


class JsonResults:
    """One object per row."""

    def __init__(self, out: TextIO, classes: Sequence[Any], why: Sequence[str]) -> None:
        self._out, self._classes, self._why = out, [str(k) for k in classes], why

    def write(self, row: int, prediction: Any, shares: Sequence[float], why: Sequence[Any]) -> None:
        """Write one object."""
        result: dict[str, Any] = {"row": row, "prediction": prediction}
        if shares:
            result["proba"] = dict(zip(self._classes, shares, strict=True))
        result |= zip(self._why, why, strict=True)
        self._out.write(json.dumps(result, ensure_ascii=False) + "\n")

    def finish(self) -> None:
        """Do nothing: each object is complete in itself."""


@contextmanager
def opened(path: Path | None) -> Iterator[TextIO]:
    """Open the output; a file appears, or is replaced, only when all is written."""
    if path is None or path == STANDARD_OUTPUT:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        with errors_named("standard output"):
            yield sys.stdout
            sys.stdout.flush()
    else:
        with writing_text(path) as out:
            yield out
