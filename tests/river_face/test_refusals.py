"""The River face: what is refused, and that nothing is learned from it."""

from __future__ import annotations

import math
from typing import Any

import pytest

pytest.importorskip("river")

from boxwise.river import EIOLGFMM, HyperboxClassifier
from tests.river_face.streams import everything, learned


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (
            {"a": "high", "new": 1},
            "no",
            r"'a': 'high' is not a number.*categorical_features",
        ),
        ({"a": math.inf}, "no", r"column 'a': inf is not finite"),
        ({"a": 1e200}, "no", r"column 'a': 1e200 is beyond"),
        ({"a": 10**400}, "no", r"column 'a': an integer of about 401 digits"),
        ({"b": ["x"], "new": 1}, "no", r"column 'b': \['x'\] cannot be a category"),
        ({"a": 1, "new": {}}, "no", r"column 'new': \{\} cannot be a category"),
        ({"a": 1, "new": 5}, 0.5, r"the label 0.5"),
        ({"a": 1, "new": 5}, ["no"], r"label"),
    ],
)
def test_a_row_that_is_refused_changes_nothing(x: Any, y: Any, message: str) -> None:
    model = learned([({"a": 1.0, "b": "u"}, "no"), ({"a": 2.0, "b": "v"}, "yes")])
    before = everything(model)
    with pytest.raises((ValueError, TypeError), match=message):
        model.learn_one(x, y)
    assert everything(model) == before
    model.learn_one({"a": 1.5, "b": "u"}, "no")
    assert model.predict_one({"a": 1.5, "b": "u"}) == "no"


def test_the_first_row_may_be_refused_too() -> None:
    model = HyperboxClassifier()
    with pytest.raises(ValueError, match="not finite"):
        model.learn_one({"a": math.inf}, "no")
    model.learn_one({"a": "text after all"}, "no")
    assert model.predict_one({"a": "text after all"}) == "no"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"theta": -1}, r"theta must be"),
        ({"feature_range": (1, 0)}, r"feature_range must have a low end below"),
        ({"scale": "log"}, r"scale must be 'range' or 'quantile'"),
        ({"max_boxes": 0}, r"max_boxes must be None or a whole number"),
        ({"adapt": "no"}, r"adapt must be True or False"),
    ],
)
def test_a_bad_parameter_is_refused_before_there_is_a_row(
    parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        HyperboxClassifier(**parameters)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": "estimate"}, r"alpha='estimate' needs all rows"),
        ({"gamma": None}, r"gamma must be"),
        ({"gamma": [1.0, 0.0]}, r"gamma must be"),
        ({"version": 3}, r"version must be 1 or 2"),
        ({"version": True}, r"version must be 1 or 2"),
        ({"delta": 1.1}, r"delta must be"),
    ],
)
def test_eiol_refuses_a_bad_parameter_before_there_is_a_row(
    parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        EIOLGFMM(**parameters)


def test_what_depends_on_the_columns_is_told_when_they_come() -> None:
    model = EIOLGFMM(gamma=[1.0, 2.0], feature_range={"x0": (0, 1)}, categorical_features=("x1",))
    with pytest.raises(ValueError, match=r"gamma has 2 numbers, but there are 1 numeric"):
        model.learn_one({"x0": 1.0, "x1": 2}, "a")


def test_what_is_no_dict_and_what_is_not_there_is_told() -> None:
    model = HyperboxClassifier()
    with pytest.raises(AttributeError, match="call learn_one"):
        _ = model.boxes
    with pytest.raises(TypeError, match="a row must be a dict from feature to value, not list"):
        model.learn_one([1, 2], "a")
    model.learn_one({"a": 1}, "a")
    with pytest.raises(TypeError, match="a row must be a dict from feature to value, not list"):
        model.predict_one([1, 2])
    for call in (model.predict_one, model.predict_proba_one, lambda x: model.learn_one(x, "a")):
        with pytest.raises(TypeError, match=r"a row must be a dict .*, not NoneType"):
            call(None)


@pytest.mark.parametrize("call", ["predict_one", "predict_proba_one"])
def test_arguments_that_would_be_ignored_are_refused(call: str) -> None:
    model = HyperboxClassifier()
    model.learn_one({"a": 1.0}, "yes")
    with pytest.raises(TypeError, match="unexpected keyword argument 'threshold'"):
        getattr(model, call)({"a": 1.0}, threshold=0.3)


def test_the_name_of_all_other_values_is_refused_as_a_value():
    model = HyperboxClassifier()
    model.learn_one({"c": "a"}, "x")
    with pytest.raises(ValueError, match=r"'\(other values\)' stands for all values"):
        model.learn_one({"c": "(other values)"}, "y")
    for k in range(300):
        model.learn_one({"c": f"v{k}"}, "xy"[k % 2])
    assert model.predict_one({"c": "(other values)"}) == model.predict_one({"c": "never seen"})
