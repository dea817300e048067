"""Rows of files with their labels, for learners of any library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import typer

from boxwise.apps.file_options import chosen
from boxwise.apps.learn import _first_rows
from boxwise.files import Chunk, Faults, Files, InputError, Typing, infer_kinds

Pair = tuple[dict[str, Any], Any]


@dataclass
class LabelledRows:
    """The rows of files, each once: a dict of numbers, text and None, and the label.

    Attributes
    ----------
    files : Files
        Where they come from.
    typing : Typing
        What the columns are.
    """

    files: Files
    typing: Typing
    _chunks: Iterator[Chunk]
    _faults: Faults

    @classmethod
    def of(
        cls,
        files: Files,
        label: str,
        faults: Faults,
        *,
        chunk_rows: int,
        numeric: Sequence[str],
        categorical: Sequence[str],
    ) -> LabelledRows:
        """Read the first rows to find out what the columns are."""
        names = [name for name in files.names if name != label]
        if not names:
            raise InputError(
                f"{files.first} has no column but the label {label!r}; check the delimiter"
            )
        numbers = chosen("--numeric", numeric, names)
        categories = chosen("--categorical", categorical, names)
        both = set(numbers) & set(categories)
        if both:
            raise typer.BadParameter(f"{min(both)!r} is given as numeric and as categorical")
        chunks = files.chunks(chunk_rows)
        first = _first_rows(chunks)
        if not first:
            raise InputError(f"{files.first} has columns but no rows")
        kinds = infer_kinds(first, names, numeric=numbers, categorical=categories)
        return cls(files, Typing(kinds, label), chain(first, chunks), faults)

    @property
    def categorical(self) -> list[str]:
        """The columns that are categories."""
        return [name for name, kind in self.typing.kinds.items() if kind == "categorical"]

    def __iter__(self) -> Iterator[Pair]:
        for chunk in self._chunks:
            typed = self.typing.apply(chunk, self._faults)
            columns = [_cells(cells) for cells in typed.columns.values()]
            for values, label in zip(zip(*columns, strict=True), typed.labels, strict=True):
                yield dict(zip(typed.columns, values, strict=True)), label


def _cells(column: Any) -> list[Any]:
    if isinstance(column, np.ndarray):
        return [None if value != value else value for value in column.tolist()]
    # A category is text to every learner: to some, True and 7 would be numbers.
    return [value if value is None or isinstance(value, str) else str(value) for value in column]
