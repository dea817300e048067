"""From a file of the archive to the table as boxwise keeps it."""

from __future__ import annotations

import re

from boxwise.datasets.catalogue import LABEL, Entry
from boxwise.datasets.errors import DatasetError

MISSING = "?"


def convert(entry: Entry, raw: bytes) -> bytes:
    """Return the table that is in a raw file: named columns, label last, complete rows only."""
    # Latin-1 takes any byte: if a letter is wrong, it is the checksum that says so.
    lines = raw.decode("latin-1").splitlines()
    rows = [_row(entry, line, number) for number, line in enumerate(lines, 1) if line.strip()]
    complete = [row for row in rows if MISSING not in row]
    table = [[*entry.columns, LABEL], *complete]
    return "".join(",".join(row) + "\n" for row in table).encode()


def _row(entry: Entry, line: str, number: int) -> list[str]:
    cells = _cells(line, entry.layout)
    expected = len(entry.columns) + len(entry.drop) + 1
    if len(cells) != expected:
        raise DatasetError(
            f"data set {entry.name!r}: line {number} of {entry.file} has {len(cells)} values, "
            f"not {expected}; the archive's file is not the one that boxwise knows"
        )
    label_at = entry.label_at % expected
    kept = [cells[i] for i in range(expected) if i != label_at and i not in entry.drop]
    return [_plain(cell) for cell in (*kept, cells[label_at])]


def _cells(line: str, layout: str) -> list[str]:
    if layout == "blanks":
        return line.split()
    cells = [cell.strip() for cell in line.split(",")]
    return [*cells[:-1], *cells[-1]] if layout == "sequence" else cells


def _plain(cell: str) -> str:
    """Write a whole number as such: in some files it is 00202, in others 70.0."""
    whole = re.fullmatch(r"0*([0-9]+)(\.0)?", cell)
    return whole[1] if whole else cell
