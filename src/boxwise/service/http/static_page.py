"""The page of the service: plain files, open to all, that may load nothing from elsewhere."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

START = "index.html"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-cache",  # kept, but asked for again: a new version comes with its scripts
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def routes() -> list[Route]:
    """Return the routes of the page: ``/``, and ``/page/...`` for each of its other files."""
    contents = _contents()
    start = _route("/", START, contents.pop(START))
    return [start, *(_route(f"/page/{name}", name, data) for name, data in contents.items())]


def _contents() -> dict[str, bytes]:
    """Return the files by name; what has another ending is none of the page."""
    folder = files("boxwise.service") / "page"
    found = sorted(folder.iterdir(), key=lambda file: file.name)
    return {file.name: file.read_bytes() for file in found if _ending(file.name) in _TYPES}


def _ending(name: str) -> str:
    return name[name.rfind(".") :]


def _route(path: str, name: str, data: bytes) -> Route:
    tag = f'"{sha256(data).hexdigest()[:32]}"'
    headers = {**_HEADERS, "ETag": tag}

    async def answer(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(data, headers=headers, media_type=_TYPES[_ending(name)])

    return Route(path, answer, methods=["GET"], include_in_schema=False)
