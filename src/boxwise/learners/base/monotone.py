"""The parameter `monotonic_cst`: columns with which a class only gets likelier, or less likely."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from numbers import Integral
from typing import Any

from boxwise.core.settings import code_of
from boxwise.inputs.labels import declared_labels
from boxwise.schema import Schema, show

# The name of a column, a class (None: the second of two, not known yet) and the sign, 1 or -1.
Constraint = list[Any]


def constraints_of(given: Any, schema: Schema, classes: Sequence[object] = ()) -> list[Constraint]:
    """Return the constraints of a model, in the order of its columns.

    Parameters
    ----------
    given : mapping, sequence or None
        The parameter.
    schema : Schema
        The columns.
    classes : sequence
        Those known so far. A sign without a class is about the second of exactly two.
    """
    by_column = _by_column(given, schema)
    constraints = [[schema.names[j], *by_column[j]] for j in sorted(by_column)]
    for constraint in constraints:
        if constraint[1] is None and classes:
            constraint[1] = _second(classes, constraint)
    return constraints


def check_classes_named(given: Any) -> None:
    """Raise ValueError unless each column comes with its class, as a stream needs."""
    if given is None:
        return
    if not isinstance(given, Mapping):
        raise TypeError(
            f"monotonic_cst is {show(given)}; give a mapping, as in {{'income': {{'approved': 1}}}}"
        )
    for column, value in given.items():
        constraint = _class_and_sign(column, value)
        if constraint is None or constraint[0] is None:
            raise ValueError(
                f"monotonic_cst: column {column!r} has {show(value)} without a class; name the "
                f"class, as in {{{column!r}: {{'approved': 1}}}}"
            )


def check_unchanged(learned: Sequence[Constraint], now: Sequence[Constraint], given: Any) -> None:
    """Raise ValueError unless the constraints are those that a model has learned with."""
    if any(c not in learned for c in now) or any(c not in now for c in learned):
        raise ValueError(
            f"monotonic_cst is {show(given)} now, but the model has learned with "
            f"{show(as_parameter(learned) or None)}, and its boxes cannot be made anew; set it "
            "back, or call fit"
        )


def warn_of_absent_classes(constraints: Iterable[Constraint], classes: Sequence[object]) -> None:
    """Warn of constraints on classes that no row of a table has."""
    for name, label, _ in constraints:
        if classes and label is not None and code_of(label, classes) < 0:
            near = get_close_matches(str(label), map(str, classes), n=1)
            warnings.warn(
                f"monotonic_cst: no row has the class {show(label)} of column {name!r}, which "
                f"therefore constrains nothing; the classes are {_listed(classes)}"
                + (f" (did you mean {near[0]!r}?)" if near else ""),
                UserWarning,
                stacklevel=5,
            )


def as_parameter(constraints: Iterable[Constraint]) -> dict[str, Any]:
    """Return the parameter that gives these constraints."""
    return {name: sign if label is None else {label: sign} for name, label, sign in constraints}


def _by_column(given: Any, schema: Schema) -> dict[int, Constraint]:
    """Return the class and the sign by the position of the column."""
    if given is None:
        return {}
    found: dict[int, Constraint] = {}
    for column, value in _items(given, schema):
        constraint = _class_and_sign(column, value)
        if constraint is None:
            continue
        j = _position(column, schema)
        if j in found:
            raise ValueError(f"monotonic_cst: column {schema.names[j]!r} is given twice")
        found[j] = constraint
    return found


def _items(given: Any, schema: Schema) -> Iterable[tuple[Any, Any]]:
    if isinstance(given, Mapping):
        return given.items()
    given = given.tolist() if hasattr(given, "tolist") else given
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise TypeError(
            f"monotonic_cst is {show(given)}; give a mapping such as "
            "{'income': {'approved': 1}}, or 1, 0 or -1 for each column"
        )
    if len(given) != len(schema.inputs):
        raise ValueError(
            f"monotonic_cst has {len(given)} entries, but there are {len(schema.inputs)} columns; "
            "give 1, 0 or -1 for each, or a mapping with the columns that matter"
        )
    return enumerate(given)


def _class_and_sign(column: Any, value: Any) -> Constraint | None:
    """Return a class, None if it is not named, and a sign; None if there is no constraint."""
    if not isinstance(value, Mapping):
        sign = _sign(column, value, (1, 0, -1))
        return [None, sign] if sign else None
    if len(value) != 1:
        raise ValueError(
            f"monotonic_cst: column {column!r} names {len(value)} classes; name one, as in "
            f"{{{column!r}: {{'approved': 1}}}}"
        )
    ((label, sign),) = value.items()
    try:
        (label,) = declared_labels([label])
    except ValueError:
        raise ValueError(
            f"monotonic_cst: column {column!r} names the class {show(label)}; classes are text, "
            f"whole numbers or truth values, as in {{{column!r}: {{'approved': 1}}}}"
        ) from None
    return [label, _sign(column, sign, (1, -1))]


def _sign(column: Any, value: Any, allowed: tuple[int, ...]) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) not in allowed:
        signs = " or ".join([", ".join(map(str, allowed[:-1])), str(allowed[-1])])
        raise ValueError(
            f"monotonic_cst: column {column!r} has {show(value)}; give {signs}"
            + (", or a class with 1 or -1, as in {'approved': 1}" if 0 in allowed else "")
        )
    return int(value)


def _position(column: Any, schema: Schema) -> int:
    """Return where a column is that may be constrained."""
    name = str(column)
    if isinstance(column, Integral) and not isinstance(column, bool):
        name = schema.inputs[int(column)] if 0 <= int(column) < len(schema.inputs) else ""
    if name in schema.dates:
        part = schema.names[schema.dates[name][0]]
        raise ValueError(
            f"monotonic_cst: column {name!r} holds dates; name a part of them that is a number, "
            f"such as {part!r}"
        )
    if name not in schema.names:
        near = get_close_matches(str(column), schema.names, n=1)
        raise ValueError(
            f"monotonic_cst: there is no column {show(column)}; there are {_listed(schema.names)}"
            + (f" (did you mean {near[0]!r}?)" if near else "")
        )
    j = schema.names.index(name)
    if schema.columns[j].kind == "categorical":
        raise ValueError(
            f"monotonic_cst: column {name!r} is categorical, and categories do not rise; leave it "
            "out, or make it numeric"
        )
    return j


def _second(classes: Sequence[object], constraint: Constraint) -> object:
    name, _, sign = constraint
    try:
        every: list[object] = sorted(dict.fromkeys(classes))  # type: ignore[type-var]
    except TypeError:  # labels of several types
        every = []
    if len(every) == 2:
        return every[1]
    how_many = f"there are {_listed(classes)}"
    if len(classes) == 1:
        how_many = f"only {classes[0]!r} is known so far"
    raise ValueError(
        f"monotonic_cst: column {name!r} has {sign} without a class, which is about the second of "
        f"exactly two classes, but {how_many}; name the class, as in {{{name!r}: "
        f"{{{classes[-1]!r}: {sign}}}}}, or announce both with classes="
    )


def _listed(names: Sequence[object]) -> str:
    return ", ".join(map(str, names[:10])) + ", ..." * (len(names) > 10)
