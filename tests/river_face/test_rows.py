"""The River face: rows of mixed data, in which features come and go."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import boxwise
from boxwise.datasets import LoanStream
from boxwise.store.modelfile import pack

pytest.importorskip("river")

from boxwise.river import EIOLGFMM, HyperboxClassifier
from tests.river_face.streams import Pairs, everything, learned


@pytest.mark.parametrize("learner", ["EIOLGFMM", "HyperboxClassifier"])
@pytest.mark.parametrize("scale", ["range", "quantile"])
def test_rows_with_all_columns_make_the_boxes_of_the_other_face(learner: str, scale: str) -> None:
    pairs = list(LoanStream(400, function=3, noise=0.1))
    settings = {"theta": 0.3, "delta": 0.8, "scale": scale}
    model = getattr(boxwise.river, learner)(**settings)
    for x, y in pairs:
        model.learn_one(x, y)
    other = getattr(boxwise, learner)(**settings, unlabelled=math.nan)
    other.partial_fit([x for x, _ in pairs], [y for _, y in pairs])
    assert everything(model) == pack(*other._model.to_state())
    unseen = [x for x, _ in LoanStream(200, seed=9)]
    assert [model.predict_one(x) for x in unseen] == other.predict(unseen).tolist()
    shares = [model.predict_proba_one(x) for x in unseen]
    for share, row in zip(shares, other.predict_proba(unseen).tolist(), strict=True):
        assert [share[label] for label in other.classes_] == row


def test_before_the_first_row_there_is_no_answer() -> None:
    model = HyperboxClassifier()
    assert model.predict_one({"a": 1}) is None
    assert model.predict_proba_one({"a": "x"}) == {}
    assert model.predict_many(pd.DataFrame({"a": [1, 2]})).tolist() == [None, None]
    assert model.predict_proba_many(pd.DataFrame({"a": [1, 2]})).shape == (2, 0)
    assert (model.n_boxes_, model.n_bytes_) == (0, 0)
    model.learn_one({}, "yes")
    model.learn_one({"a": None, "b": math.nan}, "yes")
    assert model.predict_one({"a": 1}) is None
    model.learn_one({"a": 1}, None)
    assert model.predict_one({"a": 1}) is None
    assert model.n_boxes_ == 1
    model.learn_one({"a": 1}, "yes")
    assert model.predict_one({"a": 1}) == "yes"


def test_the_first_value_that_is_not_missing_decides_the_kind_of_a_feature() -> None:
    model = learned(
        [({"a": 1, "b": None}, "x"), ({"a": 2, "b": math.nan}, "y"), ({"a": 3, "b": "red"}, "y")]
    )
    assert model.classifier.schema_.categorical_names == ("b",)
    assert model.boxes.counts[0] == [{None: 1}]
    model = learned([({"a": "u", "b": None}, "x"), ({"a": "v", "b": 2.5}, "y")])
    assert model.classifier.schema_.continuous_names == ("b",)


@pytest.mark.parametrize("scale", ["range", "quantile"])
def test_a_new_feature_counts_as_missing_in_the_rows_before(scale: str) -> None:
    """The boxes are those of someone who knew all columns and was told that two were missing."""
    ages, jobs = (20, 30, 60, 25), ("cook", "cook", "smith", "nurse")
    early = [
        ({"age": age, "job": job}, "yes" if age > 50 else "no")
        for age, job in zip(ages, jobs, strict=True)
    ]
    late = ({"age": 61, "job": "smith", "city": "Ulm", "height": 170.0}, "yes")
    settings = {"alpha": 0.5, "delta": 1.0, "theta": 0.3, "scale": scale}
    model = EIOLGFMM(**settings, version=2)
    for x, y in [*early, late]:
        model.learn_one(x, y)
    knowing = boxwise.EIOLGFMM(
        **settings, version=2, categorical_features=["job", "city"], unlabelled=math.nan
    )
    rows = [{"city": None, "height": None} | x for x, _ in [*early, late]]
    columns = ["age", "job", "city", "height"]
    rows = [{c: row[c] for c in columns} for row in rows]
    knowing.partial_fit(rows, [y for _, y in [*early, late]])
    boxes, others = model.boxes, knowing.boxes_
    one, old = {None: 1}, {None: 1, "Ulm": 1}
    cities = {"range": [{None: 2}, one, old], "quantile": [one, one, old, one]}
    assert [counts[1] for counts in boxes.counts] == cities[scale]
    assert np.isnan(boxes.lower[0, 1])
    assert [boxes.describe(i) for i in range(len(boxes))] == [
        others.describe(i) for i in range(len(others))
    ]
    for x in ({"city": "Ulm"}, {"height": 171.0}, {"age": 22, "city": "Bath"}):
        row = {c: x.get(c) for c in columns}
        assert model.predict_one(x) == knowing.predict([row])[0]


@pytest.mark.parametrize("labels", [("a", "b"), (0, 1), (False, True), (np.int64(3), np.int64(4))])
def test_labels_keep_their_type(labels: tuple[Any, Any]) -> None:
    model = learned([({"a": 0.0}, labels[0]), ({"a": 1.0}, labels[1])])
    answers = [model.predict_one({"a": 0.0}), model.predict_one({"a": 1.0})]
    assert answers == list(labels)
    plain = labels[0].item() if isinstance(labels[0], np.generic) else labels[0]
    assert type(answers[0]) is type(plain)
    assert set(model.predict_proba_one({"a": 0.2})) == set(labels)


def test_categories_are_text_numbers_or_truth_values() -> None:
    pairs: Pairs = [({"zip": 101, "vip": True}, "a"), ({"zip": 205, "vip": False}, "b")]
    model = learned(pairs, categorical_features=["zip"])
    assert model.classifier.schema_.categorical_names == ("zip", "vip")
    assert model.predict_one({"zip": 205, "vip": False}) == "b"
    assert model.predict_one({"zip": 205.0, "vip": 0}) == "b"  # equal values are one category
    assert model.predict_one({"zip": 999, "vip": False}) == "b"


def test_features_may_have_names_that_are_no_text() -> None:
    model = learned([({0: 1.0, ("a", 1): "x"}, "a"), ({0: 2.0, ("a", 1): "y"}, "b")])
    assert model.predict_one({("a", 1): "y"}) == "b"
    assert model.predict_one({("a", 1): "y", 0: 2.0}) == "b"
    table = pd.DataFrame(
        [["y", 2.0], ["x", 1.0]], columns=pd.Index([("a", 1), 0], tupleize_cols=False)
    )
    assert model.predict_many(table).tolist() == ["b", "a"]
    with pytest.raises(ValueError, match=r"the features 0 and '0' look alike as text; rename"):
        model.learn_one({"0": 3.0}, "a")
    assert model.n_boxes_ == 2


def test_names_of_categorical_features_are_a_list_of_any_kind() -> None:
    with pytest.raises(ValueError, match="give a list of names"):
        HyperboxClassifier(categorical_features="zip")
    model = learned([({"zip": 1, "car": 2}, "a")], categorical_features=(n for n in ("car", "zip")))
    assert model.classifier.schema_.categorical_names == ("zip", "car")
    assert model.classifier.categorical_features == ("zip", "car")


def test_a_fixed_range_holds_for_features_that_come_later() -> None:
    pairs: Pairs = [({"a": 1.0}, "x"), ({"a": 2.0, "b": 5.0}, "y"), ({"a": 3.0, "b": 90.0}, "x")]
    model = learned(pairs, scale="range", feature_range={"b": (0, 100), "never": (0, 1)})
    assert {c.name: c.range for c in model.classifier.schema_.columns} == {
        "a": (1.0, 3.0), "b": (0.0, 100.0),
    }  # fmt: skip
    with pytest.raises(ValueError, match=r"feature_range names 'c', which is not a numeric"):
        learned([({"c": "text"}, "x")], scale="range", feature_range={"c": (0, 1)})
