"""``POST /v1/predict``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from secrets import token_hex
from time import perf_counter, time
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from boxwise.database import Prediction
from boxwise.service.decisions import LARGEST_ROW
from boxwise.service.describing import explanations
from boxwise.service.http.bodies import field_of, id_of, read_object
from boxwise.service.http.endpoints import Content, Endpoint, answer
from boxwise.service.http.schemas import MODEL_PARAMETER, ROWS, or_null, ref
from boxwise.service.http.wire import to_json
from boxwise.service.live import LiveModel, Predicted, check_rows
from boxwise.service.problems import Problem
from boxwise.service.requests import Remember
from boxwise.service.served import Served
from boxwise.service.service import Service

T = TypeVar("T")
FEW_ROWS = 32  # predicted without a thread of their own: it would take longer to start it
FIELDS = ("rows", "ids", "remember", "explain", "counterfactual", "note")


async def predict(service: Service, request: Request) -> Response:
    """Predict rows; note the decisions, and store them if their labels are to follow."""
    begin = perf_counter()
    content, body = await read_object(request, service, FIELDS)
    served = service.asked(request).served
    rows = check_rows(content.get("rows"), service.settings.max_rows)
    ids = _ids(content, len(rows))
    live, version, position = served.live, served.version, served.position
    predicted = await predicted_rows(service, live, rows)
    found = await _explanations(service, live, content, rows)
    if ids is not None:
        await _remember(service, request, rows, predicted, ids)
    if field_of(content, "note", "true or false", True):
        note(service, served, rows, predicted, ids, perf_counter() - begin, len(body))

    def answered() -> Response:
        items = _items(predicted, ids, found)
        told = {"model": served.name, "version": version, "position": position}
        return answer({**told, "predictions": items})

    return await in_turn(service, len(rows), answered)


async def predicted_rows(service: Service, live: LiveModel, rows: list[Any]) -> Predicted:
    """Predict rows, many of them in a thread."""
    return await in_turn(service, len(rows), lambda: live.predict(rows))


async def in_turn(service: Service, n_rows: int, work: Callable[[], T]) -> T:
    """Do something with rows: at once with few of them, in a thread with many."""
    return work() if n_rows <= FEW_ROWS else await service.heavy(work)


def note(
    service: Service,
    served: Served,
    rows: list[Any],
    predicted: Predicted,
    ids: list[str] | None,
    seconds: float,
    size: int,
) -> None:
    """Count the rows and show the decisions, unless they are too large; `size` is in bytes."""
    served.activity.predicted(len(rows), seconds)
    service.metrics.rows(served.name, "predicted", len(rows))
    if size <= LARGEST_ROW * len(rows):
        for decision in served.decisions.note(rows, predicted, ids):
            served.hub.publish("decision", to_json(decision))


def _ids(content: dict[str, Any], n_rows: int) -> list[str] | None:
    """Return the ids under which the rows are stored; None if they are not to be."""
    given = field_of(content, "ids", "a list")
    if given is None:
        remembered = field_of(content, "remember", "true or false", False)
        return [token_hex(12) for _ in range(n_rows)] if remembered else None
    if len(given) != n_rows:
        raise Problem(422, f"there are {len(given)} ids, but {n_rows} rows; each row needs one")
    ids = [id_of(one, f"id {i}") for i, one in enumerate(given)]
    if len({*ids}) < len(ids):
        twice = next(one for one in ids if ids.count(one) > 1)
        raise Problem(422, f"the id {twice!r} occurs twice; give each row its own")
    return ids


def _items(
    predicted: Predicted, ids: list[str] | None, explained: list[dict[str, Any]] | None
) -> list[dict[str, Any]]:
    supports: list[Any] = predicted.supports or [None] * len(predicted.labels)
    rows = zip(predicted.labels, predicted.probabilities.tolist(), supports, strict=True)
    items: list[dict[str, Any]] = [
        {
            "label": label,
            "probabilities": dict(zip(predicted.classes, chances, strict=False)),
            "support": support,
        }
        for label, chances, support in rows
    ]
    if ids is not None:
        items = [{"id": one, **item} for one, item in zip(ids, items, strict=True)]
    for item, why in zip(items, explained or (), strict=False):
        item["explanation"] = why
    return items


async def _explanations(
    service: Service, live: LiveModel, content: dict[str, Any], rows: list[Any]
) -> list[dict[str, Any]] | None:
    counterfactual = field_of(content, "counterfactual", "true or false", False)
    if not (field_of(content, "explain", "true or false", False) or counterfactual):
        return None
    most = service.settings.max_explained
    if len(rows) > most:
        raise Problem(
            413, f"{len(rows):,} rows are to be explained; send at most {most:,} in a request"
        )
    return await service.heavy(lambda: explanations(live, rows, counterfactual=counterfactual))


async def _remember(
    service: Service, request: Request, rows: list[Any], predicted: Predicted, ids: list[str]
) -> None:
    now = time()
    supports: list[Any] = predicted.supports or [None] * len(rows)

    def made() -> list[Prediction]:
        return [
            Prediction(
                ids[i],
                now,
                to_json(rows[i]),
                to_json(
                    {
                        "label": predicted.labels[i],
                        "probability": predicted.best(i),
                        "support": supports[i],
                    }
                ),
            )
            for i in range(len(rows))
        ]

    predictions = await in_turn(service, len(rows), made)
    waiting = asyncio.get_running_loop().create_future()
    await service.asked(request).submit(Remember(waiting, predictions))


def _flag(description: str) -> dict[str, Any]:
    return or_null({"type": "boolean", "description": description})


_EXAMPLE = {
    "rows": [{"age": 41, "education": "bachelor", "loan": 12000}],
    "remember": True,
}
ENDPOINTS = (
    Endpoint(
        "POST",
        "/v1/predict",
        predict,
        "predict",
        "Predict rows",
        "predict",
        Content(
            ref("Predictions"),
            {
                "model": "loans",
                "version": 1,
                "position": 42,
                "predictions": [
                    {
                        "id": "6f1c2a",
                        "label": "approved",
                        "probabilities": {"approved": 0.91, "declined": 0.09},
                        "support": 118.4,
                    }
                ],
            },
        ),
        bodies=(
            Content(
                {
                    "type": "object",
                    "required": ["rows"],
                    "additionalProperties": False,
                    "properties": {
                        "rows": ROWS,
                        "ids": or_null(
                            {
                                "type": "array",
                                "description": "One a row, under which its label may follow.",
                                "items": ref("Id"),
                            }
                        ),
                        "remember": _flag("Store the rows under new ids."),
                        "explain": _flag("Say why."),
                        "counterfactual": _flag("Say what would change the prediction."),
                        "note": _flag("false: neither show nor count the rows."),
                    },
                },
                _EXAMPLE,
            ),
        ),
        parameters=(MODEL_PARAMETER,),
        description=(
            "With `remember` or `ids` the rows are stored, durably, before the answer: "
            "their labels may be learned later by `/v1/learn` with `labelled`."
        ),
    ),
)
