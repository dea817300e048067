"""Finding the columns of a model in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from boxwise.apps.outcome import notify
from boxwise.files import FileSet, InputError, TypedChunk, Typing, check_names
from boxwise.schema import Column, Kind, Schema, Vocabulary


def check_knows_classes(model: Any) -> None:
    """Raise InputError if the model has no class that it could predict."""
    if not model._fitted().classes:
        raise InputError("the model has learned no row with a label yet; learn some first")


def wanted_names(schema: Schema, label: str | None) -> frozenset[str] | None:
    """Return the names to read; None if the model has no names, and so goes by position."""
    if not schema.named:
        return None
    return frozenset(schema.names) | ({label} if label is not None else set())


def typing_for(model: Any, files: FileSet, label: str | None = None) -> Typing:
    """Return what the cells of the files are to be, so that the model can take them."""
    schema: Schema = model.schema_
    columns = _match(schema, [name for name in files.names if name != label], files.first)
    known: dict[str, Sequence[object]] = {
        name: column.vocabulary.values
        for name, column in columns.items()
        if column.vocabulary is not None
    }
    if label is not None:
        known[label] = model.classes_.tolist()
    mark = model.unlabelled
    return Typing(
        {name: column.kind for name, column in columns.items()},
        label,
        known,
        unlabelled=mark is not None and mark != mark,
    )


def schema_of(kinds: Mapping[str, Kind]) -> Schema:
    """Return the schema of a model that has learned nothing yet, with columns of these kinds."""
    columns = [
        Column(name, kind, Vocabulary() if kind == "categorical" else None)
        for name, kind in kinds.items()
    ]
    return Schema(columns, named=True)


def waiting(model: Any, typing: Typing) -> dict[str, int]:
    """Return the columns that had no value yet, as the files call them, and their positions."""
    if not model.__sklearn_is_fitted__():  # it begins with columns of which all have a kind
        return {}
    names = [*typing.kinds]  # in the order of the model's columns
    return {names[j]: j for j in model._fitted().schema.unknown}


def assign_kinds(model: Any, typing: Typing, chunk: TypedChunk) -> None:
    """Give columns of the model that have their first value in a chunk the kind it has there."""
    kinds = {
        j: typing.kinds[name]
        for name, j in waiting(model, typing).items()
        if chunk.first_value(name) is not None
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


def report_columns_left_out(files: FileSet, typing: Typing) -> None:
    """Say which columns the model does not use; a single one is taken for a label not named."""
    extra = [name for name in files.names if name not in typing.kinds and name != typing.label]
    if len(extra) > (1 if typing.label is None else 0):
        shown = ", ".join(extra[:10]) + (", ..." if len(extra) > 10 else "")
        notify(f"ignored, not columns of the model: {shown}")


def _match(schema: Schema, names: Sequence[str], file: str) -> dict[str, Column]:
    by_name = dict(zip(schema.names, schema.columns, strict=True))
    if schema.named or set(schema.names) <= set(names):
        check_names(names, schema.names, file, "column that the model needs,")
        return by_name
    if len(names) != schema.n_features:
        raise InputError(
            f"{file} has {len(names)} columns, but the model has {schema.n_features}, without "
            "names; give these columns only, in their order, or call them x0, x1, ..."
        )
    return dict(zip(names, schema.columns, strict=True))
