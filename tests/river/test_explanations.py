"""The River face: why one row is predicted as it is."""

from __future__ import annotations

import pytest

pytest.importorskip("river")

from boxwise.river import HyperboxClassifier
from tests.river.streams import learned, patchy


def test_explanations_are_those_of_the_other_face_and_features_may_come_and_go() -> None:
    pairs = patchy(120)
    model = learned(pairs)
    x, _ = pairs[-1]
    why = model.explain_one(x)
    assert why is not None
    assert why.prediction == model.predict_one(x)
    (other,) = model.classifier.explain([{name: x.get(name) for name in model._names}])
    assert why.to_dict() == other.to_dict()
    fewer = model.explain_one({"age": 40, "never seen": 1}, counterfactual=False)
    assert fewer is not None
    assert {f.column for f in fewer.winner.features if f.value is not None} == {"age"}


def test_features_that_are_fixed_stay_and_unknown_ones_are_refused() -> None:
    model = learned([({1: 20.0, "b": 1.0}, "no"), ({1: 60.0, "b": 9.0}, "yes")] * 5)
    why = model.explain_one({1: 25.0, "b": 2.0}, fixed=[1])
    assert why is not None
    assert why.counterfactual is not None
    assert [change.column for change in why.counterfactual.changes] == ["b"]
    with pytest.raises(ValueError, match="the model knows no feature 'c'"):
        model.explain_one({1: 25.0}, fixed=["c"])


def test_immutable_features_stay_whenever_they_appear() -> None:
    model = HyperboxClassifier(immutable=[1, "later"])
    for x, y in [({1: 20.0, "b": 1.0}, "no"), ({1: 60.0, "b": 9.0}, "yes")] * 5:
        model.learn_one(x, y)
    assert model.classifier.immutable == ["1"]
    twin = HyperboxClassifier.from_classifier(model.classifier)
    assert twin.immutable == ("1",)
    for face, x in ((model, {1: 25.0, "b": 2.0}), (twin, {"1": 25.0, "b": 2.0})):
        why = face.explain_one(x, counterfactuals=3)
        assert why is not None
        assert [[c.column for c in one.changes] for one in why.counterfactuals] == [["b"]]
    model.learn_one({1: 30.0, "later": 5}, "no")
    assert model.classifier.immutable == ["1", "later"]
    with pytest.raises(ValueError, match="immutable is one text, 'age'"):
        HyperboxClassifier(immutable="age")


def test_nothing_is_explained_before_the_first_label() -> None:
    assert HyperboxClassifier().explain_one({"age": 3}) is None
