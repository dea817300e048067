"""Parameters of an estimator to and from what JSON can hold, without loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from boxwise.inputs.missing import is_missing

# JSON has no tuples, no mappings but from text, and no floats that are not finite: they are written
# as {mark: content}.
TUPLE, MAPPING, FLOAT = "tuple", "mapping", "float"


def parameters_to_json(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters as JSON can hold them; NumPy's numbers become Python's."""
    return {name: _to_json(name, value) for name, value in parameters.items()}


def parameters_from_json(data: Any) -> dict[str, Any]:
    """Return the parameters that were written; anything unexpected raises ValueError."""
    if not isinstance(data, dict):
        raise ValueError("the parameters are no mapping")
    return {name: _from_json(name, value) for name, value in data.items()}


def _to_json(name: str, value: Any) -> Any:
    for to_list in ("tolist", "to_list", "to_pylist"):  # NumPy and pandas, polars, Arrow
        value = getattr(value, to_list)() if hasattr(value, to_list) else value
    if value is None or isinstance(value, str | bool | int):
        return value
    if is_missing(value):
        value = math.nan
    if isinstance(value, float):
        return value if math.isfinite(value) else {FLOAT: repr(value)}
    if isinstance(value, Mapping):
        return {MAPPING: [[_to_json(name, k), _to_json(name, v)] for k, v in value.items()]}
    if isinstance(value, list | tuple | set | frozenset | range):
        items = [_to_json(name, item) for item in value]
        return {TUPLE: items} if isinstance(value, tuple) else items
    raise TypeError(
        f"the parameter {name} cannot be saved: {value!r} is of type {type(value).__name__}; "
        "use plain numbers, text, lists or dicts"
    )


def _from_json(name: str, data: Any) -> Any:
    if isinstance(data, list):
        return [_from_json(name, item) for item in data]
    if not isinstance(data, dict):
        return data
    match data:
        case {"float": "nan" | "inf" | "-inf" as text} if len(data) == 1:
            return float(text)
        case {"tuple": list(items)} if len(data) == 1:
            return tuple(_from_json(name, item) for item in items)
        case {"mapping": list(pairs)} if len(data) == 1:
            try:
                return {_from_json(name, k): _from_json(name, v) for k, v in pairs}
            except TypeError:
                pass
    raise ValueError(f"the parameter {name} is not what was written")
