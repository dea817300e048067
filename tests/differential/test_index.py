"""With the index, without it and changing over: the same boxes, the same answers."""

from __future__ import annotations

import copy
import math
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import boxwise
from boxwise import AgglomerativeGFMM, HyperboxClassifier
from boxwise.reference import EIOL

from .agreement import assert_same_answers, assert_same_boxes, assert_same_state
from .index_mode import index
from .streams import UNLABELLED, Stream, streams

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
MODES = [("on", 2), ("on", 5), ("on", 64), ("off", 64)]


@quick
@given(streams(), st.sampled_from(MODES[:3]))
def test_the_index_learns_and_answers_as_the_reference_does(stream, mode):
    X, upper = stream.table()
    with index(*mode):
        clf = stream.classifier().partial_fit(X, stream.labels, upper=upper)
    reference = stream.reference()
    assert_same_boxes(clf, reference)
    assert clf._model.engine.rejections == reference.rejections
    assert_same_answers(clf, reference, stream)


@quick
@given(streams(max_rows=90), st.randoms(use_true_random=False))
def test_it_may_be_switched_on_and_off_in_the_middle_of_a_stream(stream, random):
    X, upper = stream.table()
    clf = stream.classifier()
    begin = 0
    while begin < len(X):
        rows = slice(begin, begin + random.randrange(1, 30))
        clf.partial_fit(X[rows], stream.labels[rows], upper=None if upper is None else upper[rows])
        clf._model.set_index(*random.choice(MODES))
        begin = rows.stop
    assert_same_boxes(clf, stream.reference())
    assert_same_answers(clf, stream.reference(), stream)


def union(a: Any, b: Any) -> None:
    """Let box a of a reference take in box b."""
    a.V = [min(v) for v in zip(a.V, b.V, strict=True)]
    a.W = [max(w) for w in zip(a.W, b.W, strict=True)]
    a.D = [dict(Counter(d) + Counter(e)) for d, e in zip(a.D, b.D, strict=True)]
    a.n += b.n


class Walk:
    """A model with an index and the specification, step by step."""

    def __init__(self, seed: int, condition: str, folder: Path) -> None:
        self.random = Random(seed)
        self.folder = folder
        self.n, self.r = self.random.choice([(2, 0), (0, 2), (3, 2), (2, 5)])
        self.values = self.random.choice([2, 4, 80, 1000])
        theta, delta = self.random.choice([(0.1, 0.3), (0.3, 0.6), (0.5, 0.9)])
        alpha = self.random.choice([0.5, 0.5, 0.9, 0, 1])
        gamma = [1.0] * self.n
        self.reference = EIOL(theta, delta, alpha, gamma, condition)
        self.clf = HyperboxClassifier(
            theta,
            delta,
            alpha=alpha,
            gamma=gamma,
            condition=condition,
            decision="membership",
            unlabelled=UNLABELLED,
            categorical_features=list(range(self.n, self.n + self.r)),
        )
        self.learn()  # so that there is a model
        self.clf._model.set_index("on", 3)

    def row(self) -> tuple[list[float], list[Any], int]:
        random = self.random
        point = [
            math.nan if random.random() < 0.05 else random.randrange(30) / 10 for _ in range(self.n)
        ]
        values = [f"v{min(random.randrange(self.values) for _ in '12')}" for _ in range(self.r)]
        return point, values, random.choice([UNLABELLED, 0, 0, 1, 1, 2])

    def learn(self) -> None:
        rows = [self.row() for _ in range(self.random.randrange(1, 12))]
        X = np.empty((len(rows), self.n + self.r), dtype=object)
        for i, (point, values, label) in enumerate(rows):
            X[i] = [*point, *values]
            low = [math.inf if math.isnan(x) else x for x in point]
            high = [-math.inf if math.isnan(x) else x for x in point]
            self.reference.learn(low, high, values, None if label == UNLABELLED else label)
        self.clf.partial_fit(X, [label for _, _, label in rows])

    def delete(self) -> None:
        i = self.random.randrange(len(self.reference.boxes))
        self.clf._model.remove([i])
        del self.reference.boxes[i]

    def merge(self) -> None:
        boxes = self.reference.boxes
        pairs = [
            (i, k)
            for i, a in enumerate(boxes)
            for k, b in enumerate(boxes)
            if i < k and a.label == b.label
        ]
        if not pairs:
            return
        i, k = self.random.choice(pairs)
        ids = self.clf._model.engine.snapshot()["id"].tolist()
        self.clf._model.engine.merge(ids[i], ids[k])
        union(boxes[i], boxes[k])
        del boxes[k]

    def save_and_load(self) -> None:
        file = self.folder / "walk.boxwise"
        self.clf.save(file)
        self.clf = boxwise.load(file)
        self.clf._model.set_index("on", self.random.choice([2, 3, 64]))

    def check(self) -> None:
        assert_same_boxes(self.clf, self.reference)
        rows = [self.row() for _ in range(3)]
        stream = Stream(
            **{
                name: getattr(self.reference, name) for name in ("theta", "delta", "alpha", "gamma")
            },
            condition="each",
            fixed_range=False,
            lower=[point for point, _, _ in rows],
            upper=[point for point, _, _ in rows],
            values=[values for _, values, _ in rows],
            labels=[label for _, _, label in rows],
        )
        if {box.label for box in self.reference.boxes} >= {*self.reference.classes}:
            assert_same_answers(self.clf, self.reference, stream)


