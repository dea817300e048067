"""Counterfactuals where curves decide: values that no box suggests, and all of them true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boxwise import HyperboxClassifier
from boxwise.datasets import loans
from boxwise.explain.counterfactuals import candidates
from boxwise.reference.additive import DRIFTS


def with_weights(clf: HyperboxClassifier, weights: Any, losses: Any) -> HyperboxClassifier:
    """Return the model with other weights in its layer; `losses` are those of the experts."""
    header, arrays = clf._model.to_state()
    arrays["layer_weights"] = np.tile(weights, len(DRIFTS)).astype(float)
    arrays["layer_losses"] = np.array(losses, float)
    clf._model = type(clf._model).from_state(header, arrays)
    return clf


def by_curves(clf: HyperboxClassifier, chosen: dict[tuple[int, int], float]) -> HyperboxClassifier:
    """Return the model with a layer that does not heed the boxes.

    The constant speaks for the second of two classes; `chosen` are weights by column and place.
    """
    slots = [tuple(slot) for slot in clf._model.engine.snapshot()["layer_slots"].tolist()]
    return with_weights(clf, [2.0, 0.0, *(chosen.get(slot, 0.0) for slot in slots)], [99, 0, 0])


def few_boxes(rows: list[list[Any]]) -> HyperboxClassifier:
    """Two boxes, one of each class, over the whole range of the numbers."""
    clf = HyperboxClassifier(theta=10, delta=1, max_boxes=2, adapt=False)
    return clf.partial_fit(rows, ["yes", "no"] * (len(rows) // 2))


def test_a_number_is_found_where_only_a_curve_speaks_for_another_class(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The hat at a quarter of the range; no box begins or ends there.
    clf = by_curves(few_boxes([[float(x)] for x in range(100) for _ in "12"]), {(0, 2): -9.0})
    assert clf.predict([[80.0]]) == clf.predict([[0.0]]) == clf.predict([[99.0]])
    (why,) = clf.explain([[80.0]])
    (change,) = why.counterfactual.changes
    assert clf.predict([[change.new]])[0] == why.counterfactual.prediction != why.prediction
    assert 30 < change.new < 50  # as near as the curve allows
    monkeypatch.setattr(candidates, "HATS", 0)
    assert clf.explain([[80.0]])[0].counterfactual is None


def test_a_category_is_found_that_no_box_of_another_class_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clf = HyperboxClassifier(theta=10, delta=1, adapt=False)
    rows = [["a"], ["b"], ["c"], ["b"]] * 10
    clf.partial_fit(rows, ["no", "yes", "yes", "yes"] * 10)
    clf = by_curves(clf, {(0, 2): -9.0})  # of c, whose boxes are all of the class yes
    (why,) = clf.explain([["b"]])
    assert [change.new for change in why.counterfactual.changes] == ["c"]
    assert (why.prediction, why.counterfactual.prediction) == ("yes", "no")
    assert clf.predict([["c"]]) == ["no"]
    monkeypatch.setattr(candidates, "OWN_VALUES", 0)
    assert clf.explain([["b"]])[0].counterfactual is None


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_counterfactual_changes_the_prediction(seed: int, n_classes: int) -> None:
    """Random weights make curves that have nothing to do with the boxes."""
    rng = np.random.default_rng(seed)
    rows, labels = loans(300, function=5, noise=0.05, seed=seed)
    known = [f"{label}{i % (n_classes - 1)}" for i, label in enumerate(labels)]
    known = known if n_classes == 3 else [str(label) for label in labels]
    clf = HyperboxClassifier(max_boxes=40).partial_fit(rows[:250], known[:250])
    size = len(clf._model.engine.snapshot()["layer_weights"]) // len(DRIFTS)
    clf = with_weights(clf, rng.normal(size=size), rng.random(3))
    found = 0
    for row, why in zip(rows[250:], clf.explain(rows[250:]), strict=True):
        if why.counterfactual is None:
            continue
        moved = row | {change.column: change.new for change in why.counterfactual.changes}
        assert clf.predict([moved])[0] == why.counterfactual.prediction != why.prediction
        p = clf.predict_proba([moved])[0]
        assert why.counterfactual.probability == p.max()
        found += 1
    assert found > 25
