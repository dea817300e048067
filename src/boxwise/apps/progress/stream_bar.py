"""The progress bar and the alarms of a model that learns from a stream."""

from __future__ import annotations

from math import ceil
from time import monotonic
from typing import Any

from boxwise.apps.change_watch import ChangeWatch, changes_of
from boxwise.apps.progress.reading_bar import ReadingBar
from boxwise.evaluate import Confusion
from boxwise.files import TypedChunk
from boxwise.streams.checkpoints import Progress

SAMPLE = 0.1  # of the rows are predicted before they are learned
WINDOW = 2_000  # predictions over which the score is


class _Endless:
    """A stream, of which no share was read."""

    share = None


class StreamBar(ReadingBar):
    """Rows, rows per second, boxes, how well rows are predicted before they are learned; alarms.

    Parameters
    ----------
    changes : ChangeWatch
        Reports changes of the model.
    quiet : bool
        Whether to show nothing.
    """

    def __init__(self, changes: ChangeWatch, *, quiet: bool = False) -> None:
        super().__init__(_Endless(), quiet=quiet)
        self._changes = changes
        self._begin: tuple[float, int] | None = None  # time, and rows before this run
        self._scores = Confusion(window=WINDOW)

    def before(self, model: Any, rows: TypedChunk) -> None:
        """Predict some of the rows."""
        if self._begin is None:
            self._changes.skip(changes_of(model))
            self._begin = monotonic(), 0
        if self.seen and rows.n_rows and model._fitted().classes:
            sample = rows.part(slice(ceil(SAMPLE * rows.n_rows)))
            self._scores.update(sample.labels, model.predict(sample.columns).tolist())

    def after(self, model: Any, progress: Progress, taken: int) -> None:
        """Report changes, and bring the bar up to date."""
        self._changes.tell(changes_of(model))
        start, rows = self._begin or (monotonic(), 0)
        rows += taken
        self._begin = start, rows
        rate = rows / max(monotonic() - start, 1e-9)
        score = f", CBA {self._scores.cba:.3f}" if len(self._scores) else ""
        self.show(f"{progress.rows:,} rows, {rate:,.0f} rows/s, {model.n_boxes_:,} boxes{score}")
