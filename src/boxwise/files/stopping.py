"""Ending the reading early, so that what was read so far is still handed over."""

from __future__ import annotations

from collections.abc import Callable


class ReadingStopped(BaseException):
    """Nothing more is to be read. Like Ctrl-C, it is no error that code might want to handle."""


class Stop:
    """A wish to read no more, which a signal handler may express at any moment.

    Only a wait for data is broken off. Everything else goes on to its next wait, so no row is ever
    half read.
    """

    def __init__(self) -> None:
        self.asked = False
        self._waiting = False

    def ask(self) -> None:
        """End the reading: now if it waits for data, else before it would wait again."""
        self.asked = True
        if self._waiting:
            self._waiting = False
            raise ReadingStopped

    def wait_for(self, read: Callable[[int], bytes | None], size: int) -> bytes | None:
        """Return ``read(size)``, unless asked to stop before it returns."""
        self._waiting = True
        try:
            if self.asked:
                raise ReadingStopped
            return read(size)
        finally:
            self._waiting = False
