"""What waits for the writer of a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from boxwise.database import Prediction

if TYPE_CHECKING:
    from boxwise.service.writer import Writer


@dataclass(eq=False)
class Request:
    """A request that waits; `answer` belongs to the event loop of whoever waits for it."""

    answer: asyncio.Future[Any]
    arrived: float = field(default_factory=perf_counter, init=False)

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return 0


@dataclass(eq=False)
class Key:
    """An Idempotency-Key and the SHA-256 of the request that came with it."""

    text: str
    digest: bytes


@dataclass(eq=False)
class LearnRows(Request):
    """Rows with labels; `payload` is what goes into the journal."""

    rows: list[Any]
    labels: list[Any]
    weights: list[Any] | None
    payload: bytes
    key: Key | None = None

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return len(self.rows)


@dataclass(eq=False)
class LearnLabels(Request):
    """Labels of rows that were predicted before: id, label, weight."""

    labelled: list[tuple[str, Any, Any]]
    key: Key | None = None

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return len(self.labelled)


@dataclass(eq=False)
class Remember(Request):
    """Predictions that may get their labels later."""

    predictions: list[Prediction]

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return len(self.predictions)


@dataclass(eq=False)
class Command(Request):
    """Anything else that the writer does, between two groups."""

    run: Callable[[Writer], Any]
