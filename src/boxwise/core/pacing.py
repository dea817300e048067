"""Chunks of rows sized by time, so that Python handles signals between calls of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

SECONDS_PER_CHUNK = 0.1
FIRST_ROWS = 16  # so few that a call ends soon even if a row takes 10 ms


class Pace:
    """The number of rows that take about `SECONDS_PER_CHUNK`, found out along the way.

    The first chunk is small. A chunk that took too long makes the next one smaller, one that did
    not makes it twice as large.
    """

    def __init__(self) -> None:
        self.rows = FIRST_ROWS

    def chunks(self, n_rows: int, most: int) -> Iterator[slice]:
        """Yield the rows in chunks of at most so many; what is done with each is timed."""
        begin = 0
        while begin < n_rows:
            end = min(n_rows, begin + min(self.rows, most))
            start = perf_counter()
            yield slice(begin, end)
            self._adapt(end - begin, perf_counter() - start, most)
            begin = end

    def _adapt(self, rows: int, seconds: float, most: int) -> None:
        if seconds > SECONDS_PER_CHUNK:
            self.rows = max(1, int(rows * SECONDS_PER_CHUNK / seconds))
        elif rows >= self.rows:
            self.rows = min(2 * self.rows, most)
