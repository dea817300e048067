"""Ctrl-C and SIGTERM while a model learns: read no more, but finish and save."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self

from boxwise.files import Stop


class Interruption:
    """While it is entered, a signal asks for an end instead of causing one.

    Attributes
    ----------
    stop : Stop
        For the reader of the files, which ends at the next moment at which nothing gets lost.
    signal : int or None
        The signal that came.
    """

    def __init__(self) -> None:
        self.stop = Stop()
        self.signal: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # others get no signals
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def exit_code(self) -> int:
        """The exit code of a process that such a signal has ended."""
        return 128 + (self.signal or 0)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.signal = number
        self.stop.ask()
