"""Dates taken apart: the year, the month, the weekday and so on of a date, as columns of a model.

The parts are those of the local time that a value shows. A value with a time zone is not converted:
``2024-05-01T23:30+02:00`` is of the hour 23. A date without a time is of the hour 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any, TypeAlias

from boxwise.schema import Kind, Schema, show

Dates: TypeAlias = dict[str, tuple[str, ...]]
"""The column of each date, and the parts of it that a model sees."""

PARTS = ("year", "month", "day", "weekday", "hour", "minute")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
EXAMPLE = "['year', 'month', 'weekday', 'hour']"


class NotADateError(ValueError):
    """A value in a column of dates that is none."""


def derived_name(column: str, part: str) -> str:
    """Return the name of the column that holds a part of a date.

    Examples
    --------
    >>> derived_name("opened", "weekday")
    'weekday of opened'
    """
    return f"{part} of {column}"


def kind_of_part(part: str) -> Kind:
    """Return the kind of such a column: weekdays are categories, all else is numeric."""
    return "categorical" if part == "weekday" else "numeric"


def kinds_of_parts(dates: Mapping[str, Sequence[str]]) -> dict[str, Kind]:
    """Return the kinds of the columns of parts of dates."""
    return {
        derived_name(name, part): kind_of_part(part)
        for name, parts in dates.items()
        for part in parts
    }


def checked_dates(dates: Any) -> Dates:
    """Return the parameter `dates` in its plain form; anything unexpected raises an error."""
    if dates is None:
        return {}
    if not isinstance(dates, Mapping):
        raise TypeError(
            f"dates must be a mapping from column to parts, such as {{'opened': {EXAMPLE}}}, not "
            f"{show(dates)}"
        )
    return {_column(name): _parts(name, parts) for name, parts in dates.items()}


def _column(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"dates: {show(name)} is no name of a column; columns of dates need names")
    return name


def _parts(name: Any, parts: Any) -> tuple[str, ...]:
    given = [parts] if isinstance(parts, str) else parts
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise TypeError(f"dates: column {name!r} needs a list of parts, not {show(parts)}")
    found = []
    for part in given:
        if part not in PARTS:
            near = get_close_matches(str(part), PARTS, n=1)
            remedy = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(PARTS)}"
            raise ValueError(f"dates: a date has no part {show(part)} (column {name!r}); {remedy}")
        if part in found:
            raise ValueError(f"dates: {part!r} is given twice for column {name!r}")
        found.append(str(part))
    if not found:
        raise ValueError(f"dates: column {name!r} needs one part at least; leave it out of X")
    return tuple(found)


def check_date_columns(schema: Schema) -> None:
    """Raise ValueError unless the columns of the parts of dates are as this module makes them."""
    for column in schema.columns:
        if column.date is not None and (
            column.date[1] not in PARTS or column.name != derived_name(*column.date)
        ):
            raise ValueError(f"column {column.name!r} is no part of a date: {show(column.date)}")


def dates_in(schema: Schema) -> dict[str, list[str]]:
    """Return the dates of the columns of a schema, and the parts that there are of each."""
    dates: dict[str, list[str]] = {}
    for column in schema.columns:
        if column.date is not None:
            dates.setdefault(column.date[0], []).append(column.date[1])
    return dates


def parts_of(values: Sequence[object], parts: Sequence[str], column: str) -> list[list[Any]]:
    """Return the parts of each of the values, a list for each part; None where one is missing.

    Examples
    --------
    >>> parts_of(["2024-05-01", None], ("month", "weekday"), "opened")
    [[5, None], ['Wednesday', None]]
    """
    found = []
    for row, value in enumerate(values):
        try:
            found.append(read_date(value))
        except NotADateError as error:
            raise NotADateError(f"column {column!r}: {error} (row {row}); {REMEDY}") from None
    return [[_part(one, part) for one in found] for part in parts]


REMEDY = "write it as 2024-05-31 or 2024-05-31T13:45, give a datetime, or None for a missing value"


def read_date(value: object) -> date | None:
    """Return a value as a date; None if it is missing.

    Dates and times of Python, pandas and NumPy are dates, and text as ISO 8601 has it.
    """
    if value is None or type(value).__name__ == "NAType" or value != value:
        return None
    if isinstance(value, date):  # a datetime is one, and pandas' Timestamp
        return value
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:
            raise NotADateError(f"{show(value)} is not a date") from None
    if type(value).__name__ == "datetime64":
        plain = value.astype("datetime64[us]").item()  # type: ignore[attr-defined]
        if plain is None or isinstance(plain, date):
            return plain
    raise NotADateError(f"{show(value)} of type {type(value).__name__} is not a date")


def _part(one: date | None, part: str) -> Any:
    if one is None:
        return None
    if part == "weekday":
        return WEEKDAYS[one.weekday()]
    if part in ("hour", "minute") and not isinstance(one, datetime):
        return 0
    return int(getattr(one, part))
