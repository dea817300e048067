"""Errors of streams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boxwise.files import InputError


class StreamError(InputError):
    """A stream that cannot be read or written: a wrong URL, no permission, no server."""


class UnreachableError(StreamError):
    """A server that does not answer now; it may later."""


class StreamStopped(Exception):  # noqa: N818  (no error: somebody asked for it)
    """The end was asked for while a server was away."""


class DataLostError(StreamError):
    """Messages that were removed from a stream, or a stream that was replaced, before the reading.

    Parameters
    ----------
    problem : str
        What is lost.
    resume : mapping
        The state from which what is left can be read.
    """

    def __init__(self, problem: str, resume: Mapping[str, Any]) -> None:
        super().__init__(problem)
        self.resume = dict(resume)


class RefusedRowError(StreamError):
    """A row that cannot be used, where such rows end the learning."""
