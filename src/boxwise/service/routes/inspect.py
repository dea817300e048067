"""What a model is and how it does: model, rules, curves, changes, history, decisions, events."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from boxwise.service.describing import (
    change_items,
    curve_items,
    explanations,
    model_description,
    rule_items,
)
from boxwise.service.http.endpoints import Content, Endpoint, answer
from boxwise.service.http.protocol import ABORT
from boxwise.service.http.schemas import (
    MODEL_PARAMETER,
    items_of,
    parameter,
    ref,
)
from boxwise.service.http.wire import to_json
from boxwise.service.problems import Problem
from boxwise.service.service import Service, flag, whole
from boxwise.service.writer import Writer


async def list_models(service: Service, request: Request) -> Response:
    """Return the models."""
    served = [writer.served for writer in service.writers.values()]
    return answer(
        {
            "models": [
                {
                    "name": one.name,
                    "version": one.version,
                    "rows": one.live.rows,
                    "position": one.position,
                    "learner": type(one.live.estimator).__name__,
                    "created": one.created,
                    "shadow": one.shadow is not None,
                }
                for one in served
            ]
        }
    )


async def show_model(service: Service, request: Request) -> Response:
    """Return what a model is."""
    served = service.asked(request).served
    return await _described(service, lambda: model_description(served))


async def show_rules(service: Service, request: Request) -> Response:
    """Return the rules of the largest boxes."""
    live = service.asked(request).served.live
    limit = whole(request, "limit", 20, 10_000)
    return await _described(service, lambda: {"rules": rule_items(live, limit)})


async def show_curves(service: Service, request: Request) -> Response:
    """Return the curves."""
    live = service.asked(request).served.live
    return await _described(service, lambda: {"curves": curve_items(live)})


async def show_changes(service: Service, request: Request) -> Response:
    """Return alarms and replacements."""
    served = service.asked(request).served
    return await _described(service, lambda: {"changes": change_items(served)})


async def _described(service: Service, describe: Callable[[], Any]) -> Response:
    body = await service.heavy(lambda: to_json(describe()))
    return Response(body, media_type="application/json")


async def show_history(service: Service, request: Request) -> Response:
    """Return points of the history, evenly thinned out if there are more than asked for."""
    served = service.asked(request).served
    wanted = whole(request, "points", 300, 10_000)
    since = _since(request)
    points = [point for point in served.points.copy() if point["at"] >= since]
    if len(points) > wanted:
        step = len(points) / wanted
        points = [points[len(points) - 1 - int(i * step)] for i in reversed(range(wanted))]
    return answer({"points": points})


def _since(request: Request) -> float:
    text = request.query_params.get("since", "0")
    try:
        since = float(text)
    except ValueError:
        since = math.nan
    if not math.isfinite(since):
        raise Problem(422, f"since must be a number of seconds since 1970, not {text[:80]!r}")
    return since


async def show_decisions(service: Service, request: Request) -> Response:
    """Return the latest decisions."""
    served = service.asked(request).served
    limit = whole(request, "limit", 50, 10_000)
    return answer({"decisions": served.decisions.latest(limit)})


async def explain_decision(service: Service, request: Request) -> Response:
    """Explain a decision by the model of now."""
    served = service.asked(request).served
    one = request.path_params["id"]
    counterfactual = flag(request, "counterfactual")
    decision = await service.heavy(lambda: served.decisions.find(one))
    if decision is None:
        raise Problem(
            404, f"the decision {one[:200]!r} is no longer kept; predict the row with 'explain'"
        )

    def explain() -> dict[str, Any]:
        (why,) = explanations(served.live, [decision["row"]], counterfactual=counterfactual)
        return {**why, "decision": decision, "version": served.version}

    return await _described(service, explain)


async def follow_events(service: Service, request: Request) -> Response:
    """Stream events."""
    writer = service.asked(request)
    model = await service.heavy(lambda: to_json(model_description(writer.served)))
    return EventStream(writer, request.headers.get("last-event-id"), model)


class EventStream(Response):
    """Server-sent events: a reader that does not keep up is dropped."""

    def __init__(self, writer: Writer, last_id: str | None, model: bytes) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no"}, media_type="text/event-stream")
        del self.headers["content-length"]
        self._writer, self._last_id, self._model = writer, last_id, model

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the client goes, falls behind, or the service stops."""
        hub, settings = self._writer.served.hub, self._writer.served.settings
        with hub.subscribed(self._last_id) as (subscription, resumed):
            gone = asyncio.create_task(_until_gone(receive))
            gone.add_done_callback(lambda _: subscription.close())
            try:
                await send(
                    {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
                )
                chunk: bytes | None = b"retry: 1000\n\n"
                if not resumed:
                    chunk = b"retry: 1000\n\n" + hub.format("model", self._model)
                while chunk is not None:
                    await asyncio.wait_for(
                        send(
                            {
                                "type": "http.response.body",
                                "body": chunk or b": alive\n\n",
                                "more_body": True,
                            }
                        ),
                        settings.read_seconds,
                    )
                    chunk = await subscription.next(settings.heartbeat_seconds)
            except TimeoutError:  # its buffers are full: what is in them would never be read
                if ABORT in (extensions := scope.get("extensions", {})):
                    extensions[ABORT]["call"]()
                return
            finally:
                gone.cancel()
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


_TAG = "model"
ENDPOINTS = (
    Endpoint(
        "GET", "/v1/models", list_models, "predict", "List the models", _TAG,
        Content(items_of("models")),
    ),
    Endpoint(
        "GET", "/v1/model", show_model, "predict", "Show a model", _TAG,
        Content(ref("Model")),
        parameters=(MODEL_PARAMETER,),
    ),
    Endpoint(
        "GET", "/v1/rules", show_rules, "predict", "Show a model as if-then rules", _TAG,
        Content(items_of("rules")),
        parameters=(
            MODEL_PARAMETER,
            parameter("limit", "How many: those with the most rows.", 20, most=10_000),
        ),
    ),
    Endpoint(
        "GET", "/v1/curves", show_curves, "predict", "Show the curve of each column", _TAG,
        Content(items_of("curves")),
        parameters=(MODEL_PARAMETER,),
    ),
    Endpoint(
        "GET", "/v1/changes", show_changes, "predict", "Show alarms and replacements", _TAG,
        Content(items_of("changes")),
        parameters=(MODEL_PARAMETER,),
    ),
    Endpoint(
        "GET", "/v1/history", show_history, "predict", "Show scores and speed over time", _TAG,
        Content(items_of("points")),
        parameters=(
            MODEL_PARAMETER,
            parameter("points", "At most so many.", 300, most=10_000),
            {
                "name": "since",
                "in": "query",
                "description": "Seconds since 1970.",
                "schema": {"type": "number"},
                "example": 0,
            },
        ),
    ),
    Endpoint(
        "GET", "/v1/decisions", show_decisions, "predict", "Show the latest decisions", _TAG,
        Content(items_of("decisions")),
        parameters=(MODEL_PARAMETER, parameter("limit", "At most so many.", 50, most=10_000)),
    ),
    Endpoint(
        "GET", "/v1/decisions/{id:path}/explanation", explain_decision, "predict",
        "Explain a decision by the model of now", _TAG,
        Content(ref("Explained")),
        parameters=(
            {
                "name": "id",
                "in": "path",
                "required": True,
                "schema": {"type": "string", "minLength": 1},
                "example": "6f1c2a",
            },
            MODEL_PARAMETER,
            {
                "name": "counterfactual",
                "in": "query",
                "description": "Look for the smallest change that changes the prediction, too.",
                "schema": {"type": "boolean"},
            },
        ),
    ),
    Endpoint(
        "GET", "/v1/events", follow_events, "predict", "Follow what happens", _TAG,
        Content({"type": "string"}, media_type="text/event-stream"),
        parameters=(
            MODEL_PARAMETER,
            {
                "name": "Last-Event-ID",
                "in": "header",
                "description": "The last event that was read; later ones follow.",
                "schema": {"type": "string"},
            },
        ),
        description=(
            "Server-sent events `point`, `change`, `decision` and `model`, each with an id. "
            "A reader that falls behind is dropped."
        ),
    ),
)  # fmt: skip
