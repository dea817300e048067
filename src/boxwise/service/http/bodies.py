"""The bodies of requests: read within limits, and taken apart."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from starlette.requests import ClientDisconnect, Request

from boxwise.service.http.wire import from_json
from boxwise.service.problems import Problem
from boxwise.service.service import Service

LARGE = 256 * 1024  # bytes, from which JSON is read in a thread
LONGEST_ID = 200  # characters
DRAINED = 8  # times the largest body: what is announced as larger is not even received
_KINDS: dict[str, tuple[type, ...]] = {
    "a list": (list,),
    "an object": (dict,),
    "text": (str,),
    "true or false": (bool,),
    "a number": (int, float),
}


async def read_body(request: Request, service: Service) -> bytes:
    """Return the body; `Problem` if it is too large or takes too long."""
    most, seconds = service.settings.max_body, service.settings.body_seconds
    check_length(request.headers.get("content-length"), most)
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Problem(415, "compressed bodies are not read; send it as it is")
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise too_large(most)
                parts.append(part)
    except TimeoutError:
        raise Problem(
            408, f"the body did not arrive within {seconds:g} seconds", {"Connection": "close"}
        ) from None
    except ClientDisconnect:
        raise Problem(400, "the client has gone") from None
    return b"".join(parts)


def check_length(header: str | None, most: int) -> None:
    """Refuse a body before it is read, by its announced length."""
    if header is None:
        return
    if len(header) > 18 or not header.isdecimal():
        raise too_large(most)
    if int(header) > most:
        raise too_large(most, close=int(header) > DRAINED * most)


def too_large(most: int, *, close: bool = True) -> Problem:
    """Return the problem of a body that is too large.

    Unless the connection is closed, the server throws away what still comes: clients and proxies
    that are cut off while they send often do not read the answer.
    """
    return Problem(
        413,
        f"the body is larger than {most:,} bytes; send fewer rows in a request",
        {"Connection": "close"} if close else None,
    )


def media_type(request: Request) -> str:
    """Return the media type of the body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_object(
    request: Request, service: Service, allowed: Iterable[str], *, optional: bool = False
) -> tuple[dict[str, Any], bytes]:
    """Return the JSON object that a body holds, and the body itself.

    Parameters
    ----------
    request, service
        The request.
    allowed : iterable of str
        The fields that it may have.
    optional : bool
        Whether an empty body stands for an empty object.
    """
    body = await read_body(request, service)
    if optional and not body:
        return {}, b"{}"
    kind = media_type(request)
    if kind != "application/json" and not kind.endswith("+json"):
        raise Problem(415, "send JSON, with the header Content-Type: application/json")
    content = await parsed(body, service)
    if not isinstance(content, dict):
        raise Problem(422, "the body must be a JSON object")
    names = [*allowed]
    for field in content:
        if field not in names:
            raise Problem(
                422, f"there is no field {field[:80]!r}; there are {', '.join(map(repr, names))}"
            )
    return content, body


async def parsed(body: bytes, service: Service) -> Any:
    """Return the JSON value of a body."""
    try:
        if len(body) > LARGE:
            return await service.heavy(lambda: from_json(body))
        return from_json(body)
    except (ValueError, RecursionError) as error:
        raise Problem(
            400, f"the body is not JSON: {error}; a missing value is written as null"
        ) from None


def field_of(content: dict[str, Any], name: str, kind: str, default: Any = None) -> Any:
    """Return a field of a body, `default` if it is not there; `Problem` if it is not of a kind."""
    value = content.get(name)
    if value is None:
        return default
    if not isinstance(value, _KINDS[kind]) or (kind == "a number" and isinstance(value, bool)):
        raise Problem(422, f"{name!r} must be {kind}")
    return value


def id_of(value: Any, where: str) -> str:
    """Return the id of a prediction: text, or a whole number, which is the same as its digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST_ID:
        raise Problem(
            422,
            f"{where}: an id must be text of 1 to {LONGEST_ID} characters or a whole number",
        )
    return value
