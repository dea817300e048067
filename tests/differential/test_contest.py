"""Classes are left out that cannot win, and the last one is not asked: the label is the same.

With the index off all boxes of all classes are asked. Probabilities need all classes in any case,
so the label that they name is compared, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.learners.settings import evidence_settings

from .test_terrain import assert_same_as_all

ROWS = 1_400
CATEGORIES = 10


def contested(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return clusters of four classes; the latest rows have columns of two of them."""
    rng = np.random.default_rng(seed)
    cluster, other = rng.integers(0, 8, (2, ROWS))
    mixed = rng.random((ROWS, 3 + CATEGORIES)) < rng.random(ROWS)[:, None]
    mixed[: ROWS - 600] = False
    at = np.where(mixed, other[:, None], cluster[:, None])
    X = np.empty(mixed.shape, dtype=object)
    X[:, :3] = rng.random((8, 3))[at[:, :3], np.arange(3)] + rng.normal(0, 0.03, (ROWS, 3))
    strays = (
        rng.random((ROWS, CATEGORIES)) < 0.1
    )  # so large boxes see all values, most of them rarely
    usual = rng.integers(0, 6, (8, CATEGORIES))[at[:, 3:], np.arange(CATEGORIES)]
    X[:, 3:] = np.where(strays, rng.integers(0, 6, strays.shape), usual)
    X[:, 3:] = np.char.add("v", X[:, 3:].astype(int).astype(str))
    return X, cluster % 4


SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "narrow": {"bandwidth": 0.01, "backoff": 0.01, "temperature": 1.0},
    "wide": {"bandwidth": 0.4, "backoff": 32.0, "temperature": 4.0},
    "lasting": {"bandwidth": 0.1, "backoff": 0.3, "temperature": 0.5, "forget": False},
    "hot": {"bandwidth": 0.1, "backoff": 2.0, "temperature": 1e6},
    "balanced": {"bandwidth": 0.1, "backoff": 2.0, "temperature": 1.0, "class_prior": "balanced"},
}


@pytest.mark.parametrize("theta", [0.02, 0.5])
@pytest.mark.parametrize("parameters", SETTINGS.values(), ids=SETTINGS.keys())
def test_the_label_is_that_of_all_classes(parameters: dict[str, Any], theta: float) -> None:
    X, y = contested(1)
    clf = HyperboxClassifier(
        theta, 1.0, categorical_features=range(3, 3 + CATEGORIES), **parameters
    ).fit(X[: ROWS - 400], y[: ROWS - 400])
    unseen = X[ROWS - 400 :].copy()
    unseen[::7, 5] = "never seen"
    unseen[::9, 0] = np.nan
    unseen[::13, 1] = 40.0
    assert_same_as_all(clf, unseen)
    for i in range(30):  # one by one, with what another row changes in between
        assert_same_as_all(clf, unseen[i : i + 1])
        clf.partial_fit(X[i : i + 1], y[i : i + 1])


@pytest.mark.parametrize("bandwidth", [0.005, 0.05])
def test_a_class_whose_boxes_are_loud_together_alone(bandwidth: float) -> None:
    """Each of many boxes says less than one of another class; their sum may say more."""
    rng = np.random.default_rng(2)
    line = np.column_stack([rng.random(2_000), np.zeros(2_000)])
    places = np.repeat([[0.2, 0.5], [0.5, 0.5], [0.8, 0.5]], [600, 60, 6], axis=0)
    X = np.vstack([line, places + rng.normal(0, 0.003, places.shape)])
    y = np.repeat([0, 1], [len(line), len(places)])
    clf = HyperboxClassifier(0.0, bandwidth=bandwidth, temperature=1.0).fit(X, y)
    between = np.column_stack(
        [np.tile(np.linspace(0, 1, 40), 12), np.repeat(np.linspace(0, 0.5, 12), 40)]
    )
    assert_same_as_all(clf, between)
    assert set(clf.predict(between)) == {0, 1}


@pytest.mark.parametrize("first", [1.0, 2.0])
def test_a_ruler_that_draws_like_the_one_before_knows_who_was_never_measured(first: float) -> None:
    """A feature of hardly any slope has no scale, whatever its range; here it begins at 0, too."""
    rng = np.random.default_rng(0)
    clf = HyperboxClassifier(0.0)
    learning = EIOLGFMM(0.0, 0.3, 2, gamma=[1e-12, 1.0])
    clf._settings = lambda schema: evidence_settings(  # type: ignore[method-assign]
        learning._settings(schema), 1e6, 1.0, 1.0, "data", True
    )
    clf.partial_fit(np.column_stack([np.full(4, np.nan), [0.1, 0.2, 0.3, 0.4]]), [0, 1, 0, 1])
    clf.partial_fit([[first, 0.5], [first + 32, 0.5]], [0, 0])
    assert_same_as_all(clf, np.column_stack([rng.uniform(1, 33, 50), rng.random(50)]))
