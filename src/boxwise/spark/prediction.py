"""Predicting the rows of a DataFrame, batch by batch, in the tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import types as T

from boxwise.learners import HyperboxClassifier, loads
from boxwise.spark.columns import LABEL_TYPES, Layout
from boxwise.spark.parts import errors_without_rows


def place_names(n: int) -> list[str]:
    """Return the names of columns on their way through a task: their places."""
    return [f"c{place}" for place in range(n)]


@dataclass(frozen=True)
class Answers:
    """The columns to add: their names, None where there is to be none."""

    prediction: str | None
    probability: str | None
    explanation: str | None
    counterfactual: bool

    @property
    def names(self) -> list[str]:
        """The names of the columns to add, in order."""
        every = (self.prediction, self.probability, self.explanation)
        return [name for name in every if name is not None]

    def fields(self, label_type: str, first: int) -> list[T.StructField]:
        """Return the columns to add, from this place on; probabilities are arrays here."""
        types = {
            self.prediction: LABEL_TYPES[label_type][0],
            self.probability: T.ArrayType(T.DoubleType()),
            self.explanation: T.StringType(),
        }
        places = place_names(first + len(self.names))[first:]
        return [
            T.StructField(place, types[name])
            for place, name in zip(places, self.names, strict=True)
        ]


@dataclass(frozen=True)
class Predictor:
    """Adds the answers of a model to batches of rows; called by mapInArrow.

    Attributes
    ----------
    data : bytes
        The model file.
    layout : Layout
        How to read the features.
    places : tuple of int
        The places of the columns with the features.
    n_kept : int
        How many of the columns, from the first on, are returned.
    answers : Answers
        The columns to add.
    label_type : str
        The type of predictions in SQL.
    n_jobs : int or None
        The number of threads.
    """

    data: bytes
    layout: Layout
    places: tuple[int, ...]
    n_kept: int
    answers: Answers
    label_type: str
    n_jobs: int | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield each batch with the columns added."""
        classifier = loads(self.data)
        classifier.n_jobs = self.n_jobs
        for batch in batches:
            if batch.num_rows:
                yield self._answered(classifier, batch)

    def _answered(self, classifier: HyperboxClassifier, batch: pa.RecordBatch) -> pa.RecordBatch:
        columns = [batch.column(place) for place in self.places]
        with errors_without_rows("transform"):
            rows = self.layout.table(columns, classifier.n_features_in_)
            added = self._columns(classifier, rows)
        kept = [batch.column(j) for j in range(self.n_kept)]
        every = [*kept, *added]
        return pa.RecordBatch.from_arrays(every, names=place_names(len(every)))

    def _columns(self, classifier: HyperboxClassifier, rows: Any) -> list[pa.Array]:
        added = []
        if self.answers.prediction is not None:
            labels = classifier.predict(rows).tolist()
            added.append(pa.array(labels, LABEL_TYPES[self.label_type][1]))
        if self.answers.probability is not None:
            added.append(_lists(classifier.predict_proba(rows)))
        if self.answers.explanation is not None:
            found = classifier.explain(rows, counterfactual=self.answers.counterfactual)
            # The number of a row in its batch says nothing.
            texts = [str(why).removeprefix(f"row {why.row}: ") for why in found]
            added.append(pa.array(texts, pa.string()))
        return added


def _lists(matrix: np.ndarray[Any, Any]) -> pa.Array:
    n_rows, width = matrix.shape
    offsets = np.arange(n_rows + 1, dtype=np.int32) * width
    return pa.ListArray.from_arrays(offsets, np.ascontiguousarray(matrix).reshape(-1))
