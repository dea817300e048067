"""What every request passes: who may ask from where, limits, headers, the log and the metrics."""

from __future__ import annotations

import logging
from time import perf_counter
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boxwise.service.problems import Problem
from boxwise.service.service import Service

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
NO_ROUTE = "(none)"
_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")

log = logging.getLogger("boxwise.access")


class Guard:
    """Wraps the application.

    Parameters
    ----------
    app : ASGI application
        What answers.
    service : Service
        Its settings and metrics.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin = perf_counter()
        status = 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            try:
                self._check(scope)
            except Problem as problem:
                await problem.response()(scope, receive, send_with_headers)
            else:
                await self._app(scope, receive, send_with_headers)
        finally:
            self._note(scope, status, perf_counter() - begin)

    def _check(self, scope: Scope) -> None:
        """Refuse what a page of another site may have a browser send."""
        settings = self._service.settings
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if settings.allowed_hosts and _hostname(host) not in settings.allowed_hosts:
            raise Problem(
                421,
                f"the service does not answer as {host[:80]!r}, only as "
                f"{', '.join(settings.allowed_hosts)}; see --allowed-host",
            )
        origin = headers.get("origin")
        if (
            origin is not None
            and scope["method"] not in SAFE_METHODS
            and origin not in settings.cors_origins
            and urlsplit_netloc(origin) != host.lower()
        ):
            raise Problem(403, "pages of other origins may not use the service; see --cors-origin")

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", NO_ROUTE)
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self._service.metrics.answered(method, route, status, seconds)
        # The route, not the path: ids are data. Neither the query nor a header is logged.
        caller = scope.get("boxwise.caller", "-")
        client = scope["client"][0] if scope.get("client") else "-"
        log.info("%s %s %s %s %d %.1f ms", client, caller, method, route, status, 1000 * seconds)


def _hostname(host: str) -> str:
    """Return a Host header without its port."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


def urlsplit_netloc(origin: str) -> str:
    """Return host and port of an origin, "" for what is none, as "null"."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
