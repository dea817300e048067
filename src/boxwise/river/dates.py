"""Rows with dates, as rows with features for the parts of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from boxwise.dates import derived_name, parts_of


def taken_apart(
    x: Mapping[Hashable, Any],
    dates: Mapping[Hashable, Any],
    parts_by_name: Mapping[str, Sequence[str]],
) -> dict[Hashable, Any]:
    """Return a row with the parts of its dates in place of the dates."""
    row: dict[Hashable, Any] = {}
    for key, value in x.items():
        if key in dates:
            name = str(key)
            parts = parts_by_name[name]
            for part, (cell,) in zip(parts, parts_of([value], parts, name), strict=True):
                row[derived_name(name, part)] = cell
        else:
            row[key] = value
    return row


def by_text(dates: Any) -> Any:
    """Return the parameter `dates` with its keys as text, if it is a mapping."""
    if not isinstance(dates, Mapping):
        return dates
    return {str(key): parts for key, parts in dates.items()}
