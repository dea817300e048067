"""CSV with text of users in it, which a spreadsheet must not run as a formula (CSV injection)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Any, TextIO

# A sign before a plain number runs nothing, and classes are often called -1 and +1.
_FORMULA = re.compile(r"(?![+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z)[=+\-@\t\r\n]", re.ASCII)


class CsvWriter:
    r"""Writes rows of cells separated by commas; lines end with ``\n``.

    Parameters
    ----------
    out : text file
        Where to write.
    escape_formulas : bool
        Put ``'`` before text that a spreadsheet would run, as OWASP advises:
        https://owasp.org/www-community/attacks/CSV_Injection.

    Examples
    --------
    >>> import sys
    >>> CsvWriter(sys.stdout, escape_formulas=True).write_row(["=1+1", "-2+3", "-2", "cook", -1.5])
    '=1+1,'-2+3,-2,cook,-1.5
    """

    def __init__(self, out: TextIO, *, escape_formulas: bool) -> None:
        # Only with this end of lines does csv quote both of its characters within a cell.
        self._writer = csv.writer(_Lines(out), lineterminator="\r\n")
        self._escape = escape_formulas

    def write_row(self, cells: Iterable[Any]) -> None:
        """Write one line."""
        self._writer.writerow(map(escape_formula, cells) if self._escape else cells)


class _Lines:
    """A file to which csv writes a line at a time."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, line: str) -> None:
        self._out.write(line.removesuffix("\r\n") + "\n")


def escape_formula(cell: Any) -> Any:
    """Return a cell as it is, or with ``'`` before it if it is text that looks like a formula."""
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell
