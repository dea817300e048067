"""Which columns of a file are numbers and which are categories, by its first rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from boxwise.files.chunk import Chunk
from boxwise.files.errors import InputError
from boxwise.files.numbers import to_floats
from boxwise.schema import Kind

KIND_ROWS = 10_000
"""So many rows decide, however they are cut into chunks."""


def first_rows(chunks: Iterator[Chunk]) -> list[Chunk]:
    """Take as many chunks as decide the kinds of columns."""
    first: list[Chunk] = []
    rows = 0
    for chunk in chunks:
        first.append(chunk)
        rows += chunk.n_rows
        if rows >= KIND_ROWS:
            break
    return first


def infer_kinds(
    chunks: Sequence[Chunk],
    names: Sequence[str],
    *,
    numeric: Collection[str] = (),
    categorical: Collection[str] = (),
) -> dict[str, Kind]:
    """Decide the kind of each column.

    A column is one of numbers if all its values among the first rows are. In a file without types
    that is a text that reads as a number; in others it is a number.

    Parameters
    ----------
    chunks : sequence of Chunk
        The first rows, `KIND_ROWS` of them if there are as many.
    names : sequence of str
        The columns in question.
    numeric, categorical : collection of str
        The columns whose kind is given.
    """
    kinds: dict[str, Kind] = {}
    for name in names:
        if name in numeric:
            kinds[name] = "continuous"
        elif name in categorical:
            kinds[name] = "categorical"
        else:
            kinds[name] = _kind(name, chunks)
    return kinds


def _kind(name: str, chunks: Sequence[Chunk]) -> Kind:
    cells = [c for c in islice(_cells(name, chunks), KIND_ROWS) if c is not None]
    if not cells:
        raise InputError(
            f"{chunks[0].file}, column {name!r}: all values of the first rows are missing, so "
            f"there is no telling its kind; give --numeric, --categorical or --drop {name!r}"
        )
    # In a file with types, text is text and a truth value is no number.
    categories = {bool, str} if chunks[0].typed else {bool}
    if categories & set(map(type, cells)):
        return "categorical"
    return "categorical" if to_floats(cells) is None else "continuous"


def _cells(name: str, chunks: Sequence[Chunk]) -> Iterator[object]:
    return (cell for chunk in chunks for cell in chunk.columns[name])
