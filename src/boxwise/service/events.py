"""Server-sent events: one hub a model, which never waits for a reader.

A hub belongs to the event loop: other threads publish through ``loop.call_soon_threadsafe``.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from boxwise.service.problems import Problem

BACKLOG = 500  # events that a reader may fall behind, and that one who comes back gets


class Subscription:
    """The events that one reader has not had yet."""

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque()
        self._wake = asyncio.Event()
        self.closed = False

    def put(self, event: bytes) -> None:
        """Add an event; a reader that is too far behind is dropped."""
        if len(self._waiting) >= BACKLOG:
            self.close()
        else:
            self._waiting.append(event)
            self._wake.set()

    def close(self) -> None:
        """End the stream of this reader."""
        self.closed = True
        self._waiting.clear()
        self._wake.set()

    async def next(self, seconds: float) -> bytes | None:
        """Return the next events, b"" after so long without any, None at the end."""
        if not self._waiting and not self.closed:
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), seconds)
            except TimeoutError:
                return b""
        if self.closed:
            return None
        events = b"".join(self._waiting)
        self._waiting.clear()
        return events


class Hub:
    """Hands every event to all who listen.

    Parameters
    ----------
    max_readers : int
        How many may listen at a time.
    """

    def __init__(self, max_readers: int) -> None:
        self._max_readers = max_readers
        self._readers: set[Subscription] = set()
        self._epoch = secrets.token_hex(4)  # ids of another run of the service mean nothing
        self._number = 0
        self._past: deque[tuple[int, bytes]] = deque(maxlen=BACKLOG)
        self._closed = False

    def __len__(self) -> int:
        return len(self._readers)

    def publish(self, kind: str, data: bytes) -> None:
        """Send an event to all readers; `data` is one line of JSON."""
        self._number += 1
        event = self.format(kind, data)
        self._past.append((self._number, event))
        for reader in [*self._readers]:
            reader.put(event)

    def format(self, kind: str, data: bytes) -> bytes:
        """Return an event as it goes over the wire, with the id of the last one published."""
        name = f"id: {self._epoch}-{self._number}\nevent: {kind}\ndata: ".encode()
        return name + data + b"\n\n"

    @contextmanager
    def subscribed(self, last_id: str | None) -> Iterator[tuple[Subscription, bool]]:
        """Listen; the second value says whether the stream goes on after `last_id`."""
        if self._closed or len(self._readers) >= self._max_readers:
            raise Problem(
                503, f"{len(self._readers)} readers follow the events already", {"Retry-After": "5"}
            )
        subscription = Subscription()
        missed = self._since(last_id)
        for event in missed or ():
            subscription.put(event)
        self._readers.add(subscription)
        try:
            yield subscription, missed is not None
        finally:
            self._readers.discard(subscription)

    def _since(self, last_id: str | None) -> list[bytes] | None:
        """Return the events after an id; None if they are not all there."""
        epoch, _, number = (last_id or "").partition("-")
        if epoch != self._epoch or not number.isdecimal() or len(number) > 15:
            return None
        last = int(number)
        first = self._past[0][0] if self._past else self._number + 1
        if not first - 1 <= last <= self._number:
            return None
        return [event for at, event in self._past if at > last]

    def close(self) -> None:
        """End all streams."""
        self._closed = True
        for reader in [*self._readers]:
            reader.close()
