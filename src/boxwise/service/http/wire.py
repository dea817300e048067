"""JSON as it goes over the wire."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import orjson

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


def to_json(value: Any) -> bytes:
    """Return compact JSON; numbers that are not finite become null."""
    try:
        return orjson.dumps(value, _plain, _OPTIONS)
    except TypeError:  # an integer beyond 64 bits, or text that UTF-8 cannot hold
        return json.dumps(value, default=_plain, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    return str(value)


def from_json(text: bytes) -> Any:
    """Return the value; ValueError for what is no JSON, such as NaN, or is nested too deeply."""
    return orjson.loads(text)


def label_keys(labels: list[Any]) -> list[str]:
    """Return each label as the key of a JSON object; no two are alike.

    Examples
    --------
    >>> label_keys(["yes", 1, "1", True])
    ['yes', '1', '"1"', 'true']
    """
    others = {to_json(one).decode() for one in labels if not isinstance(one, str)}
    return [
        one if isinstance(one, str) and one not in others else to_json(one).decode()
        for one in labels
    ]
