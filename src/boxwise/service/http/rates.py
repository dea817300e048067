"""Limits on the requests a second: a token bucket for each caller."""

from __future__ import annotations

from collections import OrderedDict
from math import ceil
from time import monotonic

from boxwise.service.problems import Problem

MOST_CALLERS = 10_000  # whose buckets are held


class Rates:
    """Refuses requests that come too fast.

    Parameters
    ----------
    rate : float or None
        Requests a second of each caller; so many may also come at once. None is no limit.
    """

    def __init__(self, rate: float | None) -> None:
        self._rate = rate
        self._most = max(1.0, rate or 0.0)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count(self, caller: str) -> None:
        """Count a request; `Problem` 429 if there were too many."""
        if self._rate is None:
            return
        now = monotonic()
        left, then = self._buckets.pop(caller, (self._most, now))
        left = min(self._most, left + (now - then) * self._rate)
        allowed = left >= 1
        self._buckets[caller] = (left - 1 if allowed else left, now)
        while len(self._buckets) > MOST_CALLERS:
            self._buckets.popitem(last=False)
        if not allowed:
            seconds = ceil((1 - left) / self._rate)
            raise Problem(
                429,
                f"more than {self._rate:g} requests a second; wait {seconds} s, or send more rows "
                "in a request",
                {"Retry-After": str(seconds)},
            )
