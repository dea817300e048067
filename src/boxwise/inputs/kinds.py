"""Deciding which columns are numeric and which are categorical."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from types import NoneType
from typing import Any

import numpy as np

from boxwise.dates import Dates, checked_dates, derived_name
from boxwise.inputs.dated import check_no_dates, has_parts, with_parts
from boxwise.inputs.intervals import interval_types
from boxwise.inputs.matching import match_upper
from boxwise.inputs.missing import is_missing, missing_types
from boxwise.inputs.numbers import is_number_type
from boxwise.inputs.reading import read_table
from boxwise.inputs.table import Coded, Table, generated_names
from boxwise.schema import Column, Kind, Schema, Vocabulary


def infer_schema(
    X: Any, categorical_features: Any = "from_dtype", upper: Any = None, dates: Any = None
) -> Schema:
    """Make the schema of a table. The vocabularies are still empty.

    Parameters
    ----------
    X : table
        pandas or polars DataFrame, Arrow table, array, mapping of columns, list of dicts or list of
        lists.
    categorical_features : "from_dtype", list of names, list of positions, mask or None
        Whole numbers are positions, also where pandas has numbers for names.
        With "from_dtype", text, object, categorical and boolean columns are categorical, numbers
        and intervals numeric; columns without a type of their own (object arrays, dicts, lists)
        are numeric if all their values are numbers or intervals. Otherwise the columns listed
        are categorical and all others numeric; None lists none.
    upper : table, optional
        Upper bounds, if X holds lower bounds; checked to fit X.
    dates : mapping of str to list of str, optional
        Columns of dates, and the parts of a date that stand for each of them.

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
    chosen = checked_dates(dates)
    part_of = {derived_name(name, part): (name, part) for name in chosen for part in chosen[name]}
    _check_dates(table, chosen, part_of)
    listed = None
    if not (isinstance(categorical_features, str) and categorical_features == "from_dtype"):
        listed = _listed(categorical_features, names, part_of)
    listed_parts = frozenset[str]()
    if part_of and listed is not None and categorical_features is not None:
        listed_parts = frozenset(e for e in categorical_features if isinstance(e, str))
    columns: list[Column] = []
    for j, name in enumerate(names):
        if name in chosen:
            _check_not_listed(name, j, listed)
            columns += with_parts(name, chosen[name], listed_parts)
        elif name in part_of:
            source, part = part_of[name]
            columns += with_parts(source, [part], listed_parts)
        else:
            categorical = listed is not None and j in listed
            kind = _kind(table, j) if listed is None else _KIND_IF_LISTED[categorical]
            columns.append(Column(name, kind, Vocabulary() if kind == "categorical" else None))
    if listed is None and {column.kind for column in columns} == {"unknown"}:
        raise ValueError(
            f"column {names[0]!r}{' and all others' * (len(names) > 1)}: all values are "
            "missing, so there is nothing to learn; give rows with values, or say what the "
            "columns are with categorical_features"
        )
    schema = Schema(columns, named=table.names is not None)
    if upper is not None:
        check_no_dates(schema)
        match_upper(read_table(upper), table, schema, range(table.n_columns))
    return schema


_KIND_IF_LISTED: dict[bool, Kind] = {True: "categorical", False: "numeric"}


def _check_dates(table: Table, dates: Dates, part_of: Mapping[str, Any]) -> None:
    """Raise ValueError unless a table has all columns of dates, or those of all their parts."""
    if not dates:
        return
    if table.names is None:
        raise ValueError(
            "dates names columns, but X has no names; use a data frame, or dicts, lists of dicts"
        )
    wanted = part_of if has_parts(table.names, dates, part_of) else dates
    for name in wanted:
        if name not in table.names:
            raise ValueError(
                f"dates names {name!r}, but X has no such column; {_suggestion(name, table.names)}"
            )


def _check_not_listed(name: str, j: int, listed: Collection[int] | None) -> None:
    if listed is not None and j in listed:
        raise ValueError(
            f"column {name!r} is given in dates and in categorical_features; leave it out of one "
            f"of them, or list a part of it, such as {derived_name(name, 'month')!r}"
        )


def _suggestion(name: str, names: Sequence[str]) -> str:
    near = get_close_matches(name, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"it has {', '.join(map(repr, names[:10]))}" + (", ..." if len(names) > 10 else "")


def _kind(table: Table, j: int) -> Kind:
    kind = table.declared(j)
    if kind is None:
        values = table.values(j)
        kind = None if isinstance(values, Coded) else kind_of_values(values)
    return kind or "unknown"


def kinds_found(table: Table, schema: Schema, positions: Sequence[int]) -> dict[int, Kind]:
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
    return None if all(map(is_missing, values)) else "numeric"


def check_listed(categorical_features: Any, schema: Schema) -> None:
    """Raise ValueError unless a table with these columns could be read with this parameter."""
    if not (isinstance(categorical_features, str) and categorical_features == "from_dtype"):
        _listed(categorical_features, schema.inputs, schema.names)


def _listed(
    categorical_features: Any, names: tuple[str, ...], besides: Collection[str] = ()
) -> set[int]:
    """Return the positions of the columns that the user listed; other names are no error."""
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
        return _from_names([e for e in entries if e in names or e not in besides], names)
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
