"""The engine of HyperboxClassifier against itself: chunks, threads, weights, budgets."""

from __future__ import annotations

import copy
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from boxwise import HyperboxClassifier
from boxwise.core import Model

from .evidence_pairs import Rows, learn, random_rows, state
from .streams import UNLABELLED


def shifting(seed: int = 0, rows: int = 1_500, **parameters: Any) -> Rows:
    chosen = {"missing": 0.05, "intervals": 0.1, "unlabelled": 0.05, "shifts": (500, 1_000)}
    return random_rows(seed, rows, 3, 2, **{**chosen, "classes": 2, "noise": 0.02, **parameters})


def classifier(**parameters: Any) -> HyperboxClassifier:
    chosen = {"max_boxes": 60, "class_prior": "auto", "categorical_features": [3, 4]}
    return HyperboxClassifier(**{**chosen, "unlabelled": UNLABELLED, **parameters})


@pytest.mark.parametrize("weights", [(), (0.3, 1.0, 2.5)], ids=["rows", "weights"])
@pytest.mark.parametrize("size", [1, 7, 500])
def test_chunks_saving_and_loading_make_no_difference(size, weights):
    rows = shifting(weights=weights, late=True)
    bulk, chunked, saved = learn(classifier(), rows), classifier(), classifier()
    for begin in range(0, len(rows), size):
        learn(chunked, rows[begin : begin + size])
        learn(saved, rows[begin : begin + size])
        if begin % 5 == 0:
            saved._model = Model.from_state(*saved._model.to_state())
    assert {"alarm", "replaced"} <= {change.event for change in bulk.changes_}
    assert state(chunked) == state(bulk)
    assert state(saved) == state(bulk)
    X = rows[:200].table
    np.testing.assert_array_equal(saved.predict_proba(**X), bulk.predict_proba(**X))


@pytest.mark.parametrize("scale", ["quantile", "range"])
def test_predicting_first_makes_no_difference(scale):
    rows = shifting()
    learned, asked = classifier(scale=scale), classifier(scale=scale)
    for i in range(len(rows)):
        one = rows[i : i + 1]
        if i % 3 and i > 50:
            asked.predict(**one.table)
        if i % 5 == 0 and i > 50:  # another row is the last one predicted
            asked.predict_proba(**rows[i - 20 : i - 10].table)
        learn(asked, one)
        learn(learned, one)
    assert state(asked) == state(learned)


def test_learning_elsewhere_does_not_change_the_answer_to_the_last_row():
    rows = shifting()
    one, other = learn(classifier(), rows[:300]), learn(classifier(), rows[700:900])
    last = rows[300:301].table
    before = one.predict_proba(**last)
    learn(other, rows[900:901])
    np.testing.assert_array_equal(one.predict_proba(**last), before)
    learn(other, rows[901:902])
    learn(one, rows[300:301])
    assert state(one) == state(learn(classifier(), rows[:301]))


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_make_no_difference(n_jobs):
    rows, many = shifting(noise=0.3, rows=3_000), shifting(1, 2_000)
    one = learn(classifier(theta=0.1, max_boxes=None), rows)
    assert one.n_boxes_ * len(many) > 400_000  # enough to be worth the threads
    several = copy.deepcopy(one).set_params(n_jobs=n_jobs)
    for method in ("predict", "predict_proba", "support", "responsibilities", "membership"):
        expected = getattr(one, method)(**many.table)
        np.testing.assert_array_equal(getattr(several, method)(**many.table), expected)


@pytest.mark.parametrize("max_boxes", [1, 2, 5, 19, 20, 33, 100])
def test_budget_is_never_exceeded(max_boxes):
    rows, clf = shifting(late=True), classifier(max_boxes=max_boxes)
    for i in range(len(rows)):
        learn(clf, rows[i : i + 1])
        assert clf.n_boxes_ <= max_boxes
    assert clf.n_boxes_ == max_boxes
    assert bool(clf.changes_) == (max_boxes >= 20)


def test_whole_weights_equal_repeated_rows():
    rows = shifting(weights=(1.0, 2.0, 4.0))
    again = rows[np.repeat(np.arange(len(rows)), rows.weights.astype(int))]
    again.weights = None
    assert state(learn(classifier(), rows)) == state(learn(classifier(), again))


@pytest.mark.parametrize("size", [1, 100, 1_500])
def test_rows_of_weight_0_change_nothing(size):
    rows = shifting(weights=(0.0, 1.0, 1.5), late=True)
    whole, without = classifier(), learn(classifier(), rows[rows.weights > 0])
    for begin in range(0, len(rows), size):
        learn(whole, rows[begin : begin + size])
    assert state(whole) == state(without)


def test_values_after_the_first_255_are_answered_alike_before_and_after_they_are_known():
    rows = random_rows(3, 600, 0, 1, vocabulary=400)
    clf = HyperboxClassifier(categorical_features=[0]).partial_fit(y=rows.labels, **rows.table)
    values = [*dict.fromkeys(rows.values[:, 0])]
    assert len(values) > 256
    known = clf.predict_proba([[value] for value in values[255:]])
    np.testing.assert_array_equal(known, clf.predict_proba([["never seen"]] * len(known)))
    np.testing.assert_array_equal(known[:1], clf.predict_proba([["never seen"]]))
    assert (clf.predict_proba([[value] for value in values[:255]]) != known[0]).any(axis=1).all()


def test_responsibilities_are_of_one_moment_while_classes_are_learned():
    X = np.random.default_rng(0).random((3_000, 2))
    clf = HyperboxClassifier(max_boxes=100).fit(X[:200], [f"c{i % 2}" for i in range(200)])
    sums: list[float] = []

    def learn_new_classes() -> None:
        for k in range(400):
            clf.partial_fit(X[k : k + 1], [f"new {k}"])

    with ThreadPoolExecutor() as pool:
        learning = pool.submit(learn_new_classes)
        while not learning.done():
            sums.append(clf.responsibilities(X[:100]).sum(axis=1).max())
        learning.result()
    assert sums
    assert max(sums) <= 1 + 1e-9


@pytest.mark.parametrize("weight", [1.3, 2.5, 3.0])
def test_ranks_of_a_table_do_not_depend_on_a_weight_that_all_rows_have(weight):
    X = np.arange(200.0)[:, None]
    clf = HyperboxClassifier().fit(X, X[:, 0] > 100, sample_weight=np.full(200, weight))
    scale = clf._model.engine.snapshot()["scales"]
    once = HyperboxClassifier().fit(X, X[:, 0] > 100)._model.engine.snapshot()["scales"]
    seen, ahead = scale[1], scale[3]
    assert seen == math.ceil(weight) * once[1]
    assert ahead == 0
