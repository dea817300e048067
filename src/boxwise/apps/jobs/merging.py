"""Models of files, merged: what differs is told with the names of the files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boxwise import merge
from boxwise.files import InputError
from boxwise.learners.merging import check_kinds


def merged(
    names: Sequence[str],
    models: Sequence[Any],
    *,
    in_order: bool,
    tune: tuple[Any, Any] | None = None,
) -> Any:
    """Return the merged model; InputError names the files of which the models do not fit together.

    Parameters
    ----------
    names : sequence of str
        The file of each model.
    models, in_order, tune
        As in `merge`; the columns are those that `check_columns` accepts.
    """
    try:
        whole = merge([*models], in_order=in_order, tune=tune)
    except (TypeError, ValueError) as error:
        raise InputError(_named(names, models, error)) from None
    listed = whole.categorical_features
    if isinstance(listed, list) and all(isinstance(name, str) for name in listed):
        # A column may have had its first value in a later model.
        new = [name for name in whole.schema_.categorical_names if name not in listed]
        whole.categorical_features = [*listed, *new]
    return whole


def check_columns(names: Sequence[str], models: Sequence[Any], remedy: str) -> None:
    """Raise InputError if models have other columns, or one that is numeric in one of them only.

    `remedy` says what to do about such a column.
    """
    columns = models[0].schema_.names
    for name, model in zip(names, models, strict=True):
        schema = model.schema_
        if schema.names != columns or schema.named != models[0].schema_.named:
            odd = _difference(names[0], columns, name, schema.names)
            raise InputError(f"{names[0]} and {name} cannot be merged: {odd}")
    try:
        check_kinds(models, names, remedy)
    except ValueError as error:
        raise InputError(str(error)) from None


def _difference(first: str, columns: Sequence[str], name: str, others: Sequence[str]) -> str:
    for column in columns:
        if column not in others:
            return f"{name} has no column {column!r}"
    for column in others:
        if column not in columns:
            return f"{first} has no column {column!r}"
    if list(columns) != list(others):
        return "the order of their columns differs"
    return "only one of them has names of columns"


def _named(names: Sequence[str], models: Sequence[Any], error: Exception) -> str:
    """Return the message of an error, with the names of two files that it is about, if any."""
    for name, model in zip(names, models, strict=True):
        pair = [models[0], model] if model is not models[0] else [model]
        try:
            merge(pair)
        except (TypeError, ValueError) as found:
            both = f"{names[0]} and {name}" if len(pair) == 2 else name
            return f"{both}: {found}"
    return str(error)
