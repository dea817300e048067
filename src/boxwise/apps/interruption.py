"""Ctrl-C and SIGTERM during long work: end it soon, and keep what was done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from time import monotonic, process_time
from types import FrameType
from typing import Any, NoReturn, Self

from boxwise.files import Stop

# After a signal, rows that were read are still learned for so many seconds of computing. On a busy
# machine these take longer, up to so many seconds.
GRACE, LONGEST_GRACE = 0.4, 2.0
LOOK = 0.1  # seconds between two looks at whether work is overdue


class OverdueError(Exception):
    """Work that was still not done when it had to end."""


class Terminated(KeyboardInterrupt):
    """SIGTERM, where it is to do what Ctrl-C does."""


@contextmanager
def termination_as_ctrl_c() -> Iterator[None]:
    """Raise Terminated when SIGTERM comes."""

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise Terminated

    if threading.current_thread() is not threading.main_thread():  # others get no signals
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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
        self._computed, self._began = 0.0, 0.0
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
    def overdue(self) -> bool:
        """Whether a signal came, and the time for what had been read by then is over."""
        return self.signal is not None and (
            process_time() - self._computed > GRACE or monotonic() - self._began > LONGEST_GRACE
        )

    def start_grace(self) -> None:
        """Count the time for what has been read from now on, if a signal came before."""
        self._computed, self._began = process_time(), monotonic()

    def wait_for(self, work: Callable[[], object]) -> None:
        """Do work that cannot be broken off; raise OverdueError if it is overdue before its end.

        It is done in another thread, because Python handles signals in the main one, and only
        between calls of the engine. The thread ends with the process.
        """
        done: Future[object] = Future()

        def run() -> None:
            try:
                done.set_result(work())
            except BaseException as error:  # whatever it is, the main thread raises it
                done.set_exception(error)

        self.start_grace()
        threading.Thread(target=run, daemon=True).start()
        while not wait([done], timeout=LOOK).done:
            if self.overdue:
                raise OverdueError
        done.result()

    @property
    def exit_code(self) -> int:
        """The exit code of a process that such a signal has ended."""
        return 128 + (self.signal or 0)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.signal is None:
            self.start_grace()
        self.signal = number
        self.stop.request()
