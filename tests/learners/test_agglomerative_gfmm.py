"""AgglomerativeGFMM: all rows at once, the most similar boxes first."""

from __future__ import annotations

import signal
import threading
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from boxwise import AgglomerativeGFMM, HyperboxClassifier
from boxwise._native import AgglomerativeEngine
from boxwise.datasets import loans

ROWS = [[0.0, "x"], [0.5, "x"], [0.6, "x"], [1.0, "y"]]
LABELS = ["a", "a", "a", "b"]


@pytest.fixture(scope="module")
def table() -> tuple[list[dict[str, Any]], list[str]]:
    rows, labels = loans(400, function=1, seed=3)
    return rows, [*labels]


def test_partial_fit_is_not_there_and_says_why_and_what_to_use():
    clf = AgglomerativeGFMM()
    assert not hasattr(clf, "partial_fit")
    with pytest.raises(AttributeError, match=r"most similar.*all rows.*HyperboxClassifier"):
        _ = clf.partial_fit


@pytest.mark.parametrize(
    ("parameter", "value", "words"),
    [
        ("method", "agglo3", "method must be 'agglo2' or 'agglosm', not 'agglo3'"),
        ("method", None, "method must be"),
        ("similarity", "near", "similarity must be 'short', 'long' or 'mid', not 'near'"),
        ("similarity", ["mid"], "similarity must be"),
        ("min_similarity", 1.5, "min_similarity must be a number from 0 to 1"),
        ("min_similarity", "high", "min_similarity must be a number from 0 to 1"),
        ("alpha", "estimate", "alpha must be 'auto' or a number from 0 to 1, not 'estimate'"),
        ("condition", "all", "condition must be 'each' or 'mean'"),
        ("delta", -1, "delta must be a number from 0 to 1"),
    ],
)
def test_a_wrong_parameter_is_refused_in_words(parameter, value, words):
    with pytest.raises(ValueError, match=words):
        AgglomerativeGFMM(**{parameter: value}).fit(ROWS, LABELS)


@pytest.mark.parametrize("method", ["agglo2", "agglosm"])
def test_the_nearest_boxes_merge_not_the_first(method):
    clf = AgglomerativeGFMM(theta=0.5, delta=1.0, method=method).fit(ROWS, LABELS)
    online = HyperboxClassifier(theta=0.5, delta=1.0, scale="range", feature_range=(0, 1))
    online.partial_fit(ROWS, LABELS)
    assert online.boxes_.describe(0) == "a, 2 rows: x0 0 to 0.5; x1 is x"
    merged = {"agglo2": "a, 2 rows: x0 0 to 0.5; x1 is x", "agglosm": "a, 1 row: x0 0; x1 is x"}
    assert clf.boxes_.describe(0) == merged[method]


@pytest.mark.parametrize("method", ["agglo2", "agglosm"])
def test_the_order_of_the_rows_matters_little_to_agglosm(method, table):
    rows, labels = table
    order = np.random.default_rng(0).permutation(len(rows))
    clf = AgglomerativeGFMM(0.5, 0.9, method=method)
    boxes = {
        tuple(np.r_[b.lower[i], b.upper[i]])
        for b in [clf.fit(rows, labels).boxes_]
        for i in range(len(b))
    }
    again = clf.fit([rows[i] for i in order], [labels[i] for i in order]).boxes_
    same = sum(tuple(np.r_[again.lower[i], again.upper[i]]) in boxes for i in range(len(again)))
    assert same / len(again) > (0.9 if method == "agglosm" else 0.5)


def test_rows_without_a_label_are_learned_too():
    clf = AgglomerativeGFMM(theta=0.2, delta=1.0, unlabelled="?").fit(
        [[0.0], [0.1], [0.9], [1.0]], ["a", "?", "b", "?"]
    )
    assert clf.boxes_.labels.tolist() == ["a", "b"]
    assert clf.boxes_.n_samples.tolist() == [2, 2]


def test_fit_starts_anew(table):
    rows, labels = table
    clf = AgglomerativeGFMM().fit(rows, labels)
    first = clf.boxes_
    again = clf.fit(rows, labels).boxes_
    np.testing.assert_array_equal(first.lower, again.lower)
    np.testing.assert_array_equal(first.n_samples, again.n_samples)


def test_min_similarity_leaves_more_boxes(table):
    rows, labels = table
    boxes = [
        len(AgglomerativeGFMM(0.5, 1.0, min_similarity=s).fit(rows, labels).boxes_)
        for s in (0.0, 0.6, 0.9, 1.0)
    ]
    assert boxes == sorted(boxes)
    assert boxes[0] < boxes[-1]


def test_memory_grows_with_the_boxes_not_with_their_pairs():
    clf = AgglomerativeGFMM(0.05, method="agglosm")
    X = np.random.default_rng(0).random((3_000, 4))
    clf.fit(X, np.zeros(len(X), int))
    assert clf._model.engine.bytes / len(clf.boxes_) < 1_000


def assert_same_with_any_number_of_threads(alone: AgglomerativeGFMM, rows: Any, y: Any) -> None:
    for n_jobs in (2, 4, -1):
        shared = clone(alone).set_params(n_jobs=n_jobs).fit(rows, y)
        one, other = alone._model.engine.snapshot(), shared._model.engine.snapshot()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name])


@pytest.mark.parametrize("method", ["agglo2", "agglosm"])
def test_the_boxes_do_not_depend_on_the_number_of_threads(method: str):
    rows, labels = loans(3_500, function=2, seed=5)
    y = [label if i % 7 else "?" for i, label in enumerate(labels)]
    alone = AgglomerativeGFMM(0.5, 1.0, method=method, unlabelled="?").fit(rows, y)
    assert len(alone.boxes_) < 1_000  # so there was much to merge
    assert_same_with_any_number_of_threads(alone, rows, y)


@pytest.mark.parametrize("method", ["agglo2", "agglosm"])
def test_nor_do_boxes_that_must_stay_pure_on_average(method: str):
    rng = np.random.default_rng(0)
    X = np.empty((3_500, 4), dtype=object)
    X[:, :2] = rng.random((len(X), 2))
    X[:, 2:] = rng.integers(0, 3, (len(X), 2)).astype(str)
    y = rng.integers(0, 2, len(X))
    alone = AgglomerativeGFMM(0.1, 0.0, method=method, condition="mean").fit(X, y)
    assert len(alone.boxes_) < 3_400
    assert_same_with_any_number_of_threads(alone, X, y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_a_long_fit_and_leaves_the_estimator_as_it_was(n_jobs: int):
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 5))
    y = rng.integers(0, 2, len(X))
    clf = AgglomerativeGFMM(1.0, method="agglosm", n_jobs=n_jobs).fit(X[:50], y[:50])
    before = clf.boxes_
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    timer.join()
    np.testing.assert_array_equal(clf.boxes_.lower, before.lower)


def test_the_engine_refuses_settings_that_make_no_sense():
    settings = {
        "theta": 0.1,
        "gamma": [1.0],
        "delta": 0.5,
        "alpha": 1.0,
        "mean": False,
        "method": "agglo2",
        "similarity": "mid",
        "min_similarity": 0.0,
    }
    columns = {"n_categorical": 0, "low": [0.0], "high": [1.0], "growing": [True]}
    engine = AgglomerativeEngine(**columns, **settings)
    for wrong in ({"method": "x"}, {"similarity": "x"}, {"min_similarity": 2.0}, {"theta": -1.0}):
        with pytest.raises(ValueError):
            engine.configure(**{**settings, **wrong})
        with pytest.raises(ValueError):
            AgglomerativeEngine(**columns, **{**settings, **wrong})
