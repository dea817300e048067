"""Prequential scores over the latest rows, and how much is going on."""

from __future__ import annotations

from collections import Counter, deque
from time import perf_counter
from typing import Any

from boxwise.evaluate import Confusion
from boxwise.service.live import Scored, finite


class RecentScores:
    """Scores of the latest rows, each predicted just before it was learned.

    Parameters
    ----------
    window : int
        How many rows.
    """

    def __init__(self, window: int) -> None:
        self._rows: deque[tuple[Any, Any, float]] = deque(maxlen=window)

    def add(self, scored: Scored) -> None:
        """Count predictions."""
        self._rows.extend(zip(scored.truths, scored.predictions, scored.losses, strict=True))

    def summary(self) -> dict[str, Any]:
        """Return accuracy, CBA and log-loss, None before the first row, and the class counts."""
        rows = [*self._rows]
        confusion = Confusion()
        confusion.update([row[0] for row in rows], [row[1] for row in rows])
        loss = sum(row[2] for row in rows) / len(rows) if rows else None
        return {
            "accuracy": finite(confusion.accuracy),
            "cba": finite(confusion.cba),
            "log_loss": finite(loss),
            "classes": Counter(row[0] for row in rows),
        }


class Activity:
    """Rows and durations since they were last taken."""

    def __init__(self) -> None:
        self._since = perf_counter()
        self._predicted = self._learned = 0
        self._predict_ms: list[float] = []
        self._learn_ms: list[float] = []

    def predicted(self, rows: int, seconds: float) -> None:
        """Count a request to predict."""
        self._predicted += rows
        self._predict_ms.append(1000 * seconds)

    def learned(self, rows: int) -> None:
        """Count rows that were learned."""
        self._learned += rows

    def answered(self, seconds: float) -> None:
        """Count a request to learn, from its arrival to its answer."""
        self._learn_ms.append(1000 * seconds)

    def take(self) -> dict[str, Any]:
        """Return speeds and durations, and begin anew."""
        now = perf_counter()
        seconds, self._since = max(now - self._since, 1e-9), now
        predict, self._predict_ms = self._predict_ms, []
        learn, self._learn_ms = self._learn_ms, []
        predicted, self._predicted = self._predicted, 0
        learned, self._learned = self._learned, 0
        return {
            "learned_per_second": learned / seconds,
            "predicted_per_second": predicted / seconds,
            "predict_ms": _percentiles(predict),
            "learn_ms": _percentiles(learn),
        }


def _percentiles(values: list[float]) -> dict[str, float] | None:
    if not values:
        return None
    ordered = sorted(values)
    return {
        "p50": ordered[len(ordered) // 2],
        "p99": ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))],
    }
