"""``POST /v1/learn``."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from boxwise.service.http.bodies import field_of, id_of, read_object
from boxwise.service.http.endpoints import JSON, Content, Endpoint
from boxwise.service.http.schemas import KEY_PARAMETER, MODEL_PARAMETER, ROWS, or_null, ref
from boxwise.service.live import check_rows
from boxwise.service.problems import Problem
from boxwise.service.requests import Key, LearnLabels, LearnRows
from boxwise.service.service import Service

LONGEST_KEY = 255  # characters
FIELDS = ("rows", "labels", "weights", "labelled")


async def learn(service: Service, request: Request) -> Response:
    """Learn rows; the answer comes when they are on disk and in the model."""
    content, body = await read_object(request, service, FIELDS)
    writer = service.asked(request)
    key = _key(request, body)
    waiting = asyncio.get_running_loop().create_future()
    submitted: LearnRows | LearnLabels
    if "labelled" in content:
        submitted = LearnLabels(waiting, _labelled(content, service.settings.max_rows), key)
    else:
        rows, labels, weights = _rows(content, service.settings.max_rows)
        submitted = LearnRows(waiting, rows, labels, weights, body, key)
    answer: bytes = await writer.submit(submitted)
    service.metrics.rows(writer.served.name, "learned", submitted.n_rows)
    return Response(answer, media_type=JSON)


def _key(request: Request, body: bytes) -> Key | None:
    text = request.headers.get("idempotency-key")
    if text is None:
        return None
    if not 1 <= len(text) <= LONGEST_KEY:
        raise Problem(422, f"an Idempotency-Key must have 1 to {LONGEST_KEY} characters")
    return Key(text, hashlib.sha256(body).digest())


def _rows(content: dict[str, Any], most: int) -> tuple[list[Any], list[Any], list[Any] | None]:
    rows = check_rows(content.get("rows"), most)
    labels = field_of(content, "labels", "a list")
    if labels is None or len(labels) != len(rows):
        n = 0 if labels is None else len(labels)
        raise Problem(422, f"there are {n} labels, but {len(rows)} rows; each row needs one")
    for i, label in enumerate(labels):
        check_label(label, f"the label of row {i}")
    weights = field_of(content, "weights", "a list")
    if weights is not None:
        if len(weights) != len(rows):
            raise Problem(422, f"there are {len(weights)} weights, but {len(rows)} rows")
        for i, weight in enumerate(weights):
            check_weight(weight, f"the weight of row {i}")
    return rows, labels, weights


def _labelled(content: dict[str, Any], most: int) -> list[tuple[str, Any, Any]]:
    items = field_of(content, "labelled", "a list")
    if not items or len(content) > 1:
        raise Problem(
            422, "give either 'rows' with 'labels', or 'labelled': a list of at least one object"
        )
    if len(items) > most:
        raise Problem(413, f"there are {len(items):,} labels; send at most {most:,} in a request")
    found: dict[str, tuple[str, Any, Any]] = {}
    for i, item in enumerate(items):
        if not isinstance(item, dict) or not {"id", "label"} <= {*item} <= {
            "id",
            "label",
            "weight",
        }:
            raise Problem(422, f"item {i} of 'labelled' must be an object with 'id' and 'label'")
        one = id_of(item["id"], f"item {i} of 'labelled'")
        if one in found:
            raise Problem(422, f"the id {one!r} occurs twice (item {i})")
        check_label(item["label"], f"the label of item {i}")
        if item.get("weight") is not None:
            check_weight(item["weight"], f"the weight of item {i}")
        found[one] = (one, item["label"], item.get("weight"))
    return [*found.values()]


def check_label(label: Any, where: str) -> None:
    """Refuse what no class can be; null is left to the model, which may take unlabelled rows."""
    if isinstance(label, dict | list):
        raise Problem(422, f"{where} must be text, a whole number or a truth value")


def check_weight(weight: Any, where: str) -> None:
    """Refuse what is not a number."""
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        raise Problem(422, f"{where} must be a number")


_LABEL = {"type": ["string", "integer", "boolean"]}
_WEIGHT = {"type": "number", "minimum": 0, "maximum": 10000}
ENDPOINTS = (
    Endpoint(
        "POST",
        "/v1/learn",
        learn,
        "learn",
        "Learn rows with their labels",
        "learn",
        Content(
            ref("Learned"),
            {"model": "loans", "version": 1, "learned": 2, "position": 43, "rows": 1002},
        ),
        bodies=(
            Content(
                {
                    "oneOf": [
                        {
                            "type": "object",
                            "required": ["rows", "labels"],
                            "additionalProperties": False,
                            "properties": {
                                "rows": ROWS,
                                "labels": {"type": "array", "items": _LABEL, "minItems": 1},
                                "weights": or_null({"type": "array", "items": _WEIGHT}),
                            },
                        },
                        {
                            "type": "object",
                            "required": ["labelled"],
                            "additionalProperties": False,
                            "properties": {
                                "labelled": {
                                    "type": "array",
                                    "minItems": 1,
                                    "items": {
                                        "type": "object",
                                        "required": ["id", "label"],
                                        "additionalProperties": False,
                                        "properties": {
                                            "id": ref("Id"),
                                            "label": _LABEL,
                                            "weight": or_null(_WEIGHT),
                                        },
                                    },
                                }
                            },
                        },
                    ]
                },
                {
                    "rows": [
                        {"age": 41, "education": "bachelor", "loan": 12000},
                        {"age": 23, "education": "school", "loan": 90000},
                    ],
                    "labels": ["approved", "declined"],
                },
            ),
        ),
        parameters=(MODEL_PARAMETER, KEY_PARAMETER),
        description=(
            "The answer comes when the rows are in the journal, on disk, and in the model. A "
            "request is learned as a whole or, if one row is refused, not at all. Send it again "
            "with the same `Idempotency-Key` after a failure: it is learned once."
        ),
    ),
)
