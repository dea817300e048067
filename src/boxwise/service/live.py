"""A model that learns and predicts at once: one thread learns while others predict.

A row is encoded once: what `prepare` returns can be learned as it is, as long as nothing learned
meanwhile has brought a new category, class or kind of column.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise import dumps, loads
from boxwise.core import Model
from boxwise.explain import rows_learned
from boxwise.inputs import Batch
from boxwise.learners.base.online_learner import OnlineLearner
from boxwise.learners.weights import LearnedRows
from boxwise.service.http.wire import label_keys
from boxwise.service.problems import Problem, refused
from boxwise.service.spelling import as_known, labels_as_known

# Rows learned between two moments at which predictions may go ahead: a few milliseconds.
ROWS_AT_A_TIME = 128
LEAST_PROBABILITY = 1e-15  # in the log-loss
_REFUSALS = (ValueError, TypeError, OverflowError)


@dataclass(frozen=True)
class Prepared:
    """Rows, checked and encoded; `generation` is that of the names they were encoded with."""

    model: Model
    rows: LearnedRows
    generation: int

    @property
    def brings_names(self) -> bool:
        """Whether learning the rows adds a category, a class or the kind of a column."""
        batch = self.rows.batch
        return bool(self.rows.names or any(batch.additions) or batch.kinds)


@dataclass(frozen=True)
class Scored:
    """Predictions of rows with labels, made before they were learned."""

    truths: list[Any]
    predictions: list[Any]
    losses: list[float]


@dataclass(frozen=True)
class Predicted:
    """Predictions of some rows.

    Attributes
    ----------
    labels : list
        One a row; None before the first class was learned.
    classes : list of str
        The classes as keys of JSON objects.
    probabilities : array of shape (rows, classes)
        In the order of `classes`.
    supports : list of float or None
        One a row, if the model decides by evidence.
    """

    labels: list[Any]
    classes: list[str]
    probabilities: NDArray[np.float64]
    supports: list[float] | None

    def best(self, i: int) -> float | None:
        """Return the probability of the class predicted for a row."""
        return float(self.probabilities[i].max()) if self.classes else None


class LiveModel:
    """An estimator behind a service.

    Parameters
    ----------
    estimator : estimator
        One of boxwise; it learns if it learns row by row.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.learns = isinstance(estimator, OnlineLearner)
        self.weighs = self.learns and "sample_weight" in signature(estimator.partial_fit).parameters
        self.explains = hasattr(estimator, "explain")
        self.decides_by_evidence = hasattr(estimator, "support")
        self.rows = rows_learned(self.model)
        self._generation = 0
        self._keys: tuple[int, list[str]] = (0, [])

    @classmethod
    def from_bytes(cls, data: bytes) -> LiveModel:
        """Return the model that `to_bytes` wrote."""
        return cls(loads(data))

    def to_bytes(self) -> bytes:
        """Return the model as the bytes of its file."""
        return dumps(self.estimator)

    @property
    def model(self) -> Model:
        """The model of now."""
        model: Model = self.estimator._fitted()
        return model

    @property
    def has_unknown_columns(self) -> bool:
        """Whether a column has no kind yet, so that the next rows may change the columns."""
        return bool(self.model.schema.unknown)

    def prepare(self, rows: list[Any], labels: list[Any], weights: list[Any] | None) -> Prepared:
        """Check and encode rows; `Problem` if they cannot be learned."""
        if not self.learns:
            raise Problem(
                409,
                f"a {type(self.estimator).__name__} learns all rows at once and cannot go on "
                "learning; serve a model of another algorithm",
            )
        if weights is not None and not self.weighs:
            raise Problem(
                422, f"a {type(self.estimator).__name__} takes no weights; leave out 'weights'"
            )
        rows = as_known(rows, self.model.schema)
        labels = labels_as_known(labels, self.model.labels.values)
        try:
            model, found = self.estimator._read_to_learn(rows, labels, None, weights)
        except _REFUSALS as error:
            raise refused(error) from None
        return Prepared(model, found, self._generation)

    def is_current(self, prepared: Prepared) -> bool:
        """Say whether rows can be learned as they were encoded."""
        return prepared.generation == self._generation

    def learn(self, prepared: Prepared) -> None:
        """Learn rows, as ``partial_fit`` does."""
        for part in _parts(prepared):
            prepared.model.learn(part.batch, part.labels, part.names, weights=part.weights)
        self._learned(prepared)

    def score_and_learn(self, prepared: Prepared) -> Scored:
        """Predict each row just before it is learned; the model is that of `learn`."""
        model = prepared.model
        scored = Scored([], [], [])
        for part in _parts(prepared):
            predicted, shares = model.test_then_train_proba(
                part.batch, part.labels, part.names, part.weights
            )
            known = np.flatnonzero((part.labels >= 0) & (predicted >= 0))
            names, truths = model.labels.values, part.labels[known]
            chances = np.maximum(shares[known, truths], LEAST_PROBABILITY)
            scored.truths.extend(names[code] for code in truths.tolist())
            scored.predictions.extend(names[code] for code in predicted[known].tolist())
            scored.losses.extend((-np.log(chances)).tolist())
        self._learned(prepared)
        return scored

    def _learned(self, prepared: Prepared) -> None:
        times = prepared.rows.times_learned
        if times:
            self.estimator._model = prepared.model
        self.rows += times
        if prepared.brings_names:
            self._generation += 1

    def encode(self, rows: list[Any]) -> tuple[Model, Batch]:
        """Encode rows to be predicted; `Problem` if they are not rows of the model."""
        try:
            model, batch = self.estimator._read(as_known(rows, self.model.schema), None)
        except _REFUSALS as error:
            raise refused(error) from None
        return model, batch

    def predict(self, rows: list[Any]) -> Predicted:
        """Predict rows."""
        model, batch = self.encode(rows)
        if not model.classes:
            return Predicted([None] * len(rows), [], np.empty((len(rows), 0)), None)
        probabilities = model.probabilities(batch)
        codes = probabilities.argmax(axis=1)
        # Only where two classes tie does the first largest need not be the one that is predicted.
        largest = probabilities[np.arange(len(codes)), codes]
        tied = np.flatnonzero((probabilities == largest[:, None]).sum(axis=1) > 1)
        if len(tied):
            codes[tied] = model.predict(batch.part(tied))
        labels = model.labels.values
        supports = model.supports(batch).tolist() if self.decides_by_evidence else None
        keys = self._class_keys(model, max(probabilities.shape[1], int(codes.max()) + 1))
        return Predicted([labels[code] for code in codes.tolist()], keys, probabilities, supports)

    def _class_keys(self, model: Model, n_classes: int) -> list[str]:
        known, keys = self._keys
        if known != n_classes:
            keys = label_keys(model.labels.values[:n_classes])
            self._keys = (n_classes, keys)
        return keys


