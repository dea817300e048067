"""Rows of files learned in pieces that do not take long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from boxwise.apps.model_columns import waiting
from boxwise.core.pacing import Pace
from boxwise.files import Chunk, RowErrors, TypedChunk, Typing

PIECE = 1_000  # rows learned at a time, fewer if they take long: how often a bar moves


def typed_chunks(
    typing: Typing, chunks: Iterable[Chunk], row_errors: RowErrors
) -> Iterator[tuple[TypedChunk, Typing]]:
    """Yield the rows that can be used, with the kinds of the columns as they are known by then."""
    for chunk in chunks:
        typing = typing.with_kinds_of(chunk)
        yield typing.apply(chunk, row_errors), typing


def pieces(
    model: Any, chunks: Iterable[tuple[TypedChunk, Typing]]
) -> Iterator[tuple[TypedChunk, Typing]]:
    """Yield the rows in pieces that do not take long, so that a signal is noticed soon.

    One begins where a column gets its first value: before that row the model has no such column,
    however the file is cut into chunks.
    """
    pace = Pace()
    for typed, typing in chunks:
        firsts = [typed.first_value(name) for name in waiting(model, typing)]
        begins = sorted({0, *(i for i in firsts if i is not None)})
        for begin, end in pairwise([*begins, typed.n_rows]):
            part = typed.part(slice(begin, end))
            for rows in pace.chunks(part.n_rows, PIECE):
                yield part.part(rows), typing
