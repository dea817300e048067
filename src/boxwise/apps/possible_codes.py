"""Numeric columns of files that may hold codes, and the option that makes them categorical."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence

from boxwise.apps.outcome import notify
from boxwise.files import Chunk
from boxwise.files.kinds import first_cells
from boxwise.inputs.codes import MOST_CODES, may_be_codes


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


def remedy(names: Sequence[str] | Mapping[str, int], option: str = "--categorical") -> str:
    """Return an option with these columns, as a shell takes it."""
    if any("," in name for name in names):
        return " ".join(f"{option} {shlex.quote(name)}" for name in names)
    return f"{option} {shlex.quote(','.join(names))}"
