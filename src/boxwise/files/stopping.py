"""Ending the reading early, so that what was read so far is still handed over."""

from __future__ import annotations

import select
from typing import IO


class ReadingStopped(BaseException):
    """Nothing more is to be read. Like Ctrl-C, it is no error that code might want to handle."""


class Stop:
    """A wish to read no more, which a signal handler may express at any moment.

    Only a wait for data is broken off. Everything else goes on to its next wait, so no row is ever
    half read.
    """

    def __init__(self) -> None:
        self.requested = False
        self._waiting = False

    def request(self) -> None:
        """End the reading: now if it waits for data, else before it would wait again."""
        self.requested = True
        if self._waiting:
            self._waiting = False
            raise ReadingStopped

    def read(self, file: IO[bytes], size: int) -> bytes | None:
        """Return what the unbuffered file gives next, unless asked to stop before that is there."""
        self._waiting = True
        try:
            if self.requested:
                raise ReadingStopped
            if not _wait_for_data(file):
                return file.read(size)
        finally:
            self._waiting = False
        # Not a wait: if a signal came just after the data were taken, they would be lost.
        return file.read(size)


def _wait_for_data(file: IO[bytes]) -> bool:
    """Wait until a read would not; False if the system cannot wait for such a file."""
    if not hasattr(select, "poll"):
        return False
    try:
        poll = select.poll()
        poll.register(file.fileno(), select.POLLIN)
    except (OSError, AttributeError):  # not a file of the system, as in tests
        return False
    poll.poll()
    return True
