"""Many rows are predicted with the boxes in spatial order, and the answers stay the same."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from boxwise import ImprovedOnlineGFMM, OnlineGFMM
from boxwise.reference.eiol import EIOL
from boxwise.reference.online import Online

ROWS, BOXES = 128, 16  # from which on it is done, as native/engine/predict.cpp has them
HULLS = 6 * 16  # boxes from which on they are put in order, as native/index/packed_copy.cpp has it


def table(kind: str, n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    if kind == "grid":  # ties everywhere
        X = rng.integers(0, 9, (n_rows, 4)) / 8
    elif kind == "line":  # no spread in two of three features
        X = np.column_stack([rng.random(n_rows), np.full((n_rows, 2), 0.5)])
    else:
        X = rng.random((n_rows, 5))
    if kind == "missing":
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, rng.integers(0, 2, n_rows)


def largest_class(clf: Any) -> int:
    return int(np.bincount(clf.boxes_.labels).max())


def samples(X: np.ndarray) -> Iterator[tuple[list[float], list[float], list[str]]]:
    """The rows as the specification takes them: a missing value is an interval inside out."""
    for lower, upper in zip(
        np.nan_to_num(X, nan=np.inf), np.nan_to_num(X, nan=-np.inf), strict=True
    ):
        yield lower.tolist(), upper.tolist(), []


@pytest.mark.parametrize("kind", ["grid", "line", "random", "missing"])
@pytest.mark.parametrize("learner", [ImprovedOnlineGFMM, OnlineGFMM])
def test_many_rows_get_the_answers_of_a_few(learner, kind):
    X, y = table(kind, 2_000, 1)
    unseen, _ = table(kind, 300, 2)
    theta = 0.002 if kind == "line" else 0.05
    clf = learner(theta=theta, feature_range=(0, 1)).fit(X, y)
    assert largest_class(clf) > HULLS
    unasked = copy.deepcopy(clf)  # it counts the rows it was asked for
    together = clf.predict(unseen).tolist()
    shares = clf.predict_proba(unseen).tolist()
    for begin in range(0, len(unseen), ROWS - 1):
        part = slice(begin, begin + ROWS - 1)
        assert copy.deepcopy(unasked).predict(unseen[part]).tolist() == together[part]
        assert copy.deepcopy(unasked).predict_proba(unseen[part]).tolist() == shares[part]


@pytest.mark.parametrize("n_rows", [60, 600])
@pytest.mark.parametrize("kind", ["grid", "random", "missing"])
@pytest.mark.parametrize("algorithm", ["IOL", "Onln"])
def test_the_answers_are_those_of_the_specification(algorithm, kind, n_rows):
    X, y = table(kind, n_rows, 3)
    unseen, _ = table(kind, ROWS, 4)
    gamma, ranges = [1.0] * X.shape[1], [(0.0, 1.0)] * X.shape[1]
    if algorithm == "IOL":
        clf = ImprovedOnlineGFMM(0.05, feature_range=(0, 1))
        reference = EIOL(0.05, 1.0, 1.0, gamma, ranges=ranges, growing=False)
    else:
        clf = OnlineGFMM(0.05, feature_range=(0, 1))
        reference = Online(0.05, gamma, ranges, growing=False)
    clf.fit(X, y)
    for sample, label in zip(samples(X), y.tolist(), strict=True):
        reference.learn(*sample, label)
    assert (largest_class(clf) > HULLS) == (n_rows > 60) and largest_class(clf) >= BOXES
    expected = [reference.predict(*sample) for sample in samples(unseen)]
    assert clf.predict(unseen).tolist() == expected


def test_what_is_learned_after_a_prediction_counts_in_the_next():
    X, y = table("random", 1_500, 5)
    unseen, _ = table("random", 2 * ROWS, 6)
    clf = ImprovedOnlineGFMM(0.05, feature_range=(0, 1))
    for begin in range(0, len(X), 300):
        rows = slice(begin, begin + 300)
        clf.partial_fit(X[rows], y[rows], classes=[0, 1])
        at_once = ImprovedOnlineGFMM(0.05, feature_range=(0, 1)).fit(
            X[: begin + 300], y[: begin + 300]
        )
        assert clf.predict(unseen).tolist() == at_once.predict(unseen).tolist()
    assert largest_class(clf) >= BOXES
    clf.partial_fit(unseen, np.full(len(unseen), 1))
    assert clf.predict(unseen).tolist() == [1] * len(unseen)