def _parts(prepared: Prepared) -> Iterator[LearnedRows]:
    """Yield some rows at a time; new names come with the first of them."""
    model = prepared.model
    rows = prepared.rows.without_absent(model.schema, len(model.labels))
    for begin in range(0, rows.batch.n_rows, ROWS_AT_A_TIME):
        part = slice(begin, begin + ROWS_AT_A_TIME)
        batch = rows.batch.part(part)
        if begin:
            batch = replace(batch, additions=[[] for _ in batch.additions], kinds={})
        weights = None if rows.weights is None else rows.weights[part]
        yield LearnedRows(batch, rows.labels[part], rows.names if begin == 0 else [], weights)


def finite(number: float | None) -> float | None:
    """Return a number that JSON can hold, or None."""
    return None if number is None or not math.isfinite(number) else float(number)


def check_rows(rows: Any, most: int) -> list[Any]:
    """Return the rows of a request: objects, or lists of values; `Problem` if they are not."""
    if not isinstance(rows, list) or not rows:
        raise Problem(422, "'rows' must be a list of at least one row")
    if len(rows) > most:
        raise Problem(413, f"there are {len(rows):,} rows; send at most {most:,} in a request")
    kinds: Sequence[type] = (dict, list)
    kind = next((k for k in kinds if isinstance(rows[0], k)), dict)
    for i, row in enumerate(rows):
        if not isinstance(row, kind):
            raise Problem(
                422,
                f"row {i} is {_named(row)}; every row must be an object from column to value, or "
                "every row a list of values",
            )
    return rows


def _named(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "a truth value"}
    return "null" if value is None else names.get(type(value), "a number")
