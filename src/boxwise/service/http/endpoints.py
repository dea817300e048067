"""A table of endpoints: how each is reached, who may, and what the OpenAPI says of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from boxwise.service.http.tokens import ANYBODY
from boxwise.service.http.wire import to_json
from boxwise.service.problems import MEDIA_TYPE, Problem
from boxwise.service.service import Service

Handler = Callable[[Service, Request], Awaitable[Response]]
JSON = "application/json"
_PROBLEM = {
    "description": "The request is refused, or failed: problem details of RFC 9457.",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


@dataclass(frozen=True)
class Content:
    """A body by its media type: a schema of the OpenAPI, and an example."""

    schema: dict[str, Any]
    example: Any = None
    media_type: str = JSON

    def described(self) -> dict[str, Any]:
        """Return what the OpenAPI says."""
        example = {} if self.example is None else {"example": self.example}
        return {self.media_type: {"schema": self.schema, **example}}


@dataclass(frozen=True)
class Endpoint:
    """One endpoint.

    Attributes
    ----------
    method, path : str
        How it is reached.
    handler : callable
        Takes the service and the request.
    scope : str or None
        What a token must allow; None: everybody may.
    summary, tag : str
        For the OpenAPI.
    answer : Content
        What it answers.
    status : int
        Of a success.
    bodies : tuple of Content
        The bodies that it takes.
    body_required : bool
        Whether there must be one.
    parameters : tuple of dict
        Of the query, the path and the headers, as the OpenAPI has them.
    description : str
        More about it.
    """

    method: str
    path: str
    handler: Handler
    scope: str | None
    summary: str
    tag: str
    answer: Content
    status: int = 200
    bodies: tuple[Content, ...] = ()
    body_required: bool = True
    parameters: tuple[dict[str, Any], ...] = ()
    description: str = ""

    def add_to(self, app: FastAPI, service: Service) -> None:
        """Make the application answer it."""

        async def answered(request: Request) -> Response:
            if self.scope is not None:
                admit(service, request, self.scope)
            return await self.handler(service, request)

        app.add_api_route(
            self.path,
            answered,
            # Those who only look whether the service lives may ask for the headers alone.
            methods=[self.method, *(["HEAD"] if self.scope is None else [])],
            operation_id=self.handler.__name__,
            response_model=None,
            response_class=Response,
        )

    def operation(self) -> dict[str, Any]:
        """Return what the OpenAPI says."""
        described: dict[str, Any] = {
            "operationId": self.handler.__name__,
            "summary": self.summary,
            "tags": [self.tag],
            "responses": {
                str(self.status): {"description": "Done.", "content": self.answer.described()},
                "4XX": _PROBLEM,
                "5XX": _PROBLEM,
            },
            "security": [] if self.scope is None else [{"token": [self.scope]}],
        }
        if self.description:
            described["description"] = self.description
        if self.scope is not None:
            described["x-scope"] = self.scope
        if self.parameters:
            described["parameters"] = [*self.parameters]
        if self.bodies:
            content: dict[str, Any] = {}
            for body in self.bodies:
                content |= body.described()
            described["requestBody"] = {"required": self.body_required, "content": content}
        return described


def admit(service: Service, request: Request, scope: str) -> None:
    """Check the token and the rate of a request; `Problem` 401, 403 or 429."""
    caller = service.tokens.caller(request.headers.get("authorization"))
    if caller is None:
        service.rates.count(_address(request))
        raise Problem(
            401,
            "a token is needed: send the header Authorization: Bearer <token>",
            {"WWW-Authenticate": 'Bearer realm="boxwise"'},
        )
    request.scope["boxwise.caller"] = caller.name
    service.rates.count(_address(request) if caller is ANYBODY else f"token {caller.name}")
    if not caller.may(scope):
        raise Problem(
            403,
            f"the token {caller.name!r} does not have the scope {scope!r}, which this needs",
            {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'},
        )


def _address(request: Request) -> str:
    return f"address {request.client.host if request.client else ''}"


def answer(content: Any, status: int = 200) -> Response:
    """Return an answer in JSON."""
    return Response(to_json(content), status_code=status, media_type=JSON)
