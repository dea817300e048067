"""The River face: rows that count more or less often than once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import boxwise

pytest.importorskip("river")

from boxwise.river import HyperboxClassifier
from tests.river.streams import Pairs, everything, learned, patchy


def test_a_row_of_whole_weight_is_so_many_rows() -> None:
    pairs = patchy(80)
    times = [i % 4 for i in range(80)]
    model = HyperboxClassifier()
    for (x, y), w in zip(pairs, times, strict=True):
        model.learn_one(x, y, w=w)
    expected = learned([pair for pair, w in zip(pairs, times, strict=True) for _ in range(w)])
    assert everything(model) == everything(expected)


def test_a_row_of_weight_one_is_learned_as_any_other() -> None:
    pairs = patchy(60)
    model = HyperboxClassifier()
    for i, (x, y) in enumerate(pairs):
        model.learn_one(x, y, w=[1.0, 1, np.float64(1)][i % 3])
    assert everything(model) == everything(learned(pairs))


def test_a_weight_is_that_of_a_table_with_weights() -> None:
    pairs: Pairs = [({"a": 1.0, "b": "u"}, "x"), ({"a": 2.0, "b": "v"}, "y")] * 5
    weights = [0.25 * i for i in range(1, 11)]
    model = HyperboxClassifier()
    for (x, y), w in zip(pairs, weights, strict=True):
        model.learn_one(x, y, w)
    table = boxwise.HyperboxClassifier(unlabelled=math.nan)
    table.partial_fit([x for x, _ in pairs], [y for _, y in pairs], sample_weight=weights)
    assert model.boxes.n_samples.tolist() == table.boxes_.n_samples.tolist()
    assert model.predict_proba_one({"a": 1.2, "b": "u"}) == dict(
        zip(["x", "y"], table.predict_proba([{"a": 1.2, "b": "u"}])[0].tolist(), strict=True)
    )


def test_a_row_of_no_weight_teaches_nothing() -> None:
    model = HyperboxClassifier()
    model.learn_one({"a": 1.0}, "x", w=0)
    assert (model.n_boxes_, model.predict_one({"a": 1.0})) == (0, None)
    model.learn_one({"a": 1.0}, "x")
    before = everything(model)
    model.learn_one({"a": 2.0, "new": 5}, "y", w=0.0)
    assert everything(model) == before


@pytest.mark.parametrize("w", [-1, math.nan, math.inf, 1e9, "2", None, True, [1.0]])
def test_a_bad_weight_is_refused_by_its_name(w: Any) -> None:
    model = learned([({"a": 1.0}, "x")])
    before = everything(model)
    with pytest.raises(ValueError, match=r"w must be a number from 0 to 10000"):
        model.learn_one({"a": 1.0}, "x", w=w)
    assert everything(model) == before


def test_a_model_with_class_weights_says_that_rows_carry_them_here() -> None:
    clf = boxwise.HyperboxClassifier(class_weight={"x": 2}).fit([{"a": 1.0}], ["x"])
    with pytest.raises(ValueError, match=r"no class_weight: set it to None.*as w"):
        HyperboxClassifier.from_classifier(clf)
    clf.set_params(class_weight=None)
    assert HyperboxClassifier.from_classifier(clf).predict_one({"a": 1.0}) == "x"
