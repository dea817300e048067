"""Errors as clients get them: problem details of RFC 9457."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

from boxwise.service.http.wire import to_json

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):  # noqa: N818  (the word of RFC 9457)
    """A request that is refused, or that failed.

    Parameters
    ----------
    status : int
        Of HTTP.
    detail : str
        What is wrong, where, and what to do.
    headers : mapping, optional
        More headers of the answer.
    """

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, dict(headers or {})

    def body(self) -> bytes:
        """Return the document."""
        title = HTTPStatus(self.status).phrase
        return to_json(
            {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail}
        )

    def response(self) -> Response:
        """Return the answer."""
        return Response(
            self.body(), status_code=self.status, media_type=MEDIA_TYPE, headers=self.headers
        )


def refused(error: Exception) -> Problem:
    """Return the problem for rows or parameters that the library refuses, in its words."""
    return Problem(422, str(error) or type(error).__name__)
