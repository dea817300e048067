"""Columns of files that may be something else, codes or dates, or hold one value; what to do."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from boxwise.apps.options.columns import ColumnOptions
from boxwise.apps.outcome import notify
from boxwise.dates import NotADateError, read_date
from boxwise.files import Chunk
from boxwise.files.kinds import KIND_ROWS, first_cells
from boxwise.inputs.codes import LEAST_ROWS, MOST_CODES, may_be_codes


def note_columns(columns: ColumnOptions) -> None:
    """Name the columns that may be something else than they are taken for."""
    note_possible_codes(columns.possible_codes)
    note_possible_dates(columns.possible_dates)
    note_constants(columns.constants)


def possible_codes(first: Sequence[Chunk], names: Sequence[str]) -> dict[str, int]:
    """Return those of these numeric columns that may hold codes, by their first rows.

    Each comes with the number of its values.
    """
    found = {}
    for name in names:
        rows_of: Counter[float] = Counter()
        for cell, rows in Counter(first_cells(name, first)).items():
            rows_of[float(cell)] += rows  # type: ignore[arg-type]
            if len(rows_of) > MOST_CODES:
                break
        if may_be_codes(rows_of):
            found[name] = len(rows_of)
    return found


def note_possible_codes(found: Mapping[str, int]) -> None:
    """Name such columns, and what to do if they are codes or not; nothing if there are none."""
    if not found:
        return
    (name, n), *others = found.items()
    shown = ", ".join(
        [f"{name} ({n} different whole numbers)", *(f"{name} ({n})" for name, n in others)]
    )
    many = "they may be codes" if others else "it may be a code"
    notify(
        f"numeric, but {many}: {shown}; {remedy(found)} if so, "
        f"{remedy(found, '--numeric')} if not, which also ends this note"
    )


def possible_dates(first: Sequence[Chunk], names: Sequence[str]) -> list[str]:
    """Return those of these categorical columns whose texts are all dates, by their first rows."""
    return [name for name in names if _are_dates({*first_cells(name, first)})]


def _are_dates(cells: Collection[object]) -> bool:
    if not cells or not all(isinstance(cell, str) and "-" in cell for cell in cells):
        return False
    try:
        return all(read_date(cell) is not None for cell in cells)
    except NotADateError:
        return False


def note_possible_dates(names: Sequence[str]) -> None:
    """Name columns of dates that are taken for categories, and what to do."""
    for name in names:
        chosen = shlex.quote(f"{name}:year,month,weekday,hour")
        notify(
            f"{name} holds dates, each a category of its own; --date {chosen} takes them apart, "
            f"{remedy([name])} ends this note"
        )


def constants(first: Sequence[Chunk], names: Sequence[str]) -> dict[str, object]:
    """Return those of these columns that hold one value in all first rows, with the value."""
    rows = sum(row <= KIND_ROWS for chunk in first for row in chunk.rows)
    if rows < LEAST_ROWS:
        return {}
    found = {}
    for name in names:
        cells = first_cells(name, first)
        if len(cells) == rows and len({*cells}) == 1:
            found[name] = cells[0]
    return found


def note_constants(found: Mapping[str, object]) -> None:
    """Name columns that tell nothing of the class, and how to leave them out."""
    if found:
        shown = ", ".join(f"{name} ({value})" for name, value in found.items())
        one, it = ("one value", "it") if len(found) == 1 else ("one value each", "them")
        notify(
            f"{one} in all of the first rows: {shown}; {remedy(found, '--drop')} leaves {it} out"
        )


def remedy(names: Sequence[str] | Mapping[str, object], option: str = "--categorical") -> str:
    """Return an option with these columns, as a shell takes it."""
    if any("," in name for name in names):
        return " ".join(f"{option} {shlex.quote(name)}" for name in names)
    return f"{option} {shlex.quote(','.join(names))}"
