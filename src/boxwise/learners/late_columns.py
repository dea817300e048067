"""Columns without a value among the first rows, which get their kind while a model learns."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from boxwise.dates import checked_dates, derived_name
from boxwise.files import InputError, TypedChunk, Typing
from boxwise.schema import Column, Kind, Schema, Vocabulary


def schema_of(kinds: Mapping[str, Kind], dates: Any = None) -> Schema:
    """Return the schema of a model that has learned nothing yet, with columns of these kinds.

    Some of them may be parts of the dates that the parameter `dates` of an estimator names.
    """
    chosen = checked_dates(dates)
    part_of = {derived_name(name, part): (name, part) for name in chosen for part in chosen[name]}
    columns = [
        Column(name, kind, Vocabulary() if kind == "categorical" else None, date=part_of.get(name))
        for name, kind in kinds.items()
    ]
    return Schema(columns, named=True)


def waiting(model: Any, typing: Typing) -> dict[str, int]:
    """Return the columns that had no value yet, as the rows call them, and their positions."""
    if not model.__sklearn_is_fitted__():  # it begins with columns of which all have a kind
        return {}
    names = [*typing.kinds]  # in the order of the model's columns
    return {names[j]: j for j in model._fitted().schema.unknown}


def cut_at_first_values(model: Any, typing: Typing, rows: TypedChunk) -> list[slice]:
    """Return the rows in parts, one of which begins where a column gets its first value.

    Before that row the model has no such column, however rows are put together.
    """
    firsts = [rows.first_value(name) for name in waiting(model, typing)]
    begins = sorted({0, *(i for i in firsts if i is not None)})
    return [slice(begin, end) for begin, end in pairwise([*begins, rows.n_rows])]


def assign_kinds(model: Any, typing: Typing, rows: TypedChunk) -> None:
    """Give columns of the model that have their first value in these rows the kind it has there."""
    kinds = {
        j: typing.kinds[name]
        for name, j in waiting(model, typing).items()
        if rows.first_value(name) is not None
    }
    if not kinds:
        return
    try:
        model._assign_kinds(kinds)
    except ValueError as error:  # a setting for each column
        name = model._fitted().schema.names[next(iter(kinds))]
        raise InputError(f"column {name!r} has its first value, but {error}") from None
    listed = model.categorical_features
    if isinstance(listed, list) and all(isinstance(name, str) for name in listed):
        names = model._fitted().schema.names
        new = [names[j] for j, kind in kinds.items() if kind == "categorical"]
        model.categorical_features = [*listed, *new]
