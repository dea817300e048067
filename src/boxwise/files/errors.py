"""The errors of a file as a whole, and of one of its rows."""

from __future__ import annotations

from typing import Any

from boxwise.schema import show

ABSENT = object()


class InputError(ValueError):
    """A file that cannot be read, whatever becomes of single rows."""


class RowError(ValueError):
    """A row that cannot be used.

    Parameters
    ----------
    problem : str
        What is wrong, in words that follow the place and the value.
    remedy : str
        What to do about it.
    file, line
        Where the row begins; `unit` is "row" in a file that has no lines.
    column : str, optional
        The column, if it is known.
    value : object, optional
        The value, of which only the beginning is shown.

    Examples
    --------
    >>> print(RowError("is not a number", "correct it", "a.csv", 17, column="age", value="abc"))
    a.csv, line 17, column 'age': 'abc' is not a number; correct it
    """

    def __init__(
        self,
        problem: str,
        remedy: str,
        file: str,
        line: int,
        *,
        unit: str = "line",
        column: str | None = None,
        value: object = ABSENT,
    ) -> None:
        self.file, self.line, self.unit = file, line, unit
        self.column, self.problem, self.remedy = column, problem, remedy
        self.value = None if value is ABSENT else show(value)
        place = f"{file}, {unit} {line}"
        if column is not None:
            place += f", column {show(column)}"
        shown = "" if self.value is None else f"{self.value} "
        super().__init__(f"{place}: {shown}{problem}; {remedy}")

    def __reduce__(self) -> tuple[Any, ...]:  # an error may come from another process
        return _row_error, (self.args, vars(self))


def _row_error(texts: tuple[str, ...], attributes: dict[str, Any]) -> RowError:
    error = RowError.__new__(RowError, *texts)
    vars(error).update(attributes)
    return error
