"""The engine of HyperboxClassifier beside the specification, and rows for both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from boxwise import HyperboxClassifier
from boxwise.learners.base.settings import PRIORS
from boxwise.learners.changes import EVENTS
from boxwise.reference.evidence import Evidence
from boxwise.reference.expert import DECAY, TEMPERATURE, RangeScale
from boxwise.reference.quantiles import QuantileScale
from boxwise.store.modelfile import pack

from .agreement import assert_same_boxes
from .streams import UNLABELLED, Stream

ROLES = ("current", "challenger", "retired")


@dataclass
class Rows:
    """Numbers (NaN where missing), categories, labels and weights."""

    lower: np.ndarray
    upper: np.ndarray
    values: np.ndarray
    labels: np.ndarray
    weights: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: Any) -> Rows:
        weights = None if self.weights is None else self.weights[rows]
        return Rows(
            self.lower[rows], self.upper[rows], self.values[rows], self.labels[rows], weights
        )

    @classmethod
    def of(cls, stream: Stream) -> Rows:
        count, n = len(stream.labels), stream.n
        values = np.empty((count, len(stream.values[0])), dtype=object)
        for i, row in enumerate(stream.values):
            values[i] = row
        lower = np.array(stream.lower, float).reshape(count, n)
        upper = np.array(stream.upper, float).reshape(count, n)
        return cls(lower, upper, values, np.array(stream.labels))

    @property
    def table(self) -> dict[str, Any]:
        """What every method of the classifier takes."""
        X = np.empty((len(self), self.lower.shape[1] + self.values.shape[1]), dtype=object)
        X[:, : self.lower.shape[1]] = self.lower
        X[:, self.lower.shape[1] :] = self.values
        return {"X": X, "upper": self.upper if self.upper.size else None}

    def samples(self) -> list[tuple[list[float], list[float], list[Any]]]:
        """The rows as the specification takes them."""
        low = np.where(np.isnan(self.lower), math.inf, self.lower).tolist()
        high = np.where(np.isnan(self.upper), -math.inf, self.upper).tolist()
        return [*zip(low, high, self.values.tolist(), strict=True)]


class Pair:
    """The engine and the specification with the same settings."""

    def __init__(self, n: int, r: int, **parameters: Any) -> None:
        chosen = {"scale": "quantile", "class_prior": "data", "max_boxes": 30} | parameters
        self.clf = HyperboxClassifier(
            categorical_features=[*range(n, n + r)], unlabelled=UNLABELLED, **chosen
        )
        scale: Any = QuantileScale
        if chosen["scale"] == "range":
            fixed = "feature_range" in chosen and chosen["feature_range"] != "data"
            scale = (lambda: RangeScale(0, 1, growing=False)) if fixed else RangeScale
        self.reference = Evidence(
            self.clf.theta, self.clf.delta, self.clf.max_boxes, self.clf.adapt,
            PRIORS[self.clf.class_prior], scale, self.clf.additive,
        )  # fmt: skip

    def learn(self, rows: Rows) -> None:
        learn(self.clf, rows)
        weights = np.ones(len(rows)) if rows.weights is None else rows.weights
        told = zip(rows.samples(), rows.labels.tolist(), weights.tolist(), strict=True)
        for sample, label, weight in told:
            self.reference.learn(*sample, None if label == UNLABELLED else label, weight)

    def check(self, rows: Rows) -> None:
        assert_same_boxes(self.clf, self.reference)
        assert_same_experts(self.clf, self.reference)
        assert_same_changes(self.clf, self.reference)
        if any(box.label is not None for box in self.reference.boxes):
            assert_same_answers(self.clf, self.reference, rows)
        else:
            with pytest.raises(ValueError, match="no row with a label"):
                self.clf.predict(**rows.table)


def learn(clf: HyperboxClassifier, rows: Rows) -> HyperboxClassifier:
    return clf.partial_fit(y=rows.labels, sample_weight=rows.weights, **rows.table)


def state(clf: HyperboxClassifier) -> bytes:
    return pack(*clf._model.to_state())


def columns_of(clf: HyperboxClassifier) -> list[tuple[str, int]]:
    schema = clf._model.schema
    numeric = [("numeric", j) for j in range(len(schema.numeric))]
    return [*numeric, *(("categorical", j) for j in range(len(schema.categorical)))]


def assert_same_experts(clf: HyperboxClassifier, reference: Evidence) -> None:
    snapshot = clf._model.engine.snapshot()
    assert snapshot["id"].tolist() == [box.id for box in reference.boxes]
    assert snapshot["last"].tolist() == [box.last for box in reference.boxes]
    members = {box.id: m for m, e in enumerate(reference.experts) for box in e.boxes}
    assert snapshot["place"][:, 0].tolist() == [members[box.id] for box in reference.boxes]
    parameters = [*columns_of(clf), DECAY, TEMPERATURE]
    fields = zip(reference.experts, snapshot["members"], snapshot["relevance"], strict=True)
    for expert, (role, loss, *counts), relevance in fields:
        assert ROLES[int(role)] == expert.role
        assert counts == [expert.since, expert.clock, expert.rows, expert.steps]
        assert loss == pytest.approx(expert.loss, rel=0, abs=1e-11)
        logs, squares = np.split(relevance, 2)
        theirs = [expert.logs.get(p, 0.0) for p in parameters]
        # A gradient that cancels out to rounding errors is divided by 0.17 at the first steps.
        np.testing.assert_allclose(logs, theirs, rtol=0, atol=1e-10)
        theirs = [expert.squares.get(p, 0.0) for p in parameters]
        np.testing.assert_allclose(squares, theirs, rtol=1e-9, atol=1e-12)
    assert clf._model.engine.prior == reference.prior


def assert_same_changes(clf: HyperboxClassifier, reference: Evidence) -> None:
    found = clf._model.engine.snapshot()["changes"]
    assert len(found) == len(reference.changes)
    for (row, event, *numbers), change in zip(found.tolist(), reference.changes, strict=True):
        assert (row, EVENTS[int(event)]) == (change.row, change.event)
        moved = [change.moved.get(p, 0.0) for p in columns_of(clf)]
        expected = [change.before, change.after, change.boxes, *moved]
        np.testing.assert_allclose(numbers, expected, rtol=0, atol=1e-10)


def assert_same_answers(clf: HyperboxClassifier, reference: Evidence, rows: Rows) -> None:
    samples = rows.samples()
    predicted = clf.predict(**rows.table)
    assert predicted.tolist() == [reference.predict(*sample) for sample in samples]
    order = [reference.classes.index(label) for label in clf.classes_.tolist()]
    p = clf.predict_proba(**rows.table)
    expected = np.array([reference.probabilities(*sample) for sample in samples])[:, order]
    np.testing.assert_allclose(p, expected, rtol=0, atol=1e-9 if clf.additive else 1e-12)
    assert (clf.classes_[p.argmax(axis=1)] == predicted).all()
    carried = [reference.responsibilities(*sample) for sample in samples]
    np.testing.assert_allclose(clf.responsibilities(**rows.table), carried, rtol=0, atol=1e-9)
    support = [reference.support(*sample) for sample in samples]
    np.testing.assert_allclose(clf.support(**rows.table), support, rtol=1e-10, atol=1e-12)


def rule(lower: np.ndarray, values: np.ndarray, classes: int) -> np.ndarray:
    places = np.searchsorted([-0.5, 0.3, 0.8], lower[:, :1]).sum(axis=1)
    return (places + (values[:, :1] % 2).sum(axis=1)) % classes


def random_rows(
    seed: int,
    rows: int,
    n: int = 2,
    r: int = 2,
    *,
    vocabulary: int = 4,
    grid: int | None = None,
    missing: float = 0.0,
    intervals: float = 0.0,
    unlabelled: float = 0.0,
    late: bool = False,
    weights: tuple[float, ...] = (),
    classes: int = 3,
    noise: float = 0.1,
    shifts: tuple[int, ...] = (),
) -> Rows:
    """Return rows with a rule that changes at every shift."""
    rng = np.random.default_rng(seed)
    lower = rng.normal(size=(rows, n))
    if grid:
        lower = rng.integers(0, grid + 1, (rows, n)) / grid
    values = rng.integers(0, vocabulary, (rows, r))
    if vocabulary < 50:  # some values are frequent
        values = np.minimum(values, rng.integers(0, vocabulary, (rows, r)))
    labels = rule(lower, values, classes)
    for shift in shifts:
        labels[shift:] = (labels[shift:] + 1) % classes
    random = rng.random(rows) < noise
    labels[random] = rng.integers(0, classes, random.sum())
    upper = lower + (rng.random((rows, n)) < intervals) * rng.random((rows, n))
    gaps = rng.random((rows, n)) < missing
    lower[gaps] = upper[gaps] = np.nan
    text = np.array([f"v{v}" for v in values.ravel()], object).reshape(rows, r)
    text[rng.random((rows, r)) < missing / 2] = None
    if late:
        labels[2 * rows // 3 :: 5] = classes
        text[2 * rows // 3 :: 4] = "late"
    labels[rng.random(rows) < unlabelled] = UNLABELLED
    chosen = rng.choice(weights, rows) if weights else None
    return Rows(lower, upper, text, labels, chosen)


KINDS: dict[str, dict[str, Any]] = {
    "numbers": {"n": 3, "r": 0},
    "one number": {"n": 1, "r": 0},
    "many columns": {"n": 7, "r": 7},
    "mixed": {},
    "categories": {"n": 0, "r": 3},
    "ties": {"grid": 4, "vocabulary": 2, "noise": 0.0},
    "missing": {"missing": 0.3},
    "intervals": {"intervals": 0.4},
    "unlabelled": {"unlabelled": 0.4},
    "late": {"late": True},
    "many values": {"vocabulary": 500, "missing": 0.1},
    "weights": {"weights": (0.0, 0.3, 1.0, 2.7), "unlabelled": 0.1},
    "all": {"missing": 0.2, "intervals": 0.2, "unlabelled": 0.2, "late": True, "weights": (0.5, 1)},
}
