"""The option --monotone: columns with which a class only gets likelier, or less likely."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from boxwise.core.settings import code_of
from boxwise.learners.late_columns import schema_of
from boxwise.schema import Kind

OPTION = "--monotone"


def constraints_given(texts: Sequence[str]) -> dict[str, Any]:
    """Return the columns, each with a class and a sign, or a sign alone."""
    found: dict[str, Any] = {}
    for text in texts:
        parts = re.fullmatch(r"(.+?):([+-])(.*)", text, re.DOTALL)
        if parts is None:
            raise _refused(
                f"{text!r} has no sign; write {text.partition(':')[0]}:+CLASS if the class gets "
                "likelier as the number rises, or :-CLASS"
            )
        name, sign, label = parts[1], 1 if parts[2] == "+" else -1, parts[3]
        if name in found:
            raise _refused(f"{name!r} is given twice; a column has one class")
        found[name] = {label: sign} if label else sign
    return found


def with_classes(constraints: Mapping[str, Any], classes: Sequence[object]) -> dict[str, Any]:
    """Return the constraints with the second of two classes where none is named."""
    alone = [name for name, value in constraints.items() if not isinstance(value, Mapping)]
    if not alone:
        return dict(constraints)
    known = [*dict.fromkeys(map(str, classes))]
    sign = "+" if constraints[alone[0]] > 0 else "-"
    if len(known) != 2:
        there = f"the first rows have {len(known)}" if known else "those of a stream are not known"
        raise _refused(
            f"{alone[0]}:{sign} is about the second of two classes, and {there}; name the class: "
            f"{alone[0]}:{sign}{known[-1] if known else 'CLASS'}"
        )
    second = max(dict.fromkeys(classes), key=_rank)
    return {**constraints, **{name: {second: constraints[name]} for name in alone}}


def _rank(label: object) -> tuple[bool, Any]:
    return (isinstance(label, str), label)


def check_constraints(model: Any, kinds: Mapping[str, Kind]) -> None:
    """Refuse constraints on columns that cannot have any."""
    try:
        model._settings(schema_of(kinds, model.dates))
    except (TypeError, ValueError) as error:
        raise _refused(str(error).removeprefix("monotonic_cst: ")) from None


def absent_classes(model: Any) -> list[str]:
    """Return, for each constraint on a class that has had no row, what to say about it."""
    classes = model._fitted().classes
    return [
        f"no row has the class {label!r} of {OPTION}, so {name} constrains nothing; the classes "
        f"are {', '.join(map(str, classes[:10]))}"
        for name, label, _ in getattr(model._fitted().settings, "monotone", ())
        if code_of(label, classes) < 0
    ]


def _refused(text: str) -> typer.BadParameter:
    return typer.BadParameter(text, param_hint=OPTION)
