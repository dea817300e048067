"""Finding the columns of a model in a file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from boxwise.apps.outcome import notify
from boxwise.files import FileSet, InputError, Typing, check_names
from boxwise.learners.late_columns import assign_kinds as assign_kinds
from boxwise.learners.late_columns import schema_of as schema_of
from boxwise.learners.late_columns import waiting as waiting
from boxwise.schema import Column, Schema


def check_knows_classes(model: Any) -> None:
    """Raise InputError if the model has no class that it could predict."""
    if not model._fitted().classes:
        raise InputError("the model has learned no row with a label yet; learn some first")


def online(model: Any, path: Path) -> Any:
    """Return the model of a file; InputError if it cannot go on learning."""
    if not hasattr(model, "partial_fit"):
        raise InputError(
            f"{path} holds a {type(model).__name__}, which cannot go on learning: it needs all "
            "rows at once"
        )
    return model


def wanted_names(schema: Schema, label: str | None) -> frozenset[str] | None:
    """Return the names to read; None if the model has no names, and so goes by position."""
    if not schema.named:
        return None
    return frozenset(schema.inputs) | ({label} if label is not None else set())


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


def report_columns_left_out(files: FileSet, typing: Typing, besides: Collection[str] = ()) -> None:
    """Say which columns the model does not use; a single one is taken for a label not named."""
    used = {*typing.kinds, typing.label, *besides}
    extra = [name for name in files.names if name not in used]
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
