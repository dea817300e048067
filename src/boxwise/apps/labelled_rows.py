"""Rows of files with their labels, for learners of any library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxwise.files import Chunk, RowErrors, Typing

Pair = tuple[dict[str, Any], Any]


@dataclass
class LabelledRows:
    """The rows of chunks, each once: a dict of numbers, text and None, and the label.

    A column of unknown kind gets its kind with its first value.
    """

    typing: Typing
    chunks: Iterable[Chunk]
    row_errors: RowErrors

    def __iter__(self) -> Iterator[Pair]:
        for chunk in self.chunks:
            self.typing = self.typing.with_kinds_of(chunk)
            typed = self.typing.apply(chunk, self.row_errors)
            columns = [_cells(cells) for cells in typed.columns.values()]
            for values, label in zip(zip(*columns, strict=True), typed.labels, strict=True):
                yield dict(zip(typed.columns, values, strict=True)), label


def _cells(column: Any) -> list[Any]:
    if isinstance(column, np.ndarray):
        return [None if value != value else value for value in column.tolist()]
    # A category is text to every learner: to some, True and 7 would be numbers.
    return [value if value is None or isinstance(value, str) else str(value) for value in column]
