"""Predictions and refused rows as JSON records."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from boxwise.streams.deciding import Prediction
from boxwise.streams.message import Message


def prediction_records(
    messages: Sequence[Message],
    places: Sequence[int],
    predictions: Sequence[Prediction],
    keep: Sequence[str] = (),
) -> list[tuple[str, bytes]]:
    """Return a record for each prediction: the key, the columns to keep, and the prediction."""
    records = []
    for place, prediction in zip(places, predictions, strict=True):
        message = messages[place]
        row = message.row or {}
        kept = {name: row.get(name) for name in keep}
        records.append((message.key, _json({"key": message.key, **kept, **prediction})))
    return records


def dead_letters(
    messages: Sequence[Message], refused: Mapping[int, str]
) -> list[tuple[str, bytes]]:
    """Return a record for each refused message: the key, the reason, and what the message held.

    Examples
    --------
    >>> message = Message("17", {}, None, b"[3]", "is no object")
    >>> dead_letters([message], {0: "is no object"})
    [('17', b'{"key": "17", "reason": "is no object", "payload": "[3]"}')]
    """
    records = []
    for place, reason in sorted(refused.items()):
        message = messages[place]
        content = {"key": message.key, "reason": reason, **_payload(message.payload)}
        records.append((message.key, _json(content)))
    return records


def _payload(payload: bytes | str | Mapping[str, object]) -> dict[str, Any]:
    if not isinstance(payload, bytes):
        return {"payload": payload}
    try:
        return {"payload": payload.decode()}
    except UnicodeDecodeError:
        return {"payload_base64": b64encode(payload).decode()}


def _json(content: Mapping[str, Any]) -> bytes:
    text = json.dumps(content, ensure_ascii=False, default=repr)
    return text.encode(errors="backslashreplace")
