"""Payloads of messages: one JSON object each."""

from __future__ import annotations

import json
import sys
from typing import Any

from boxwise.files.json_objects import DECODER, KeyTwiceError, is_broken

LARGEST = 16 * 1024 * 1024  # bytes of a payload


def read_json(payload: bytes) -> tuple[dict[str, object] | None, str | None]:
    """Return the object that a payload is, or why it is none.

    Examples
    --------
    >>> read_json(b'{"age": 31}')
    ({'age': 31}, None)
    >>> read_json(b"[31]")
    (None, 'the payload is no object; send one JSON object per message, such as {"age": 31}')
    """
    try:
        if len(payload) > LARGEST:
            return None, f"the payload has more than {LARGEST // 2**20} MB; send smaller messages"
        text = payload.decode()
        values = DECODER.decode(text)
    except UnicodeDecodeError as error:
        return None, f"byte {error.start + 1} of the payload is not UTF-8; encode it as UTF-8"
    except KeyTwiceError as error:
        return None, f"column {error.args[0]!r}: the payload has this key twice; leave one out"
    except json.JSONDecodeError as error:
        return None, _no_object(f"is no JSON ({error})")
    except RecursionError:
        return None, _no_object("is nested too deeply")
    except ValueError:  # Python reads no more digits than these
        digits = f"{sys.get_int_max_str_digits():,}"
        return (
            None,
            f"the payload has a whole number of more than {digits} digits; write it as text",
        )
    if not isinstance(values, dict):
        return None, _no_object("is no object")
    if "\\u" in text and (column := _broken(values)) is not None:
        return None, f"column {column!r} has half of a character (a lone surrogate); correct it"
    return values, None


def _no_object(problem: str) -> str:
    return f'the payload {problem}; send one JSON object per message, such as {{"age": 31}}'


def _broken(values: dict[str, Any]) -> str | None:
    """Return the first column whose name or text cannot be written as UTF-8."""
    broken = (name for name, value in values.items() if is_broken(name) or is_broken(value))
    return next((name.encode(errors="replace").decode() for name in broken), None)
