"""Constraints on features, which appear while a model learns."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from boxwise import HyperboxClassifier as Local
from boxwise import dumps
from boxwise.datasets import loans
from boxwise.river import HyperboxClassifier

ROWS, LABELS = loans(600, function=7, noise=0.05, seed=1)
CST = {"salary": {"approved": 1}, "loan": {"approved": -1}}


def learned(rows: list[dict[str, object]]) -> HyperboxClassifier:
    model = HyperboxClassifier(monotonic_cst=CST)
    for x, y in zip(rows, LABELS, strict=True):
        model.learn_one(x, y)
    return model


def chances(model: HyperboxClassifier, column: str) -> np.ndarray:
    values = np.linspace(-1e5, 7e5, 60).tolist()
    return np.array([model.predict_proba_one({**ROWS[0], column: x})["approved"] for x in values])


def test_learn_one_is_partial_fit() -> None:
    model = learned(ROWS)
    local = Local(monotonic_cst=CST).partial_fit(ROWS, LABELS)
    for name, array in local._model.to_state()[1].items():
        np.testing.assert_array_equal(array, model.classifier._model.to_state()[1][name])


def test_a_feature_that_comes_late_is_constrained_too() -> None:
    late = [{k: v for k, v in row.items() if i > 300 or k != "loan"} for i, row in enumerate(ROWS)]
    model = learned(late)
    twins = [model, pickle.loads(pickle.dumps(model))]
    twins.append(HyperboxClassifier.from_classifier(model.classifier))
    for twin in twins:
        assert np.diff(chances(twin, "salary")).min() >= -1e-12
        assert np.diff(chances(twin, "loan")).max() <= 1e-12
        twin.learn_one(ROWS[0], "approved")
        assert dumps(twin.classifier) == dumps(model.classifier)


def test_a_constrained_feature_is_a_number() -> None:
    model = HyperboxClassifier(monotonic_cst={"a": {"yes": 1}})
    model.learn_one({"b": 1.0}, "yes")
    with pytest.raises(ValueError, match="column 'a' is categorical"):
        model.learn_one({"a": "text", "b": 1.0}, "no")
    model.learn_one({"a": 2.0, "b": 1.0}, "no")
    assert model.classifier.monotonic_cst == {"a": {"yes": 1}}


def test_a_stream_names_the_class() -> None:
    with pytest.raises(ValueError, match="'a' has 1 without a class; name the class"):
        HyperboxClassifier(monotonic_cst={"a": 1})
    with pytest.raises(TypeError, match="give a mapping"):
        HyperboxClassifier(monotonic_cst=[1])
