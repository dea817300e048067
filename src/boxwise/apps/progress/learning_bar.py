"""The progress bar of a model that learns from files."""

from __future__ import annotations

from math import ceil
from time import monotonic
from typing import Any

from boxwise.apps.progress.reading_bar import ReadingBar
from boxwise.evaluate import Confusion
from boxwise.files import FileSet, TypedChunk

SAMPLE = 0.1  # of the rows are predicted before they are learned
WINDOW = 2_000  # predictions over which the score is


class LearningBar(ReadingBar):
    """Rows, rows per second, boxes, and how well rows are predicted just before they are learned.

    Some rows of each piece are predicted, which costs little and does not change the model.
    """

    def __init__(self, files: FileSet, *, quiet: bool = False) -> None:
        super().__init__(files, quiet=quiet)
        self._rows = 0
        self._start = monotonic()
        self._scores = Confusion(window=WINDOW)

    def before(self, model: Any, piece: TypedChunk) -> None:
        """Predict some of the rows."""
        if self.seen and model.__sklearn_is_fitted__():
            sample = piece.part(slice(ceil(SAMPLE * piece.n_rows)))
            self._scores.update(sample.labels, model.predict(sample.columns).tolist())

    def after(self, model: Any, piece: TypedChunk) -> None:
        """Bring the bar up to date."""
        self._rows += piece.n_rows
        rate = self._rows / max(monotonic() - self._start, 1e-9)
        score = f", CBA {self._scores.cba:.3f}" if len(self._scores) else ""
        self.show(f"{self._rows:,} rows, {rate:,.0f} rows/s, {model.n_boxes_:,} boxes{score}")
