"""What is seen of a model that learns from files: a bar, on a terminal only."""

from __future__ import annotations

from time import monotonic
from typing import Any, Protocol

import rich.progress as bars
from rich.console import Console

from boxwise.evaluate import Confusion
from boxwise.files import Files, TypedChunk

SAMPLE = 100  # rows of each piece that are predicted before they are learned
WINDOW = 2_000  # predictions over which the score is


class Watcher(Protocol):
    """Sees each piece before and after it is learned."""

    def __enter__(self) -> Watcher:
        """Begin."""

    def __exit__(self, *error: object) -> None:
        """End."""

    def before(self, model: Any, piece: TypedChunk) -> None:
        """See rows that the model has not learned yet."""

    def after(self, model: Any, piece: TypedChunk) -> None:
        """See the model that has learned them."""


class NoBar:
    """Sees nothing."""

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def before(self, model: Any, piece: TypedChunk) -> None:
        """Do nothing."""

    def after(self, model: Any, piece: TypedChunk) -> None:
        """Do nothing."""


class LearningBar:
    """Rows, rows per second, boxes, and how well rows are predicted just before they are learned.

    Some rows of each piece are predicted, which costs little and does not change the model.
    """

    def __init__(self, files: Files, console: Console) -> None:
        self._files = files
        self._rows = 0
        self._start = monotonic()
        self._scores = Confusion(window=WINDOW)
        self._bar = bars.Progress(
            bars.BarColumn(bar_width=20),
            bars.TextColumn("{task.description}", markup=False),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("reading", total=None)

    def __enter__(self) -> Watcher:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def before(self, model: Any, piece: TypedChunk) -> None:
        """Predict some of the rows."""
        if model.__sklearn_is_fitted__():
            sample = piece.part(slice(SAMPLE))
            self._scores.update(sample.labels, model.predict(sample.columns).tolist())

    def after(self, model: Any, piece: TypedChunk) -> None:
        """Bring the bar up to date."""
        self._rows += piece.n_rows
        share = self._files.share
        rate = self._rows / max(monotonic() - self._start, 1e-9)
        score = f", CBA {self._scores.cba:.3f}" if len(self._scores) else ""
        self._bar.update(
            self._task,
            total=None if share is None else 1.0,
            completed=share or 0.0,
            description=f"{self._rows:,} rows, {rate:,.0f} rows/s, {model.n_boxes_:,} boxes{score}",
        )


def watcher(files: Files, quiet: bool) -> Watcher:
    """Return a bar if there is a terminal to show it on."""
    console = Console(stderr=True)
    return LearningBar(files, console) if console.is_terminal and not quiet else NoBar()
