"""Boxes sorted for many rows, of which whole lots are left out, say what all boxes say.

In this folder models have their engine several times: with the index off all boxes are asked, in
the order they came; with it on, they are sorted for the first row that is predicted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boxwise import HyperboxClassifier

from .side_by_side import SideBySide

ROWS = 1_500


def clustered(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return clusters of different density, with gaps and three kinds of categories."""
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, 9, ROWS)
    X = np.empty((ROWS, 7), dtype=object)
    spread = np.array([0.001, 0.02, 0.3])[cluster % 3]
    X[:, :4] = rng.random((9, 4))[cluster] + rng.normal(0, 1, (ROWS, 4)) * spread[:, None]
    X[rng.random(ROWS) < 0.15, 1] = np.nan
    X[:, 3] = np.round(X[:, 3].astype(float), 1)  # ties
    X[:, 4] = [f"v{v}" for v in (cluster + rng.integers(0, 2, ROWS)) % 5]
    X[:, 5] = [f"v{v}" for v in rng.integers(0, 400, ROWS)]  # share bits
    X[:, 6] = "always"
    return X, (cluster + (rng.random(ROWS) < 0.1)) % 3


SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "narrow": {"bandwidth": 0.003, "backoff": 1e-6, "temperature": 1.0},
    "wide": {"bandwidth": 3.0, "backoff": 30.0, "temperature": 1.0},
    "lasting": {"bandwidth": 0.02, "backoff": 0.3, "temperature": 1.0, "forget": False},
    "quantile": {"bandwidth": 0.02, "backoff": 0.3, "temperature": 1.0, "scale": "quantile"},
    "balanced": {"bandwidth": 0.02, "backoff": 0.3, "temperature": 1.0, "class_prior": "balanced"},
}


def classifier(theta: float, **parameters: Any) -> HyperboxClassifier:
    return HyperboxClassifier(theta, 0.4, categorical_features=[4, 5, 6], **parameters)


def assert_same_as_all(clf: HyperboxClassifier, X: np.ndarray, upper: Any = None) -> None:
    """Ask; the engines side by side compare what they say, bit for bit."""
    assert isinstance(clf._model.engine, SideBySide)
    probabilities = clf.predict_proba(X, upper=upper)
    named = clf.classes_[probabilities.argmax(axis=1)]
    assert clf.predict(X, upper=upper).tolist() == named.tolist()


@pytest.mark.parametrize("theta", [0.0, 0.1])
@pytest.mark.parametrize("parameters", SETTINGS.values(), ids=SETTINGS.keys())
def test_sorted_boxes_say_what_all_boxes_say(parameters: dict[str, Any], theta: float) -> None:
    X, y = clustered(1)
    clf = classifier(theta, **parameters)
    clf.partial_fit(X[:1_100], y[:1_100])
    unseen = X[1_100:].copy()
    unseen[::7, 5] = "never seen"
    unseen[::5, 4] = None
    unseen[::11, 0] = 40.0  # far outside
    unseen[::13, 2] = np.nan
    for begin in range(0, 400, 133):
        assert_same_as_all(clf, unseen[begin : begin + 133])
        clf.partial_fit(X[begin : begin + 3], y[begin : begin + 3])  # others have to be made


def test_rows_that_are_intervals() -> None:
    X, y = clustered(2)
    clf = classifier(0.05, bandwidth=0.02, backoff=0.3, temperature=1.0).fit(X[:1_000], y[:1_000])
    width = np.random.default_rng(3).exponential(0.2, (200, 4))
    assert_same_as_all(clf, X[1_000:1_200], X[1_000:1_200, :4].astype(float) + width)


def test_outlines_that_are_being_redrawn() -> None:
    X, y = clustered(4)
    clf = classifier(0.0, bandwidth=0.02, backoff=0.3, temperature=1.0)
    clf.partial_fit(X[:1_000], y[:1_000])
    for i, far in enumerate([3.0, -30.0, 300.0]):
        X[1_000 + i, :3] = far
        clf.partial_fit(X[1_000 + i : 1_001 + i], y[1_000 + i : 1_001 + i])
        assert_same_as_all(clf, X[1_100:1_150])


@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_one_kind_of_columns_alone(kind: str) -> None:
    X, y = clustered(5)
    X = X[:, :4] if kind == "numbers" else X[:, 4:]
    clf = HyperboxClassifier(
        0.0, 0.1, categorical_features=[] if kind == "numbers" else [0, 1, 2],
        bandwidth=0.02, backoff=1e-5, temperature=1.0,
    ).fit(X[:1_200], y[:1_200])  # fmt: skip
    assert_same_as_all(clf, X[1_200:])


def test_as_users_have_it_they_are_sorted_for_many_rows(monkeypatch) -> None:
    monkeypatch.undo()  # one engine
    rng = np.random.default_rng(6)
    X, y = rng.random((8_000, 3)), rng.integers(0, 2, 8_000)
    clf = HyperboxClassifier(0.0, bandwidth=0.01, temperature=1.0).fit(X[:5_000], y[:5_000])
    assert not isinstance(clf._model.engine, SideBySide)
    few = np.concatenate([clf.predict_proba(X[i : i + 100]) for i in range(5_000, 6_000, 100)])
    many = clf.predict_proba(X[5_000:])
    np.testing.assert_array_equal(many[:1_000], few)
    assert clf.predict(X[5_000:]).tolist() == clf.classes_[many.argmax(axis=1)].tolist()
    clf._model.set_index("off")
    np.testing.assert_array_equal(clf.predict_proba(X[5_000:]), many)
    clf._model.set_index("auto")
    clf.partial_fit(X[5_000:5_001], y[5_000:5_001])
    assert (clf.predict_proba(X[5_000:]) != many).any()
