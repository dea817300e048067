"""The columns that a counterfactual must leave alone, by name or position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from numbers import Integral
from typing import Any

from boxwise.schema import Schema, show


def fixed_positions(schema: Schema, columns: Any, parameter: str = "fixed") -> set[int]:
    """Return the positions of the columns; errors call the list by the name of the parameter."""
    if isinstance(columns, str | Mapping) or not isinstance(columns, Iterable):
        given = "one text, " if isinstance(columns, str) else ""
        raise TypeError(f"{parameter} is {given}{show(columns)}; give a list of columns")
    found = set()
    for column in columns:
        if isinstance(column, bool):
            raise TypeError(f"{parameter}: {column} is no column; give names or positions")
        if isinstance(column, Integral) and 0 <= int(column) < schema.n_features:
            found.add(int(column))
        elif not isinstance(column, Integral) and str(column) in schema.names:
            found.add(schema.names.index(str(column)))
        else:
            raise ValueError(
                f"{parameter}: there is no column {show(column)}; {_remedy(schema, column)}"
            )
    return found


def _remedy(schema: Schema, column: object) -> str:
    known = f"there are {', '.join(schema.names[:10])}{', ...' * (schema.n_features > 10)}"
    near = get_close_matches(str(column), schema.names, n=1)
    return f"{known} (did you mean {near[0]!r}?)" if near else known
