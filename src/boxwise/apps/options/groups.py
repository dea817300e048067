"""Groups of options: a command takes a dataclass, the command line has an option for each field.

In: a command with parameters annotated by dataclasses, whose fields are annotated as options. Out:
the same command for Typer, with the fields in place of these parameters, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar, get_type_hints

T = TypeVar("T")


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of its groups as parameters of its own."""
    groups: dict[str, tuple[Any, list[str]]] = {}
    parameters: list[Parameter] = []
    for name, parameter, kind in _annotated(command, signature(command).parameters):
        if is_dataclass(kind):
            options = {field.name: field for field in fields(kind) if field.init}
            groups[name] = kind, [*options]
            parameters += [
                Parameter(option, Parameter.KEYWORD_ONLY, default=field.default, annotation=of)
                for option, field, of in _annotated(kind, options)
            ]
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=kind))

    @wraps(command)
    def run(**given: Any) -> None:
        values = {
            name: kind(**{option: given.pop(option) for option in options})
            for name, (kind, options) in groups.items()
        }
        command(**given, **values)

    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


def _annotated(of: Any, named: Mapping[str, T]) -> Iterator[tuple[str, T, Any]]:
    """Yield names with what they stand for and their annotations, evaluated."""
    hints = get_type_hints(of, include_extras=True)
    for name, value in named.items():
        yield name, value, hints[name]
