"""Boxes ruled out by their quantised bounds are never among the best."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from boxwise import EIOLGFMM
from boxwise._native import EntropyEngine

from .agreement import assert_same_boxes
from .cases import mostly_long
from .streams import UNLABELLED, Stream


def best_by_membership(clf: EIOLGFMM, X: np.ndarray, upper: Any = None) -> list[Any]:
    """Return the winners as the memberships of all boxes have them, which are computed in full."""
    degrees, boxes = clf.membership(X, upper=upper), clf.boxes_
    won = []
    for row in degrees:
        best: tuple[float, int] = (-1.0, 0)
        name = None
        for label in clf._model.labels.values:
            own = np.array([box == label for box in boxes.labels])
            if not own.any():
                continue
            top = row[own].max()
            rank = (top, int(boxes.n_samples[own][row[own] == top].sum()) if top > 0 else 0)
            if rank > best:
                best, name = rank, label
        won.append(name)
    return won


def table(seed: int, n_rows: int, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.empty((n_rows, 6), dtype=object)
    X[:, :4] = rng.normal(0, spread, (n_rows, 4))
    X[rng.random(n_rows) < 0.1, 1] = np.nan
    X[:, 2] = np.round(X[:, 2].astype(float) * 8) / 8  # ties
    X[:, 3] = 7.0  # no range at all
    X[:, 4] = rng.integers(0, 4, n_rows).astype(str)
    X[:, 5] = rng.integers(0, 40, n_rows).astype(str)
    return X, rng.integers(0, 3, n_rows)


SETTINGS = {
    "plain": {},
    "slopes": {"gamma": [0.01, 1.0, 30.0, 1e6]},
    "narrow": {"feature_range": (-0.2, 0.1)},
    "wide": {"feature_range": (-1e6, 1e9)},
    "quantile": {"scale": "quantile"},
    "numbers": {"alpha": 1.0},
    "categories": {"alpha": 0.0},
    "large": {"theta": 0.4, "delta": 1.0},
}


def classifier(**parameters: Any) -> EIOLGFMM:
    common = {"theta": 0.02, "delta": 0.3, "version": 2, "categorical_features": [4, 5]}
    return EIOLGFMM(**(common | parameters))


@pytest.mark.parametrize("parameters", SETTINGS.values(), ids=SETTINGS.keys())
def test_winners_are_those_of_all_memberships(parameters):
    clf = classifier(**parameters)
    X, y = table(1, 700)
    unseen = np.concatenate([table(2, 80, 1.5)[0], table(2, 40, 20.0)[0]])  # some far outside
    unseen[::3, 1] = 1.0
    for begin in range(0, len(X), 100):
        clf.partial_fit(X[begin : begin + 100], y[begin : begin + 100])
        assert clf.predict(unseen).tolist() == best_by_membership(clf, unseen)


@pytest.mark.parametrize(
    "grow",
    [
        lambda i: 1.0 + i * 1e-4,  # by less than matters, many times
        lambda i: 1.02**i,  # by about what matters
        lambda i: 10.0 ** (i / 8),  # by far more: what lies in it comes to nothing
        lambda i: -(1.5**i),  # downwards
    ],
    ids=["a little", "about so much", "much", "downwards"],
)
def test_ranges_that_grow_under_the_boxes(grow: Callable[[int], float]):
    clf = classifier()
    X, y = table(3, 400)
    unseen, _ = table(4, 60)
    for i in range(100):
        rows = slice(4 * i, 4 * i + 4)
        X[rows, 0] = grow(i) * X[rows, 0].astype(float)
        clf.partial_fit(X[rows], y[rows])
        if i % 7 == 6:
            some = np.concatenate([unseen, X[rows]])
            assert clf.predict(some).tolist() == best_by_membership(clf, some)


def test_intervals_that_reach_beyond_all_boxes():
    rng = np.random.default_rng(15)
    X = rng.random((300, 3))
    clf = EIOLGFMM(theta=0.02, version=2, feature_range="data")
    clf.partial_fit(X, rng.integers(0, 4, 300))
    middle, width = rng.random((200, 3)), rng.exponential(0.4, (200, 3))
    lower, upper = middle - width, middle + width * (rng.random((200, 3)) < 0.7)
    for row in range(0, 200, 10):  # few at a time: many together are searched in another way
        some = slice(row, row + 10)
        told = clf.predict(lower[some], upper=upper[some]).tolist()
        assert told == best_by_membership(clf, lower[some], upper[some])


def test_a_feature_that_had_no_range_gets_one():
    clf = classifier()
    X, y = table(5, 300)
    unseen, _ = table(6, 100)
    clf.partial_fit(X[:200], y[:200])
    X[200:, 3] = unseen[:, 3] = np.linspace(6, 9, 100)
    assert clf.predict(unseen).tolist() == best_by_membership(clf, unseen)
    clf.partial_fit(X[200:], y[200:])
    assert clf.predict(unseen).tolist() == best_by_membership(clf, unseen)


def test_removed_boxes_take_their_quantised_bounds_with_them():
    clf = classifier()
    X, y = table(7, 500)
    unseen, _ = table(8, 100)
    clf.fit(X, y)
    rng = np.random.default_rng(0)
    for _ in range(30):
        ids = clf._model.engine.snapshot()["id"]
        clf._model.engine.remove(int(rng.choice(ids)))
        if clf.n_boxes_ % 3 == 0:  # and others come in their place
            more, labels = table(int(rng.integers(1e6)), 2)
            clf.partial_fit(more, labels)
    assert clf.predict(unseen).tolist() == best_by_membership(clf, unseen)


def test_boxes_come_go_and_are_requantised_some_at_a_time_after_a_row_far_away():
    clf = classifier()
    X, y = table(12, 900)
    unseen, _ = table(13, 60)
    clf.partial_fit(X[:700], y[:700])
    assert clf.n_boxes_ > 500  # not requantised by a few rows
    rng = np.random.default_rng(1)
    for i, far in enumerate([3.0, 30.0, -30.0]):
        begin = 700 + 20 * i
        X[begin, :3] = far
        for row in range(begin, begin + 20):
            clf.partial_fit(X[row : row + 1], y[row : row + 1])
            ids = clf._model.engine.snapshot()["id"]
            clf._model.engine.remove(int(ids[rng.integers(0, 40)]))
            assert clf.predict(unseen).tolist() == best_by_membership(clf, unseen)


def test_other_settings_while_boxes_are_requantised():
    clf = classifier()
    X, y = table(16, 900)
    unseen, _ = table(17, 100)
    clf.partial_fit(X[:700], y[:700])
    X[700, :3], X[720, :3] = 30.0, -300.0
    for begin, gamma in ((700, 1.0), (720, 2.0)):
        clf.set_params(gamma=gamma)
        for row in range(begin, begin + (3 if begin == 700 else 40)):
            clf.partial_fit(X[row : row + 1], y[row : row + 1])
    assert clf.predict(unseen).tolist() == best_by_membership(clf, unseen)


@pytest.mark.parametrize("gamma", [[1e-320, 1e6, 1.0, 1.0], [5e-324, 300.0, 1e-9, 1.0]])
def test_features_that_hardly_count_have_no_quantised_bounds(gamma):
    clf = classifier(gamma=gamma)
    X, y = table(14, 200)
    X[::2, 1] = X[1::3, 2] = np.nan
    clf.fit(X, y)
    assert clf.predict(X).tolist() == best_by_membership(clf, X)


def test_thousands_of_categories_add_up_to_a_share_of_one():
    n_columns = 4_000
    engine = EntropyEngine(
        n_categorical=n_columns, theta=1.0, delta=0.5, alpha=0.5, gamma=[], mean=False,
        low=[], high=[], growing=[],
    )  # fmt: skip
    codes, empty = np.zeros((500, n_columns), dtype=np.int32), np.empty((500, 0))
    codes[:, 0] = 1
    engine.learn(empty[:5], empty[:5], codes[:5], np.zeros(5, dtype=np.int32))
    codes[:, 0] = 0
    for rows in (*[500] * 60, 121):  # a number whose multiples do not fit into a float
        one = np.ones(rows, dtype=np.int32)
        engine.learn(empty[:rows], empty[:rows], codes[:rows], one)
    assert engine.predict(empty[:1], empty[:1], codes[:1]).tolist() == [1]


def test_other_settings_and_copies_quantise_anew():
    clf = classifier()
    X, y = table(9, 400)
    unseen, _ = table(10, 100)
    clf.fit(X, y)
    for gamma in ([1.0, 1.0, 50.0, 1.0], 0.05, 4.0):
        clf.set_params(gamma=gamma).partial_fit(X[:1], y[:1])
        assert clf.predict(unseen).tolist() == best_by_membership(clf, unseen)
        again = copy.deepcopy(clf)
        assert again.predict(unseen).tolist() == clf.predict(unseen).tolist()


def test_boxes_within_one_unit_of_each_other_are_told_apart():
    # A unit is a 255th of the range, and here 1,000 boxes lie within one.
    rng = np.random.default_rng(11)
    X = np.concatenate([[0.0, 1.0], 0.5 + rng.random(1_000) / 2_000])[:, None]
    y = rng.integers(0, 5, len(X))
    clf = EIOLGFMM(theta=1e-9, version=2).partial_fit(X, y)
    unseen = (0.4999 + rng.random(300) / 1_000)[:, None]
    for row in unseen:  # one at a time: many together are searched in another way
        assert clf.predict([row]).tolist() == best_by_membership(clf, row[None])


GROWTH: dict[str, Callable[[int], float]] = {
    "not": lambda row: 1.0,
    "slowly": lambda row: 1.0 + row / 100,
    "at once": lambda row: 40.0 if row == 250 else 1.0,
    "both ways": lambda row: (-1.6) ** (row // 60),
}


def crowded(seed: int, grows: str, theta: float, delta: float, gaps: float) -> Stream:
    """Boxes in the same places with the same categories, on a grid: many just fit, or just meet."""
    rng = np.random.default_rng(seed)
    rows, steps = 420, 20
    factor = np.array([GROWTH[grows](row) for row in range(rows)])
    low = rng.integers(0, steps, (rows, 3)) / steps * factor[:, None]
    high = low + rng.integers(0, 3, (rows, 3)) / steps * (rng.random((rows, 3)) < 0.2)
    missing = rng.random((rows, 3)) < gaps
    low[missing] = high[missing] = np.nan
    values = rng.integers(0, 2, (rows, 2))
    return Stream(
        theta=theta,
        delta=delta,
        alpha=0.5,
        gamma=[1.0, 0.3, 2.0],
        condition="mean" if seed % 2 else "each",
        fixed_range=False,
        lower=low.tolist(),
        upper=high.tolist(),
        values=[[f"v{v}" for v in row] for row in values.tolist()],
        labels=rng.choice([UNLABELLED, 0, 1, 2], rows, p=[0.1, 0.3, 0.3, 0.3]).tolist(),
    )


@pytest.mark.parametrize(
    ("grows", "gaps", "theta", "delta"),
    mostly_long(
        [
            (grows, gaps, theta, delta)
            for grows in GROWTH
            for gaps in (0.0, 0.2)
            for theta, delta in [(0.1, 1.0), (0.25, 1.0), (0.25, 0.6), (0.02, 0.9)]
        ],
        quick=[
            *(("not", 0.0, 0.1, 1.0), ("not", 0.2, 0.25, 0.6)),
            *(("slowly", 0.0, 0.25, 1.0), ("slowly", 0.2, 0.02, 0.9)),
            *(("at once", 0.0, 0.02, 0.9), ("at once", 0.2, 0.1, 1.0)),
            *(("both ways", 0.0, 0.25, 0.6), ("both ways", 0.2, 0.25, 1.0)),
        ],
    ),
)
def test_boxes_that_may_take_a_row_and_those_in_the_way_are_found(grows, gaps, theta, delta):
    for seed in (20, 21):
        stream = crowded(seed, grows, theta, delta, gaps)
        X, upper = stream.table()
        clf = stream.classifier().partial_fit(X, stream.labels, upper=upper)
        assert_same_boxes(clf, stream.reference())
