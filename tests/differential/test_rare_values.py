"""Columns of many values: the index looks up boxes that hold a rare one; no result changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boxwise
from boxwise import EIOLGFMM

from .side_by_side import SideBySide

CATEGORICAL = [2, 3, 4]


def table(n_rows: int, seed: int, values: int = 1_500) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers on a grid, so that boxes tie; a short column, two of frequent and rare values."""
    rng = np.random.default_rng(seed)
    shares = (np.arange(values) + 1.0) ** -1
    X = np.empty((n_rows, 5), dtype=object)
    X[:, :2] = rng.integers(0, 9, (n_rows, 2)) / 8
    X[:, 2] = rng.integers(0, 3, n_rows)
    for j in (3, 4):
        X[:, j] = [f"v{i}" for i in rng.choice(values, n_rows, p=shares / shares.sum())]
    return X, rng.integers(0, 2, n_rows)


def classifier(theta: float, delta: float, version: int) -> EIOLGFMM:
    return EIOLGFMM(theta, delta, version, categorical_features=CATEGORICAL)


def assert_all_answer_alike(clf: Any, unseen: np.ndarray) -> None:
    """Ask for all there is; engines with and without an index must say the same, or it raises."""
    assert isinstance(clf._model.engine, SideBySide)
    clf._model.engine.snapshot()
    clf.predict(unseen)
    clf.predict_proba(unseen)


@pytest.mark.parametrize(
    ("theta", "delta", "version"),
    [(0.1, 0.3, 1), (0.3, 0.9, 1), (0.3, 0.6, 2), (1.0, 1.0, 2)],
)
def test_rare_and_frequent_values_and_boxes_with_several(theta, delta, version):
    X, y = table(4_000, 1)
    unseen, _ = table(300, 2, 3_000)  # half of the values were never learned
    assert_all_answer_alike(classifier(theta, delta, version).fit(X, y), unseen)


def change(clf: Any, seed: int) -> None:
    """Delete boxes and merge others, of both classes."""
    rng = np.random.default_rng(seed)
    clf._model.remove(sorted(rng.choice(len(clf.boxes_), 300, replace=False).tolist()))
    for label in (0, 1):
        ids = clf._model.engine.snapshot()["id"][clf.boxes_.labels == label]
        for kept, other in rng.choice(ids, (40, 2), replace=False):
            clf._model.engine.merge(int(kept), int(other))


def test_deleting_merging_saving_and_learning_on(tmp_path):
    X, y = table(3_000, 3)
    unseen, _ = table(200, 4, 3_000)
    clf = classifier(0.1, 0.3, 1).fit(X[:2_400], y[:2_400])
    change(clf, 5)
    clf.partial_fit(X[2_400:2_700], y[2_400:2_700])
    clf.save(tmp_path / "model.boxwise")
    clf = boxwise.load(tmp_path / "model.boxwise")
    change(clf, 6)
    assert_all_answer_alike(clf.partial_fit(X[2_700:], y[2_700:]), unseen)


def test_codes_above_65_536_and_a_box_that_holds_thousands_of_them():
    many = 66_000
    X = np.empty((many, 5), dtype=object)
    X[:, :2] = 0.5
    X[:, 2:4] = 0
    X[:, 4] = [f"v{i}" for i in range(many)]
    more, y = table(1_500, 7)
    more[:, 4] = [f"v{i}" for i in np.random.default_rng(8).integers(many - 800, many + 400, 1_500)]
    unseen, _ = table(200, 9)
    unseen[:, 4] = [f"v{i}" for i in range(many - 400, many + 400, 4)]
    clf = classifier(1.0, 1.0, 2).fit(X, np.zeros(many, dtype=int))
    clf.set_params(theta=0.05, delta=0.1, version=1).partial_fit(more, y)
    assert max(len(counts[2]) for counts in clf.boxes_.counts) > 10_000
    assert_all_answer_alike(clf, unseen)
    clf._model.remove([0])
    assert_all_answer_alike(clf, unseen)


def test_the_lists_take_memory_only_where_there_are_many_values():
    rng = np.random.default_rng(10)
    sizes = []
    for values in (8, 50_000):
        X = np.empty((3_000, 5), dtype=object)
        X[:, :2] = rng.random((3_000, 2))
        X[:, 2:] = rng.integers(0, 8, (3_000, 3))
        X[:, 4] = rng.integers(0, values, 3_000)
        clf = classifier(0.001, 0.1, 1).fit(X, np.zeros(3_000, dtype=int))
        indexed = clf._model.n_bytes
        clf._model.set_index("off")
        sizes.append((indexed - clf._model.n_bytes) / len(clf.boxes_))
    few, many = sizes
    assert 0 < few < many < few + 48  # bytes of a box
