"""Deciding which columns are numeric and which are categorical."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import NoneType
from typing import Any

import numpy as np

from boxwise.inputs.intervals import interval_types
from boxwise.inputs.matching import match_upper
from boxwise.inputs.missing import is_missing, missing_types
from boxwise.inputs.numbers import is_number_type
from boxwise.inputs.reading import read_table
from boxwise.inputs.table import Coded, Table, generated_names
from boxwise.schema import Column, Kind, Schema, Vocabulary


def infer_schema(X: Any, categorical_features: Any = "from_dtype", upper: Any = None) -> Schema:
    """Make the schema of a table. The vocabularies are still empty.

    Parameters
    ----------
    X : table
        pandas or polars DataFrame, Arrow table, array, mapping of columns, list of dicts or list of
        lists.
    categorical_features : "from_dtype", list of names, list of positions, mask or None
        Whole numbers are positions, also where pandas has numbers for names.
        With "from_dtype", text, object, categorical and boolean columns are categorical, numbers
        and intervals continuous; columns without a type of their own (object arrays, dicts, lists)
        are continuous if all their values are numbers or intervals. Otherwise the columns listed
        are categorical and all others continuous; None lists none.
    upper : table, optional
        Upper bounds, if X holds lower bounds; checked to fit X.

    Returns
    -------
    Schema
        A column without a value and without a type has the kind "unknown".

    Examples
    --------
    >>> infer_schema([{"age": 31, "job": "cook"}, {"age": None, "job": "smith"}])
    Schema(2 columns: age (numeric), job (categorical, 0 values))
    """
    table = read_table(X)
    names = table.names or generated_names(table.n_columns)
    if isinstance(categorical_features, str) and categorical_features == "from_dtype":
        kinds = [_kind(table, j) for j in range(table.n_columns)]
        if set(kinds) == {"unknown"}:
            raise ValueError(
                f"column {names[0]!r}{' and all others' * (len(names) > 1)}: all values are "
                "missing, so there is nothing to learn; give rows with values, or say what the "
                "columns are with categorical_features"
            )
    else:
        listed = _listed(categorical_features, names)
        kinds = ["categorical" if j in listed else "continuous" for j in range(len(names))]
    schema = Schema(
        [
            Column(name, kind, Vocabulary() if kind == "categorical" else None)
            for name, kind in zip(names, kinds, strict=True)
        ],
        named=table.names is not None,
    )
    if upper is not None:
        match_upper(read_table(upper), table, schema, range(table.n_columns))
    return schema


def _kind(table: Table, j: int) -> Kind:
    kind = table.declared(j)
    if kind is None:
        values = table.values(j)
        kind = None if isinstance(values, Coded) else kind_of_values(values)
    return kind or "unknown"


def kinds_told(table: Table, schema: Schema, positions: Sequence[int]) -> dict[int, Kind]:
    """Return the kinds of those columns of unknown kind that have a value in a table.

    A type alone is not enough: pandas takes a column of a file for numbers if it is empty.
    """
    kinds: dict[int, Kind] = {}
    for j in schema.unknown:
        values = table.values(positions[j])
        if isinstance(values, Coded):
            empty = bool((values.positions < 0).all())
        else:
            empty = all(map(is_missing, values))
        if not empty:
            kinds[j] = _kind(table, positions[j])
    return kinds


def kind_of_values(values: Sequence[object]) -> Kind | None:
    """Return the kind of Python values, None if all are missing."""
    types = set(map(type, values)) - missing_types()
    numbers = {kind for kind in types if is_number_type(kind) or kind in interval_types()}
    others = types - numbers
    # Some types have a missing value of their own, such as datetime64's NaT.
    if others and not all(is_missing(value) for value in values if type(value) in others):
        return "categorical"
    return None if all(map(is_missing, values)) else "continuous"


def check_listed(categorical_features: Any, names: tuple[str, ...]) -> None:
    """Raise ValueError unless a table with these columns could be read with this parameter."""
    if not (isinstance(categorical_features, str) and categorical_features == "from_dtype"):
        _listed(categorical_features, names)


def _listed(categorical_features: Any, names: tuple[str, ...]) -> set[int]:
    """Return the positions of the columns that the user listed."""
    if categorical_features is None:
        return set()
    if isinstance(categorical_features, str) or not isinstance(categorical_features, Iterable):
        raise ValueError(
            "categorical_features must be 'from_dtype', a list of names, a list of positions, "
            f"a mask or None, not {categorical_features!r}"
        )
    entries: list[Any] = [
        e.item() if isinstance(e, np.bool_ | np.integer | np.str_) else e
        for e in categorical_features
    ]
    types = set(map(type, entries))
    if not types:
        return set()
    if types == {bool}:
        return _from_mask(entries, len(names))
    if types == {int}:
        return _from_positions(entries, names)
    if all(issubclass(kind, str) for kind in types):
        return _from_names(entries, names)
    if len(types) == 1 and not types & {float, NoneType}:  # tuples or dates, as pandas allows
        return _from_names([str(entry) for entry in entries], names)
    raise ValueError(
        "categorical_features must hold names only, positions only, or true and false only; "
        f"it holds {', '.join(sorted(kind.__name__ for kind in types))}"
    )


def _from_mask(mask: list[bool], n: int) -> set[int]:
    if len(mask) != n:
        raise ValueError(
            f"the mask in categorical_features has {len(mask)} entries, but X has {n} columns"
        )
    return {j for j, chosen in enumerate(mask) if chosen}


def _from_positions(positions: list[int], names: tuple[str, ...]) -> set[int]:
    n = len(names)
    for position in positions:
        if not -n <= position < n:
            name = str(position)
            remedy = f"; list the column of this name as text, {name!r}" if name in names else ""
            raise ValueError(
                f"categorical_features lists position {position}, but X has {n} columns, "
                f"at positions 0 to {n - 1}{remedy}"
            )
    return {position % n for position in positions}


def _from_names(listed: list[str], names: tuple[str, ...]) -> set[int]:
    position_of = {name: j for j, name in enumerate(names)}
    for name in listed:
        if name not in position_of:
            shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
            raise ValueError(
                f"categorical_features lists {name!r}, but X has no such column; it has {shown}"
            )
    return {position_of[name] for name in listed}
