"""The kinds of the columns of a file, numeric or categorical, inferred from its first rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from boxwise.files.chunk import Chunk
from boxwise.files.errors import InputError
from boxwise.files.numbers import is_number, to_floats
from boxwise.schema import Kind

KIND_ROWS = 10_000
"""Number of rows from which column kinds are inferred.

Unreadable rows count, and the cut into chunks does not matter.
"""

MOST_FRACTIONS = 20
ROWS_OF_A_CLASS = 10


def first_rows(chunks: Iterator[Chunk]) -> list[Chunk]:
    """Take as many chunks as decide the kinds of columns."""
    first: list[Chunk] = []
    rows = 0
    for chunk in chunks:
        first.append(chunk)
        rows += chunk.n_rows + len(chunk.row_errors)
        if rows >= KIND_ROWS:
            break
    return first


def may_have_more(first: Sequence[Chunk]) -> bool:
    """Say whether there may be rows after the first ones."""
    return sum(chunk.n_rows + len(chunk.row_errors) for chunk in first) >= KIND_ROWS


def infer_kinds(
    chunks: Sequence[Chunk],
    names: Sequence[str],
    *,
    numeric: Collection[str] = (),
    categorical: Collection[str] = (),
) -> dict[str, Kind]:
    """Decide the kind of each column.

    A column is one of numbers if all its values among the first rows are. In a file without types
    that is a text that reads as a number; in others it is a number. If it has no value there, its
    kind is unknown; not all may be.

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
            kinds[name] = "numeric"
        elif name in categorical:
            kinds[name] = "categorical"
        else:
            kinds[name] = kind_of_cells(first_cells(name, chunks), typed=chunks[0].typed)
    if set(kinds.values()) == {"unknown"}:
        raise InputError(
            f"{chunks[0].file}: no column but the label has a value among the first rows, so there "
            "is nothing to learn; give --numeric or --categorical if values come later"
        )
    return kinds


def later_kinds(chunks: Iterable[Chunk], names: Iterable[str]) -> dict[str, Kind]:
    """Return the kinds of columns that have no value among the first rows, by their first value.

    Nothing is read after the row in which the last of them has one. A column that stays empty is
    left out.
    """
    waiting, found = [*names], dict[str, Kind]()
    for chunk in chunks:
        for name in waiting:
            first = next((cell for cell in chunk.columns[name] if not is_gap(cell)), None)
            if first is not None:
                found[name] = kind_of_cells([first], typed=chunk.typed)
        waiting = [name for name in waiting if name not in found]
        if not waiting:
            break
    return found


def check_classes(chunks: Sequence[Chunk], label: str) -> None:
    """Raise InputError if the labels of the first rows are no classes, but a measurement.

    They are if more than `MOST_FRACTIONS` different ones are numbers with a fraction, and there are
    fewer than `ROWS_OF_A_CLASS` rows for each of these. Text and whole numbers are always classes.
    """
    cells = first_cells(label, chunks)
    fractions = [*dict.fromkeys(filter(_is_fraction, cells))]
    if len(fractions) > MOST_FRACTIONS and len(cells) < ROWS_OF_A_CLASS * len(fractions):
        raise InputError(
            f"{chunks[0].file}, column {label!r}: its values, such as "
            f"{', '.join(map(str, fractions[:3]))}, are no classes but measurements; "
            "choose another --label, or make classes of them, such as low and high"
        )


def _is_fraction(cell: object) -> bool:
    if not isinstance(cell, str | float) or cell != cell:
        return False
    return is_number(cell) and not float(cell).is_integer()


def kind_of_cells(cells: Sequence[object], *, typed: bool) -> Kind:
    """Return the kind of a column with these values, none of which is missing."""
    if not cells:
        return "unknown"
    # In a file with types, text is text and a truth value is no number.
    categories = {bool, str} if typed else {bool}
    if categories & set(map(type, cells)):
        return "categorical"
    return "categorical" if to_floats(cells) is None else "numeric"


def is_gap(cell: object) -> bool:
    """Say whether a cell is missing: None, or the NaN of a file with types."""
    return cell is None or cell != cell


def first_cells(name: str, chunks: Sequence[Chunk]) -> list[object]:
    """Return the cells of a column among the rows that decide, without those that are missing."""
    return [
        cell
        for chunk in chunks
        for row, cell in zip(chunk.rows, chunk.columns[name], strict=True)
        if row <= KIND_ROWS and not is_gap(cell)
    ]
