"""Whether the service lives, and its metrics."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from boxwise import __version__
from boxwise.service.http.endpoints import Content, Endpoint, answer
from boxwise.service.metrics import MEDIA_TYPE
from boxwise.service.problems import Problem
from boxwise.service.service import Service

_STATUS = Content(
    {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}},
    {"status": "ok"},
)


async def live(service: Service, request: Request) -> Response:
    """Say that the process answers."""
    return answer({"status": "ok"})


async def ready(service: Service, request: Request) -> Response:
    """Say whether the models are loaded and the service is not about to stop."""
    if not service.ready:
        raise Problem(503, "the models are not loaded, or the service is stopping")
    blocked = [w.served.name for w in service.writers.values() if w.served.trouble is not None]
    return answer({"status": "ok", "models": len(service.writers), "learning_blocked": blocked})


async def ping(service: Service, request: Request) -> Response:
    """Do what ``/readyz`` does, as MLflow's server does it."""
    return await ready(service, request)


async def version(service: Service, request: Request) -> Response:
    """Return the version of boxwise, as text."""
    return Response(__version__, media_type="text/plain")


async def metrics(service: Service, request: Request) -> Response:
    """Return the metrics in the format of Prometheus."""
    text = await service.heavy(service.metrics.text)
    return Response(text, headers={"Content-Type": MEDIA_TYPE})


_TEXT = Content({"type": "string"}, media_type="text/plain")
ENDPOINTS = (
    Endpoint("GET", "/healthz", live, None, "Whether the process answers", "health", _STATUS),
    Endpoint("GET", "/readyz", ready, None, "Whether the models are loaded", "health", _STATUS),
    Endpoint("GET", "/ping", ping, None, "As /readyz (MLflow)", "health", _STATUS),
    Endpoint("GET", "/version", version, "predict", "Version of boxwise (MLflow)", "health", _TEXT),
    Endpoint("GET", "/metrics", metrics, "predict", "Metrics for Prometheus", "health", _TEXT),
)
