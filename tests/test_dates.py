"""Dates taken apart."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest

from boxwise.dates import PARTS, NotADateError, checked_dates, parts_of

MOMENT = (2024, 5, 31, "Friday", 13, 45)


@pytest.mark.parametrize(
    "value",
    [
        dt.datetime(2024, 5, 31, 13, 45, 12),
        pd.Timestamp("2024-05-31 13:45"),
        np.datetime64("2024-05-31T13:45", "ns"),
        np.datetime64("2024-05-31T13:45", "m"),
        "2024-05-31T13:45:12.5",
        " 2024-05-31 13:45 ",
        "20240531T134512",
        # The local time counts, whatever the time zone.
        "2024-05-31T13:45Z",
        "2024-05-31T13:45+05:30",
        pd.Timestamp("2024-05-31 13:45", tz="Asia/Tokyo"),
        dt.datetime(2024, 5, 31, 13, 45, tzinfo=dt.timezone(dt.timedelta(hours=-11))),
    ],
)
def test_the_parts_are_those_of_the_local_time_that_a_value_shows(value: Any) -> None:
    assert [column[0] for column in parts_of([value], PARTS, "t")] == [*MOMENT]


@pytest.mark.parametrize("value", [dt.date(2024, 5, 31), "2024-05-31", np.datetime64("2024-05-31")])
def test_a_date_without_a_time_is_midnight(value: Any) -> None:
    assert [column[0] for column in parts_of([value], PARTS, "t")] == [*MOMENT[:4], 0, 0]


@pytest.mark.parametrize("value", [None, float("nan"), pd.NaT, pd.NA, np.datetime64("NaT")])
def test_a_missing_date_has_missing_parts(value: Any) -> None:
    assert parts_of([value], PARTS, "t") == [[None]] * len(PARTS)


@pytest.mark.parametrize("value", ["31.12.2024", "soon", 20240531, 1.5, dt.time(13), True])
def test_what_is_no_date_is_named_with_column_row_and_remedy(value: Any) -> None:
    with pytest.raises(NotADateError, match=r"column 't': .* not a date \(row 1\); write it as"):
        parts_of(["2024-01-01", value], ["year"], "t")


@pytest.mark.parametrize(
    ("dates", "error", "words"),
    [
        ("opened", TypeError, "dates must be a mapping"),
        (["opened"], TypeError, "dates must be a mapping"),
        ({3: ["hour"]}, TypeError, "3 is no name of a column"),
        ({"t": 3}, TypeError, "column 't' needs a list of parts"),
        ({"t": {"hour": 1}}, TypeError, "column 't' needs a list of parts"),
        ({"t": []}, ValueError, "column 't' needs one part at least"),
        ({"t": ["weekdays"]}, ValueError, "did you mean 'weekday'"),
        ({"t": ["century"]}, ValueError, "there are year, month"),
        ({"t": ["hour", "hour"]}, ValueError, "'hour' is given twice for column 't'"),
    ],
)
def test_a_wrong_choice_is_refused(dates: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        checked_dates(dates)
    assert checked_dates({"t": "hour", "u": ("year",)}) == {"t": ("hour",), "u": ("year",)}
