"""Predicting rows and learning them, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from boxwise.core.pacing import Pace
from boxwise.files import TypedChunk
from boxwise.inputs import columns_by_position
from boxwise.learners.late_columns import assign_kinds, cut_at_first_values
from boxwise.streams.rows import Rows

PIECE = 1_000  # rows learned at a time
MOST_NUMBERS = 1_000  # different numbers that are accepted as classes without being told to

Prediction = dict[str, Any]


class Decider:
    """Predicts and learns the rows of messages.

    A row is predicted by the model that has learned all rows before it, so that the prediction
    does not depend on how messages come together.

    Parameters
    ----------
    model : estimator
        It has its columns.
    predicts : bool
        Whether predictions are wanted.
    proba : bool
        Whether they have probabilities.
    """

    def __init__(self, model: Any, *, predicts: bool, proba: bool) -> None:
        self.model = model
        self._predicts, self._proba = predicts, proba
        self._pace = Pace()
        self._classes: list[str] = []

    def take(self, rows: Rows) -> list[Prediction]:
        """Predict, if wanted, and learn; rows that the model refuses are added to `refused`."""
        with columns_by_position():
            if self._predicts:
                return self._predict_and_learn(rows)
            chosen = [i for i, wanted in enumerate(rows.learned) if wanted]
            if chosen:
                self._learn(rows, chosen)
        return []

    def _learn(self, rows: Rows, chosen: Sequence[int]) -> None:
        whole = len(chosen) == rows.typed.n_rows
        typed = rows.typed if whole else rows.typed.take(chosen)
        weights = None if rows.weights is None else [rows.weights[i] for i in chosen]
        for part in cut_at_first_values(self.model, rows.typing, typed):
            for cut in self._pace.chunks(part.stop - part.start, PIECE):
                piece = slice(part.start + cut.start, part.start + cut.stop)
                self._learn_piece(
                    rows, typed.part(piece), None if weights is None else weights[piece]
                )

    def _learn_piece(self, rows: Rows, piece: TypedChunk, weights: list[float] | None) -> None:
        try:
            assign_kinds(self.model, rows.typing, piece)
            _partial_fit(self.model, piece.columns, piece.labels, weights)
        except (TypeError, ValueError) as error:
            if piece.n_rows == 1:
                rows.refused[piece.rows[0]] = str(error)
                return
            for i in range(piece.n_rows):
                one = slice(i, i + 1)
                self._learn_piece(rows, piece.part(one), weights and weights[one])

    def _predict_and_learn(self, rows: Rows) -> list[Prediction]:
        predictions: list[Prediction] = []
        places = range(rows.typed.n_rows)
        for learned, run in groupby(places, key=rows.learned.__getitem__):
            chosen = [*run]
            begin, end = chosen[0], chosen[-1] + 1
            part = rows.typed.part(slice(begin, end))
            if not learned:
                predictions += self._predict(_as_rows(self.model, part))
                continue
            weights = None if rows.weights is None else rows.weights[begin:end]
            for cut in cut_at_first_values(self.model, rows.typing, part):
                of_cut = None if weights is None else weights[cut]
                predictions += self._test_then_train(rows, part.part(cut), of_cut)
        kept = zip(predictions, rows.typed.rows, strict=True)
        return [prediction for prediction, place in kept if place not in rows.refused]

    def _test_then_train(
        self, rows: Rows, piece: TypedChunk, weights: list[float] | None
    ) -> list[Prediction]:
        """Predict each row, then learn it."""
        try:
            assign_kinds(self.model, rows.typing, piece)
            if weights is None and not self._proba:
                labels = self.model.test_then_train(piece.columns, piece.labels).tolist()
                return [{"prediction": label} for label in labels]
        except (TypeError, ValueError):
            pass  # row by row, to find out which
        predictions: list[Prediction] = []
        for i, row in enumerate(_as_rows(self.model, piece)):
            predictions += self._predict([row])
            try:
                _partial_fit(self.model, [row], [piece.labels[i]], weights and weights[i : i + 1])
            except (TypeError, ValueError) as error:
                rows.refused[piece.rows[i]] = str(error)
        return predictions

    def _predict(self, table: list[Any]) -> Iterator[Prediction]:
        n_classes = len(self.model._fitted().classes)
        if not n_classes:
            yield from ({"prediction": None} for _ in table)
            return
        labels = self.model.predict(table).tolist()
        if not self._proba:
            yield from ({"prediction": label} for label in labels)
            return
        if len(self._classes) != n_classes:
            self._classes = [str(label) for label in self.model.classes_.tolist()]
        shares = self.model.predict_proba(table).tolist()
        for label, share in zip(labels, shares, strict=True):
            yield {
                "prediction": label,
                "probabilities": dict(zip(self._classes, share, strict=True)),
            }


def too_many_numbers(model: Any) -> bool:
    """Say whether the classes are so many numbers that they are hardly classes."""
    labels = model._fitted().labels.values
    return len(labels) > MOST_NUMBERS and all(
        isinstance(label, int | float) or label.lstrip("+-").replace(".", "", 1).isdigit()
        for label in labels
    )


def _partial_fit(
    model: Any, table: Any, labels: Sequence[object], weights: list[float] | None
) -> None:
    if weights is None:
        model.partial_fit(table, labels)
    else:
        model.partial_fit(table, labels, sample_weight=weights)


def _as_rows(model: Any, part: TypedChunk) -> list[Any]:
    """Return rows as dicts, or lists if the columns have no names: the quick path for one row."""
    columns = [c.tolist() if isinstance(c, np.ndarray) else c for c in part.columns.values()]
    rows = zip(*columns, strict=True)
    if not model._fitted().schema.named:
        return [[*row] for row in rows]
    return [dict(zip(part.columns, row, strict=True)) for row in rows]
