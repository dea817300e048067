"""Rows that cannot be used: stop at the first, skip them, or report them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from boxwise.files.errors import RowError

OnError: TypeAlias = Literal["stop", "skip", "report"]
MOST_REPORTS = 20


class RowErrors:
    """Counts the rows that cannot be used, or stops at the first.

    Parameters
    ----------
    on_error : {"stop", "skip", "report"}, default="stop"
        "stop" raises the error. The others leave the row out; "report" also tells it.
    tell : callable, optional
        Takes a line of text, under "report": the first twenty errors.

    Attributes
    ----------
    count : int
        How many rows were left out.
    first : RowError or None
        The error of the first of them.
    noted : list of RowError
        As many of the first errors as are told, and one more.

    Examples
    --------
    >>> row_errors = RowErrors("report", tell=print)
    >>> row_errors(RowError("has 2 values, not 3", "quote the comma", "a.csv", 4))
    a.csv, line 4: has 2 values, not 3; quote the comma
    >>> row_errors.count
    1
    """

    def __init__(
        self, on_error: OnError = "stop", tell: Callable[[str], object] | None = None
    ) -> None:
        if on_error not in get_args(OnError):
            raise ValueError(f"on_error must be 'stop', 'skip' or 'report', not {on_error!r}")
        self.on_error, self._tell = on_error, tell
        self.count = 0
        self.first: RowError | None = None
        self.noted: list[RowError] = []

    def __call__(self, error: RowError) -> None:
        """Raise the error, or count it."""
        if self.on_error == "stop":
            raise error
        self.count += 1
        self.first = self.first or error
        if self.count <= MOST_REPORTS + 1:
            self.noted.append(error)
        if self.on_error != "report" or self._tell is None:
            return
        if self.count <= MOST_REPORTS:
            self._tell(str(error))
        elif self.count == MOST_REPORTS + 1:
            self._tell("more rows cannot be used; from here on they are only counted")

    def extend(self, later: RowErrors) -> None:
        """Add the errors of rows that come after these and were counted elsewhere."""
        for error in later.noted:
            self(error)
        self.count += later.count - len(later.noted)
