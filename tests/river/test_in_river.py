"""River's own checks, and the River face among the other parts of River."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import boxwise
from boxwise.datasets import LoanStream
from boxwise.evaluate import prequential
from boxwise.store.modelfile import pack

pytest.importorskip("river")

from boxwise.river import EIOLGFMM, HyperboxClassifier
from river import checks, compose, drift, evaluate, metrics, preprocessing
from tests.river.streams import everything, learned


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, id=f"{check.__name__}-{i}") for i, check in enumerate(
        checks.yield_checks(HyperboxClassifier())
    )],
)  # fmt: skip
@pytest.mark.parametrize("learner", [HyperboxClassifier, EIOLGFMM])
def test_river_accepts_it(check: Callable[[Any], None], learner: Any) -> None:
    check(learner())


def test_river_accepts_it_as_a_whole() -> None:
    checks.check_estimator(HyperboxClassifier(theta=0.3, delta=1.0))
    checks.check_estimator(EIOLGFMM(theta=0.3, delta=1.0, version=2))


def test_it_works_in_pipelines_with_metrics_and_drift_detectors() -> None:
    stream = LoanStream(3_000, function=7, drift_at=1_500, drift_to=3)
    model = (
        compose.SelectType(str) + (compose.SelectType(int, float) | preprocessing.StandardScaler())
    ) | HyperboxClassifier(theta=0.3, delta=1.0)
    detector, drifts = drift.ADWIN(), []
    accuracy, kappa = metrics.Accuracy(), metrics.CohenKappa()
    for i, (x, y) in enumerate(stream):
        guess = model.predict_one(x)
        if guess is not None:
            accuracy.update(y, guess)
            kappa.update(y, guess)
            detector.update(guess != y)
            if detector.drift_detected:
                drifts.append(i)
                model = model.clone()
        model.learn_one(x, y)
    assert accuracy.get() > 0.75
    assert kappa.get() > 0.4
    assert any(1_500 < i < 2_500 for i in drifts)


def test_both_faces_learn_rows_without_a_label_alike_in_a_prequential_run() -> None:
    pairs = [(x, y if i % 3 else None) for i, (x, y) in enumerate(LoanStream(300, function=3))]
    faces = {"one": HyperboxClassifier(), "other": boxwise.HyperboxClassifier(unlabelled=math.nan)}
    one, other = prequential(faces, pairs).summary()
    assert one["unlabelled"] == 100
    assert [one[key] for key in ("scored", "cba", "boxes")] == [
        other[key] for key in ("scored", "cba", "boxes")
    ]
    assert everything(faces["one"]) == pack(*faces["other"]._model.to_state())


def test_progressive_validation_counts_what_test_then_train_counts() -> None:
    pairs = list(LoanStream(500, function=3))
    metric = evaluate.progressive_val_score(pairs, HyperboxClassifier(), metrics.Accuracy())
    bulk = boxwise.HyperboxClassifier()
    labels = np.array([y for _, y in pairs], dtype=object)
    predicted = bulk.test_then_train([x for x, _ in pairs], labels)
    assert metric.get() == np.mean(predicted[1:] == labels[1:])


def test_the_memory_of_the_boxes_is_counted() -> None:
    pairs = list(LoanStream(300))
    model = learned(pairs, theta=0.05)
    assert model._raw_memory_usage > model.n_bytes_ == model.classifier.n_bytes_ > 10_000
