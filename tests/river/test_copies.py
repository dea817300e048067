"""The River face: copies, and models that are saved and loaded, go on alike."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import boxwise
from boxwise.datasets import loans

pytest.importorskip("river")

from boxwise.river import EIOLGFMM, HyperboxClassifier
from tests.river.streams import everything, everything_of, learned, patchy


@pytest.mark.parametrize("again", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy])
def test_a_copy_made_in_the_middle_of_the_stream_goes_on_alike(again: Callable[..., Any]) -> None:
    pairs = patchy(100)
    model = learned(pairs[:50])
    other = again(model)
    for x, y in pairs[50:]:
        model.learn_one(x, y)
        other.learn_one(x, y)
    assert everything(model) == everything(other)
    assert again(HyperboxClassifier()).predict_one({"a": 1}) is None


def test_the_classifier_within_can_be_saved_and_loaded(tmp_path: Any) -> None:
    model = learned(patchy(60))
    model.classifier.save(tmp_path / "model.box")
    again = boxwise.load(tmp_path / "model.box")
    rows = [{name: x.get(name) for name in again.schema_.names} for x, _ in patchy(30, 5)]
    assert [model.predict_one(row) for row in rows] == again.predict(rows).tolist()


def test_a_loaded_classifier_goes_on_as_a_river_model(tmp_path: Any) -> None:
    pairs = patchy(100)
    model = learned(pairs[:60])
    model.classifier.save(tmp_path / "model.box")
    loaded = boxwise.load(tmp_path / "model.box")
    again = HyperboxClassifier.from_classifier(loaded)
    for x, y in pairs[60:]:
        model.learn_one(x, y)
        again.learn_one(x, y)
    assert everything(again) == everything(model)
    assert loaded.boxes_.n_samples.sum() == 60
    with pytest.raises(TypeError, match="a OnlineGFMM cannot become a"):
        HyperboxClassifier.from_classifier(boxwise.OnlineGFMM().fit([[1.0]], ["a"]))
    table, labels = loans(60, function=3)
    estimated = boxwise.EIOLGFMM(alpha="estimate").fit(table, labels)
    again = EIOLGFMM.from_classifier(estimated)
    assert again.alpha == estimated.alpha_
    again.clone().learn_one(table[0], labels[0])
    with pytest.raises(TypeError, match=r"only a boxwise\.HyperboxClassifier can"):
        HyperboxClassifier.from_classifier(estimated)
    with pytest.raises(ValueError, match="have no names"):
        HyperboxClassifier.from_classifier(boxwise.HyperboxClassifier().fit([[1.0]], ["a"]))


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize(
    ("face", "changed"),
    [
        (HyperboxClassifier, {"max_boxes": 5}),
        (HyperboxClassifier, {"theta": 0.0}),
        (HyperboxClassifier, {"adapt": False}),
        (HyperboxClassifier, {"additive": False}),
        (EIOLGFMM, {"max_boxes": 5}),
        (EIOLGFMM, {"theta": 0.01}),
    ],
)
def test_a_river_model_goes_on_with_parameters_set_after_learning(
    face: Any, changed: dict[str, Any], saved: bool
) -> None:
    table, labels = loans(300, function=7, noise=0.1)
    clf = face._estimator(max_boxes=50).fit(table[:200], labels[:200]).set_params(**changed)
    if saved:
        clf = boxwise.loads(boxwise.dumps(clf))
    model = face.from_classifier(clf)
    for x, y in zip(table[200:], labels[200:], strict=True):
        model.learn_one(x, y)
    assert everything(model) == everything_of(clf.partial_fit(table[200:], labels[200:]))


def test_a_scale_set_after_learning_is_refused() -> None:
    clf = boxwise.HyperboxClassifier().fit([{"a": 1.0}], ["x"]).set_params(scale="range")
    with pytest.raises(ValueError, match="scale is 'range' now, but the model has learned with"):
        HyperboxClassifier.from_classifier(clf)
