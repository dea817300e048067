"""New models: empty ones by their columns, and copies with other parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boxwise import EIOLGFMM, HyperboxClassifier, ImprovedOnlineGFMM, dumps, loads
from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.learners.base.monotone import check_classes_named
from boxwise.schema import Column, Schema, Vocabulary
from boxwise.service.live import LiveModel
from boxwise.service.problems import Problem, refused

# Those that learn row by row and take categories.
LEARNERS: dict[str, type[HyperboxLearner]] = {
    learner.__name__: learner for learner in (HyperboxClassifier, EIOLGFMM, ImprovedOnlineGFMM)
}
_OF_COLUMNS = ("categorical_features",)  # the schema says it
_ANY_DATE = "2000-01-01"
_REFUSALS = (ValueError, TypeError, LookupError, OverflowError)


def new_model(schema: Any, learner: str, parameters: Mapping[str, Any]) -> bytes:
    """Return an empty model as the bytes of its file.

    Parameters
    ----------
    schema : object
        ``{"columns": [{"name": ..., "kind": "numeric" | "categorical" | "unknown"}, ...]}``, or a
        mapping from name to kind.
    learner : str
        One of `LEARNERS`.
    parameters : mapping
        Of the learner.
    """
    return _empty(columns_of(schema), learner, parameters)


def columns_of(schema: Any) -> Schema:
    """Return the columns that JSON describes; `Problem` 422 if it does not."""
    found = schema.get("columns") if isinstance(schema, dict) and "columns" in schema else schema
    if isinstance(found, dict):
        found = [{"name": name, "kind": kind} for name, kind in found.items()]
    if not isinstance(found, list) or not found or not all(isinstance(c, dict) for c in found):
        raise Problem(
            422,
            "the schema must be like {'columns': [{'name': 'age', 'kind': 'numeric'}]}, with "
            "at least one column",
        )
    columns = []
    for column in found:
        name, kind = column.get("name"), column.get("kind", "unknown")
        if {*column} - {"name", "kind"} or not isinstance(kind, str):
            raise Problem(422, f"column {name!r}: a column has a 'name' and a 'kind', no more")
        try:
            vocabulary = Vocabulary() if kind == "categorical" else None
            columns.append(Column(name, kind, vocabulary))  # type: ignore[arg-type]
        except ValueError as error:
            raise refused(error) from None
    try:
        made = Schema(columns, named=True)
    except ValueError as error:
        raise refused(error) from None
    if all(column.kind == "unknown" for column in columns):
        raise Problem(422, "give at least one column the kind 'numeric' or 'categorical'")
    return made


def changed(
    live: LiveModel, learner: str | None, parameters: Mapping[str, Any], *, empty: bool
) -> bytes:
    """Return a copy of a model with other parameters, or an empty one for the same columns."""
    own = type(live.estimator).__name__
    if empty:
        schema = live.model.schema
        columns = [
            Column(c.name, c.kind, Vocabulary() if c.kind == "categorical" else None, date=c.date)
            for c in schema.columns
        ]
        given = dict(parameters)
        if learner in (None, own):
            given = {**live.estimator.get_params(), **given}
        return _empty(Schema(columns, schema.named), learner or own, given)
    if learner not in (None, own):
        raise Problem(422, f"a copy of the model is a {own}; use 'from': 'empty' for a {learner}")
    copy = loads(live.to_bytes())
    _set(copy, parameters)
    return _checked(copy)


def _empty(schema: Schema, learner: str, parameters: Mapping[str, Any]) -> bytes:
    kind = LEARNERS.get(learner)
    if kind is None:
        raise Problem(
            422, f"there is no learner {learner[:80]!r} to serve; there are {', '.join(LEARNERS)}"
        )
    model: Any = kind()
    _set(model, parameters)
    try:
        check_classes_named(parameters.get("monotonic_cst"))
        if "categorical_features" in model.get_params():
            model.set_params(categorical_features=[*schema.categorical_names])
        model._begin(schema)
    except _REFUSALS as error:
        raise refused(error) from None
    return _checked(model)


def _set(model: Any, parameters: Mapping[str, Any]) -> None:
    known = [name for name in model.get_params() if name not in _OF_COLUMNS]
    for name, value in parameters.items():
        if name in _OF_COLUMNS:
            continue
        if name not in known:
            raise Problem(
                422,
                f"{type(model).__name__} has no parameter {name[:80]!r}; it has {', '.join(known)}",
            )
        model.set_params(**{name: value})


def _checked(model: Any) -> bytes:
    """Return the bytes of a model whose parameters are all usable."""
    row: dict[str, Any] = {}
    for column in model._fitted().schema.columns:
        if column.date is not None:
            row[column.date[0]] = _ANY_DATE
        else:
            row[column.name] = {"numeric": 0.0, "categorical": "a"}.get(column.kind)
    rows = [row] if model._fitted().schema.named else [[*row.values()]]
    try:
        model._read_to_learn(rows, ["a"], None)  # as the first request will
        return dumps(model)
    except _REFUSALS as error:
        raise refused(error) from None
