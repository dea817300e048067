"""``POST /v1/predict``."""

from __future__ import annotations

import asyncio
from secrets import token_hex
from time import perf_counter, time
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from boxwise.database import Prediction
from boxwise.service.bodies import field_of, id_of, read_object
from boxwise.service.describing import explanations
from boxwise.service.endpoints import Content, Endpoint, answer
from boxwise.service.live import LiveModel, Predicted, check_rows
from boxwise.service.problems import Problem
from boxwise.service.requests import Remember
from boxwise.service.schemas import MODEL_PARAMETER, ROWS, ref
from boxwise.service.service import Service
from boxwise.service.wire import to_json
from boxwise.service.writer import Writer

FEW_ROWS = 32  # predicted without a thread of their own: it would take longer to start it
FIELDS = ("rows", "ids", "remember", "explain", "counterfactual", "note")


async def predict(service: Service, request: Request) -> Response:
    """Predict rows; note the decisions, and store them if their labels are to follow."""
    begin = perf_counter()
    content, _ = await read_object(request, service, FIELDS)
    writer = service.asked(request)
    rows = check_rows(content.get("rows"), service.settings.max_rows)
    ids = _ids(content, len(rows))
    live, version, position = writer.served.live, writer.served.version, writer.served.position
    predicted = await predicted_rows(service, live, rows)
    items = _items(predicted, ids)
    await _explain(service, live, content, rows, items)
    if ids is not None:
        await _remember(writer, rows, predicted, ids)
    if field_of(content, "note", "true or false", True):
        note(service, writer, rows, predicted, ids, perf_counter() - begin)
    return answer(
        {
            "model": writer.served.name,
            "version": version,
            "position": position,
            "predictions": items,
        }
    )


async def predicted_rows(service: Service, live: LiveModel, rows: list[Any]) -> Predicted:
    """Predict rows, many of them in a thread."""
    if len(rows) <= FEW_ROWS:
        return live.predict(rows)
    return await service.heavy(lambda: live.predict(rows))


def note(
    service: Service,
    writer: Writer,
    rows: list[Any],
    predicted: Predicted,
    ids: list[str] | None,
    seconds: float,
) -> None:
    """Count the rows and show the decisions."""
    served = writer.served
    served.activity.predicted(len(rows), seconds)
    service.metrics.rows(served.name, "predicted", len(rows))
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


def _items(predicted: Predicted, ids: list[str] | None) -> list[dict[str, Any]]:
    supports: list[Any] = predicted.supports or [None] * len(predicted.labels)
    rows = zip(predicted.labels, predicted.probabilities.tolist(), supports, strict=True)
    items = [
        {
            "label": label,
            "probabilities": dict(zip(predicted.classes, chances, strict=False)),
            "support": support,
        }
        for label, chances, support in rows
    ]
    if ids is not None:
        items = [{"id": one, **item} for one, item in zip(ids, items, strict=True)]
    return items


async def _explain(
    service: Service,
    live: LiveModel,
    content: dict[str, Any],
    rows: list[Any],
    items: list[dict[str, Any]],
) -> None:
    counterfactual = field_of(content, "counterfactual", "true or false", False)
    if not (field_of(content, "explain", "true or false", False) or counterfactual):
        return
    most = service.settings.max_explained
    if len(rows) > most:
        raise Problem(
            413, f"{len(rows):,} rows are to be explained; send at most {most:,} in a request"
        )
    found = await service.heavy(lambda: explanations(live, rows, counterfactual=counterfactual))
    for item, why in zip(items, found, strict=True):
        item["explanation"] = why


async def _remember(writer: Writer, rows: list[Any], predicted: Predicted, ids: list[str]) -> None:
    now = time()
    supports: list[Any] = predicted.supports or [None] * len(rows)
    made = [
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
    await writer.submit(Remember(asyncio.get_running_loop().create_future(), made))


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
                        "ids": {
                            "type": "array",
                            "description": "One a row, under which its label may follow.",
                            "items": ref("Id"),
                        },
                        "remember": {
                            "type": "boolean",
                            "description": "Store the rows under new ids.",
                        },
                        "explain": {"type": "boolean", "description": "Say why."},
                        "counterfactual": {
                            "type": "boolean",
                            "description": "Say what would change the prediction.",
                        },
                        "note": {
                            "type": "boolean",
                            "description": "false: neither show nor count the rows.",
                        },
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
