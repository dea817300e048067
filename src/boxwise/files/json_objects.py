"""JSON objects that lose none of their values."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any


class KeyTwiceError(ValueError):
    """A key that an object has twice, so that one of its values would be lost."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise KeyTwiceError(key)
    return values


DECODER = json.JSONDecoder(object_pairs_hook=_object)


def is_broken(value: object) -> bool:
    """Return whether a value is text that cannot be written as UTF-8."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False