@pytest.mark.parametrize("condition", ["each", "mean"])
@pytest.mark.parametrize("seed", range(6))
def test_a_walk_of_learning_deleting_merging_saving_and_loading(seed, condition, tmp_path):
    walk = Walk(seed, condition, tmp_path)
    for _ in range(40):
        steps = [walk.learn] * 6 + [walk.save_and_load]
        if len(walk.reference.boxes) > 2:
            steps += [walk.delete, walk.delete, walk.merge]
        walk.random.choice(steps)()
        walk.check()


def crowd(n_rows: int, seed: int, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Rows enough for an index of several pages, of both kinds, some values missing."""
    rng = np.random.default_rng(seed)
    X = np.empty((n_rows, 6), dtype=object)
    X[:, :3] = rng.random((n_rows, 3)) * spread
    X[:, 3:5] = rng.integers(0, 4, (n_rows, 2))
    X[:, 5] = rng.integers(0, 300, n_rows)
    X[rng.random(n_rows) < 0.05, 0] = np.nan
    return X, rng.integers(0, 3, n_rows) - (rng.random(n_rows) < 0.02)


@pytest.mark.parametrize(
    "parameters",
    [
        {"theta": 0.05, "delta": 0.1, "condition": "each"},
        {"theta": 0.3, "delta": 0.7, "condition": "each"},
        {"theta": 0.05, "delta": 0.3, "condition": "mean"},
        {"theta": 0.1, "delta": 0.6, "condition": "mean", "max_boxes": 900},
        {"theta": 0.1, "delta": 0.5, "condition": "each", "scale": "quantile"},
        {"theta": 0.1, "delta": 0.5, "condition": "mean", "decision": "evidence"},
    ],
    ids=lambda p: ",".join(str(v) for v in p.values()),
)
def test_large_models_are_the_same_with_and_without(parameters):
    X, y = crowd(4_200, 1)
    unseen, _ = crowd(300, 2, 1.2)
    common = {"categorical_features": [3, 4, 5], "unlabelled": UNLABELLED, "decision": "membership"}
    fitted = []
    for mode in ("off", "auto", "on"):
        with index(mode):
            fitted.append(HyperboxClassifier(**{**common, **parameters}).partial_fit(X, y))
    for clf in fitted[1:]:
        assert_same_state(clf, fitted[0])
        assert clf.predict(unseen).tolist() == fitted[0].predict(unseen).tolist()
        np.testing.assert_array_equal(clf.predict_proba(unseen), fitted[0].predict_proba(unseen))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_model_without_an_index_gets_one_while_it_predicts(n_jobs):
    X, y = crowd(4_200, 5)
    unseen, _ = crowd(600, 6, 1.2)
    with index("off"):
        brute = HyperboxClassifier(
            0.05, 0.3, categorical_features=[3, 4, 5], decision="membership", n_jobs=n_jobs
        ).fit(X, abs(y))
        expected = brute.predict(unseen).tolist()
    copied = copy.deepcopy(brute)  # as one read from a file: it has boxes and no index
    before = copied._model.n_bytes
    assert copied.predict(unseen).tolist() == expected
    assert copied._model.n_bytes > before
    np.testing.assert_array_equal(copied.predict_proba(unseen), brute.predict_proba(unseen))


def test_boxes_that_were_learned_with_other_parameters():
    X, y = crowd(2_000, 3)
    fitted = []
    for mode in ("off", "on"):
        with index(mode, 8):
            clf = HyperboxClassifier(
                0.3,
                0.9,
                categorical_features=[3, 4, 5],
                unlabelled=UNLABELLED,
                decision="membership",
            )
            clf.partial_fit(X[:1000], y[:1000])
            clf.set_params(theta=0.1, delta=0.2).partial_fit(X[1000:], y[1000:])
        fitted.append(clf)
    assert_same_state(*fitted)


@pytest.mark.parametrize("kind", ["agglomerative", "merged"])
def test_agglomerating_and_joining_models_follow_the_index(kind):
    X, y = crowd(500, 4)
    fitted = []
    for mode, leaf in (("off", 64), ("on", 4)):
        with index(mode, leaf):
            common = {"categorical_features": [3, 4, 5]}
            if kind == "agglomerative":
                fitted.append(AgglomerativeGFMM(theta=0.3, delta=0.8, **common).fit(X, abs(y)))
            else:
                parts = [
                    HyperboxClassifier(0.3, 0.8, decision="membership", **common).fit(
                        X[part], abs(y[part])
                    )
                    for part in (slice(250), slice(250, None))
                ]
                fitted.append(boxwise.merge(parts))
    assert_same_state(*fitted)
