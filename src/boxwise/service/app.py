"""The application: all endpoints on one store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from boxwise.database import Store, StoreError
from boxwise.service.http.endpoints import JSON, Endpoint
from boxwise.service.http.guard import Guard
from boxwise.service.http.openapi import POLICY, docs_page, document
from boxwise.service.http.static_page import routes as page_routes
from boxwise.service.http.tokens import Tokens
from boxwise.service.http.wire import to_json
from boxwise.service.problems import Problem
from boxwise.service.routes import admin, health, inspect, learn, mlflow, open_inference, predict
from boxwise.service.service import Service
from boxwise.service.settings import Settings

ENDPOINTS: tuple[Endpoint, ...] = (
    *predict.ENDPOINTS,
    *learn.ENDPOINTS,
    *inspect.ENDPOINTS,
    *admin.ENDPOINTS,
    *open_inference.ENDPOINTS,
    *mlflow.ENDPOINTS,
    *health.ENDPOINTS,
)


def create_app(
    store: Store, *, settings: Settings | None = None, tokens: Tokens | None = None
) -> FastAPI:
    """Return the service as an ASGI application.

    Its models are loaded when it starts (the lifespan of ASGI), and written when it stops. The
    store stays open.

    Parameters
    ----------
    store : Store
        The models.
    settings : Settings, optional
        Limits and intervals.
    tokens : Tokens, optional
        Who may do what; without, everybody may do everything.

    Returns
    -------
    FastAPI
        ``app.state.service`` has the models and their writers.
    """
    service = Service(store, settings or Settings(), tokens or Tokens())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await service.start()
        try:
            yield
        finally:
            await service.stop()

    app = FastAPI(
        openapi_url=None, docs_url=None, redoc_url=None, lifespan=lifespan, redirect_slashes=False
    )
    app.state.service = service
    for endpoint in ENDPOINTS:
        endpoint.add_to(app, service)
    app.router.routes.extend(page_routes())
    described = document(ENDPOINTS)
    app.openapi = lambda: described  # type: ignore[method-assign]
    app.router.routes.append(_constant("/openapi.json", to_json(described), JSON))
    app.router.routes.append(_constant("/docs", docs_page(described), "text/html", POLICY))
    app.add_exception_handler(Problem, _on_problem)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(StoreError, _on_error)
    app.add_exception_handler(Exception, _on_error)
    app.add_middleware(Guard, service=service)
    if service.settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=[*service.settings.cors_origins],
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"],
        )
    return app


def _constant(path: str, content: bytes, media_type: str, policy: str | None = None) -> Route:
    """Return a route that everybody may read, and that tells nothing of the models."""
    headers = {} if policy is None else {"Content-Security-Policy": policy}

    async def constant(request: Request) -> Response:
        return Response(content, media_type=media_type, headers=headers)

    return Route(path, constant, methods=["GET"])


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return error.response()


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = error.detail
    if error.status_code == 404:
        detail = "there is nothing at this address; /docs lists what there is"
    return Problem(error.status_code, detail, error.headers).response()


async def _on_error(request: Request, error: Exception) -> Response:
    if isinstance(error, StoreError):
        return Problem(503, str(error), {"Retry-After": "5"}).response()
    return Problem(500, "the service failed; its log has the reason").response()
