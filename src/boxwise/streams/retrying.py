"""Work with a server that may be away for a while: try again, with longer and longer pauses."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep
from typing import TypeVar

from boxwise.streams.errors import StreamError, StreamStopped, UnreachableError

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0  # seconds
LOOK = 0.1  # seconds between two looks at whether to stop

T = TypeVar("T")


class Patience:
    """Repeats work until the server answers, for a limited time.

    Parameters
    ----------
    seconds : float
        How long a server may be away.
    stopped : callable
        Whether to give up because the end was asked for.
    tell : callable
        Takes a line of text when a server goes away and when it is back.
    """

    def __init__(
        self, seconds: float, stopped: Callable[[], bool], tell: Callable[[str], object]
    ) -> None:
        self._seconds, self._stopped, self._tell = seconds, stopped, tell

    def until_done(
        self, work: Callable[[], T], what: str, failed: UnreachableError | None = None
    ) -> T:
        """Return what the work returns.

        Parameters
        ----------
        work : callable
            Raises `UnreachableError` if it must be tried again.
        what : str
            How messages call the server.
        failed : UnreachableError, optional
            Why work before this one has failed.

        Raises
        ------
        StreamError
            If the server stayed away too long.
        StreamStopped
            If the end was asked for meanwhile.
        """
        began: float | None = None
        pause = FIRST_PAUSE
        while True:
            try:
                if failed is not None:
                    error, failed = failed, None
                    raise error
                result = work()
            except UnreachableError as error:
                if began is None:
                    began = monotonic()
                    self._tell(f"{error}; trying again for up to {self._seconds:g} seconds")
                if monotonic() - began >= self._seconds:
                    raise StreamError(
                        f"{error}; gave up after {self._seconds:g} seconds: check the address and "
                        "the server, or wait longer with --retry-for"
                    ) from None
                self._wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                if began is not None:
                    self._tell(f"{what} answers again after {monotonic() - began:.1f} seconds")
                return result

    def _wait(self, seconds: float) -> None:
        until = monotonic() + seconds
        while True:
            if self._stopped():
                raise StreamStopped
            left = until - monotonic()
            if left <= 0:
                return
            sleep(min(left, LOOK))
