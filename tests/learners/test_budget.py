"""Never more boxes than `max_boxes`, and memory that stays within bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boxwise import HyperboxClassifier, load
from boxwise.datasets import LoanStream

DRIFT = {"function": 7, "drift_at": 3_000, "drift_to": 3, "seed": 1}


@pytest.mark.parametrize("max_boxes", [1, 2, 7, 20, 60])
def test_there_are_never_more_boxes_than_allowed(max_boxes: int) -> None:
    """Row by row, over a change: the boxes of challengers and retired sets count too."""
    clf = HyperboxClassifier(theta=0.1, delta=0.0, max_boxes=max_boxes)
    most = 0
    for x, y in LoanStream(3_600, **DRIFT):
        clf.partial_fit([x], [y])
        most = max(most, clf.n_boxes_)
    assert most == max_boxes == len(clf.boxes_)


def test_one_box_still_predicts_and_goes_on(tmp_path: Any) -> None:
    clf = HyperboxClassifier(max_boxes=1)
    for x, y in LoanStream(50, function=3):
        clf.partial_fit([x], [y])
        assert clf.predict([x]).tolist() == clf.boxes_.labels.tolist()
    clf.save(tmp_path / "m.box")
    assert load(tmp_path / "m.box").n_boxes_ == 1


def test_a_rare_class_keeps_its_boxes() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((4_000, 4))
    y = np.where(rng.random(4_000) < 0.01, "rare", "common")
    X[y == "rare"] += 2
    clf = HyperboxClassifier(theta=0.05, max_boxes=40).partial_fit(X, y)
    owners = clf.boxes_.labels
    assert len(owners) == 40
    assert 5 <= (owners == "rare").sum() <= 35
    assert (clf.predict(X[y == "rare"]) == "rare").mean() > 0.9


@pytest.mark.parametrize("smaller", [100, 20, 3, 1])
def test_a_smaller_budget_holds_from_the_next_row_on(smaller: int) -> None:
    rows, labels = zip(*LoanStream(600, function=3, seed=4), strict=True)
    clf = HyperboxClassifier(theta=0.1, delta=0.0).partial_fit([*rows], [*labels])
    assert clf.n_boxes_ > 400
    heaviest = np.sort(clf.boxes_.n_samples)[-1]
    clf.set_params(max_boxes=smaller)
    for x, y in LoanStream(30, function=3, seed=5):
        clf.partial_fit([x], [y])
        assert clf.n_boxes_ <= smaller
    if smaller > 20:
        assert heaviest <= clf.boxes_.n_samples.max()


@pytest.mark.parametrize("smaller", [50, 19, 3, 1])
def test_a_smaller_budget_holds_while_a_challenger_is_on_trial(smaller: int) -> None:
    clf = HyperboxClassifier()
    stream = iter(LoanStream(5_000, **DRIFT))
    while not (clf.__sklearn_is_fitted__() and clf._model.engine.warning):
        x, y = next(stream)
        clf.partial_fit([x], [y])
    clf.set_params(max_boxes=smaller)
    for x, y in LoanStream(200, function=3, seed=5):
        clf.partial_fit([x], [y])
        assert clf.n_boxes_ <= smaller


def test_no_limit_lets_boxes_stay() -> None:
    rows, labels = zip(*LoanStream(1_500, function=3, seed=4), strict=True)
    clf = HyperboxClassifier(theta=0.01, delta=0.0, max_boxes=None, adapt=False)
    clf.partial_fit([*rows], [*labels])
    assert clf.n_boxes_ > 1_000
    assert clf.boxes_.n_samples.sum() == 1_500


def with_ids(n: int) -> HyperboxClassifier:
    """Learn rows of which each has a number of its own as a category."""
    rng = np.random.default_rng(1)
    rows = [{"id": f"id {i}", "size": float(x)} for i, x in enumerate(rng.random(n))]
    labels = ["large" if row["size"] > 0.5 else "small" for row in rows]
    return HyperboxClassifier(max_boxes=100).partial_fit(rows, labels)


def test_a_column_of_ids_takes_bounded_memory_and_does_no_harm() -> None:
    small, large = with_ids(2_000), with_ids(10_000)
    assert large.n_boxes_ <= 100
    assert large.n_bytes_ <= 1.2 * small.n_bytes_
    assert large.n_bytes_ < 100 * 257 * 8 * 3  # a count per box and value, with room to grow
    assert large.predict([{"id": "never seen", "size": 0.9}]).tolist() == ["large"]
    assert large.predict([{"id": "never seen", "size": 0.1}]).tolist() == ["small"]


def test_rows_without_a_label_push_out_no_box_with_a_class():
    clf = HyperboxClassifier(unlabelled=-1, max_boxes=2, theta=0.01)
    clf.partial_fit([[0.0], [1.0]], [0, 1])
    clf.partial_fit([[2.0], [3.0], [4.0], [5.0], [6.0]], [-1] * 5)
    assert clf.predict([[0.0], [1.0]]).tolist() == [0, 1]


@pytest.mark.parametrize("max_boxes", [5, 25])
@pytest.mark.parametrize("seed", range(4))
def test_boxes_that_came_and_went_predict_as_those_of_a_loaded_model(
    max_boxes: int, seed: int, tmp_path: Any
) -> None:
    """What boxes keep for all rows follows values that columns get late, or lose with a box."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "usual": rng.normal(),
            "rare": rng.normal() if rng.random() < 0.03 else None,
            "early": rng.normal() if k < 20 else None,
            "late": rng.normal() if k > 200 else None,
            "text": str(rng.integers(4)),
        }
        for k in range(300)
    ]
    labels = [str(k % 3) if row["usual"] > 0 else "x" for k, row in enumerate(rows)]
    clf = HyperboxClassifier(max_boxes=max_boxes, theta=0.1, delta=0.05)
    for begin in range(0, len(rows), 50):
        clf.partial_fit(rows[begin : begin + 50], labels[begin : begin + 50])
        clf.save(tmp_path / "m.box")
        loaded = load(tmp_path / "m.box")
        np.testing.assert_array_equal(loaded.predict_proba(rows), clf.predict_proba(rows))
