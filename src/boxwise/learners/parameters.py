"""Parameters of an estimator to and from what JSON can hold, without loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

# JSON has no tuples, no mappings but from text, and no NaN: they are written as {mark: content}.
TUPLE, MAPPING, NAN = "tuple", "mapping", "nan"


def parameters_to_json(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters as JSON can hold them; NumPy's numbers become Python's."""
    return {name: _to_json(name, value) for name, value in parameters.items()}


def parameters_from_json(data: Any) -> dict[str, Any]:
    """Return the parameters that were written; anything unexpected raises ValueError."""
    if not isinstance(data, dict):
        raise ValueError("the parameters are no mapping")
    return {name: _from_json(name, value) for name, value in data.items()}


def _to_json(name: str, value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and not math.isinf(value):
        return {NAN: None} if math.isnan(value) else value
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
    if data == {NAN: None}:
        return math.nan
    match data:
        case {"tuple": list(items)} if len(data) == 1:
            return tuple(_from_json(name, item) for item in items)
        case {"mapping": list(pairs)} if len(data) == 1:
            try:
                return {_from_json(name, k): _from_json(name, v) for k, v in pairs}
            except TypeError:
                pass
    raise ValueError(f"the parameter {name} is not what was written")
