"""The columns that a counterfactual must leave alone, by name or position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from numbers import Integral
from typing import Any

from boxwise.schema import Schema, show


def fixed_positions(schema: Schema, columns: Any, parameter: str = "fixed") -> set[int]:
    """Return the positions of the columns; errors call the list by the name of the parameter.

    A date stands for all its parts; a position is that of a column of a table.
    """
    if isinstance(columns, str | Mapping) or not isinstance(columns, Iterable):
        given = "one text, " if isinstance(columns, str) else ""
        raise TypeError(f"{parameter} is {given}{show(columns)}; give a list of columns")
    found = set()
    for column in columns:
        if isinstance(column, bool):
            raise TypeError(f"{parameter}: {column} is no column; give names or positions")
        name = str(column)
        if isinstance(column, Integral):
            name = schema.inputs[int(column)] if 0 <= int(column) < len(schema.inputs) else ""
        places = schema.positions_of(name)
        found |= {*places}
        if not places:
            raise ValueError(
                f"{parameter}: there is no column {show(column)}; {_remedy(schema, column)}"
            )
    return found


def _remedy(schema: Schema, column: object) -> str:
    known = f"there are {', '.join(schema.inputs[:10])}{', ...' * (len(schema.inputs) > 10)}"
    near = get_close_matches(str(column), [*schema.names, *schema.dates], n=1)
    return f"{known} (did you mean {near[0]!r}?)" if near else known
