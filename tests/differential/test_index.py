"""Long walks and large models with the index; the engines compare each other (see conftest.py)."""

from __future__ import annotations

import copy
import math
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import boxwise
from boxwise import EIOLGFMM
from boxwise.reference import EIOL

from .agreement import assert_same_answers, assert_same_boxes
from .streams import UNLABELLED, Stream

MIN_BOXES_FOR_INDEX = 1536  # as native/eiol/entropy_indexed.cpp has it
MIN_BOX_FEATURES_FOR_INDEX = 180_000  # of all boxes together: predictions use it from there on


def union(a: Any, b: Any) -> None:
    """Let box a of a reference take in box b."""
    a.V = [min(v) for v in zip(a.V, b.V, strict=True)]
    a.W = [max(w) for w in zip(a.W, b.W, strict=True)]
    a.D = [dict(Counter(d) + Counter(e)) for d, e in zip(a.D, b.D, strict=True)]
    a.n += b.n


SIZES = [(0.1, 0.3), (0.3, 0.6), (0.5, 0.9)]  # theta, delta


class Walk:
    """A model and the specification, step by step."""

    def __init__(self, seed: int, version: int, folder: Path) -> None:
        self.random = Random(seed)
        self.folder = folder
        self.n, self.r = self.random.choice([(2, 0), (0, 2), (3, 2), (2, 5)])
        self.values = self.random.choice([2, 4, 80, 1000])
        theta, delta = self.random.choice(SIZES)
        alpha = self.random.choice([0.5, 0.5, 0.9, 0, 1])
        gamma = [1.0] * self.n
        self.reference = EIOL(theta, delta, alpha, gamma, "mean" if version == 2 else "each")
        self.clf: Any = EIOLGFMM(
            theta,
            delta,
            version,
            alpha,
            gamma,
            unlabelled=UNLABELLED,
            categorical_features=list(range(self.n, self.n + self.r)),
        )
        self.learn()  # so that there is a model

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
        boxes = self.reference.boxes
        gone = [self.random.randrange(len(boxes))]
        if self.random.random() < 0.3:  # all of a class
            gone = [i for i, box in enumerate(boxes) if box.label == boxes[gone[0]].label]
        self.clf._model.remove(gone)
        self.reference.boxes = [box for i, box in enumerate(boxes) if i not in gone]

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

    def go_on_with_other_parameters(self) -> None:
        self.reference.theta, self.reference.delta = self.random.choice(SIZES)
        self.clf.set_params(theta=self.reference.theta, delta=self.reference.delta)
        self.learn()

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
        left = {box.label for box in self.reference.boxes} - {None}
        if left == {*self.reference.classes}:
            assert_same_answers(self.clf, self.reference, stream)
        elif left:  # a class may have lost all its boxes
            X, _ = stream.table()
            predicted = self.clf.predict(X).tolist()
            self.clf.predict_proba(X)
            assert predicted == [self.reference.predict(*s) for s in stream.samples()]


@pytest.mark.parametrize(
    ("seed", "version"),
    [
        *((seed, version) for seed in range(6) for version in (1, 2)),
        *(
            pytest.param(seed, version, marks=pytest.mark.long)
            for seed in range(10, 40)
            for version in (1, 2)
        ),
    ],
)
def test_a_walk_of_learning_deleting_merging_saving_and_loading(seed, version, tmp_path):
    walk = Walk(seed, version, tmp_path)
    for _ in range(40):
        steps = [*[walk.learn] * 4, walk.save_and_load, walk.go_on_with_other_parameters]
        if len(walk.reference.boxes) > 2:
            steps += [walk.delete, walk.merge]
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
    labels = rng.choice(3, n_rows, p=[0.6, 0.3, 0.1])  # one class has most of the boxes
    return X, labels - (rng.random(n_rows) < 0.02)


@pytest.mark.parametrize(
    "learner",
    [
        EIOLGFMM(0.05, 0.1),
        EIOLGFMM(0.3, 0.7),
        EIOLGFMM(0.05, 0.3, version=2),
        EIOLGFMM(0.05, 0.3, version=2, max_boxes=3_300),
        EIOLGFMM(0.1, 0.5, scale="quantile"),
    ],
    ids=repr,
)
def test_large_models_are_the_same_with_and_without(learner):
    X, y = crowd(4_200, 1)
    unseen, _ = crowd(300, 2, 1.2)
    clf = clone(learner).set_params(categorical_features=[3, 4, 5], unlabelled=UNLABELLED)
    clf.partial_fit(X, y)
    # Else users would have no index.
    assert np.bincount(clf.boxes_.labels + 1).max() >= MIN_BOXES_FOR_INDEX
    clf.predict(unseen)
    clf.predict_proba(unseen)


@pytest.mark.parametrize("n_jobs", [pytest.param(1, marks=pytest.mark.long), 2])
def test_a_model_without_an_index_gets_one_while_it_predicts(n_jobs):
    X, y = crowd(4_200, 5)
    unseen, _ = crowd(600, 6, 1.2)
    # With so few columns it would be as quick to pass over all boxes.
    copies = MIN_BOX_FEATURES_FOR_INDEX // 4_200 // 6 + 2
    X, unseen = np.tile(X, copies), np.tile(unseen, copies)
    categories = [j for j in range(X.shape[1]) if j % 6 > 2]
    learned = EIOLGFMM(0.05, 0.3, version=2, categorical_features=categories, n_jobs=n_jobs).fit(
        X, abs(y)
    )
    assert learned.n_boxes_ * X.shape[1] > MIN_BOX_FEATURES_FOR_INDEX
    copied = copy.deepcopy(learned)  # as one read from a file: it has boxes and no index
    before = copied._model.n_bytes
    assert copied.predict(unseen).tolist() == learned.predict(unseen).tolist()
    assert copied._model.n_bytes > before
    np.testing.assert_array_equal(copied.predict_proba(unseen), learned.predict_proba(unseen))


def test_boxes_tie_where_a_sample_is_further_away_than_any_number_can_say():
    rng = np.random.default_rng(0)
    X = np.empty((200, 2), dtype=object)
    X[:, 0], X[:, 1] = rng.random(200) * 1e-149, rng.choice(list("wxyz"), 200)
    clf = EIOLGFMM(0, 0, gamma=100, categorical_features=[1])
    clf.fit(X, (rng.random(200) < 0.7).astype(int))
    far = np.array([[1e150, c] for c in "wxyz"], dtype=object)
    assert (clf.predict_proba(far) != 0.5).all()  # the boxes that share the value, by their samples
