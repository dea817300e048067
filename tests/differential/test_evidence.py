"""The engine of HyperboxClassifier against the specification."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise.core import Model
from boxwise.learners.changes import EVENTS
from boxwise.reference.evidence import MOST_CHANGES, Change

from .cases import mostly_long
from .evidence_pairs import KINDS, Pair, Rows, random_rows
from .streams import Stream, streams

BUDGETS = (1, 5, 30, 100, None)
SCALES = ("quantile", "range")
CLASS_PRIORS = ("data", "balanced", "auto")
# Each kind once, with budgets, scales and class priors in turn.
QUICK = [(kind, BUDGETS[i % 5], SCALES[i % 2], CLASS_PRIORS[i % 3]) for i, kind in enumerate(KINDS)]
# Every kind with every budget, and both with every scale and class prior.
BOTH = [*product(SCALES, CLASS_PRIORS)]
PAIRS = [
    (kind, max_boxes, *BOTH[(i + 2 * j + k) % len(BOTH)])
    for (i, kind), (j, max_boxes) in product(enumerate(KINDS), enumerate(BUDGETS))
    for k in (0, 3)
]


@pytest.mark.parametrize(
    ("kind", "max_boxes", "scale", "class_prior"),
    mostly_long([*dict.fromkeys([*QUICK, *PAIRS])], quick=QUICK),
)
def test_engine_equals_the_specification(kind, max_boxes, scale, class_prior):
    rows = random_rows(len(kind), 700 if kind == "many values" else 300, **KINDS[kind])
    unseen = random_rows(99, 10, **{**KINDS[kind], "weights": (), "vocabulary": 600})
    pair = Pair(
        rows.lower.shape[1], rows.values.shape[1],
        max_boxes=max_boxes, scale=scale, class_prior=class_prior,
    )  # fmt: skip
    for begin in range(0, len(rows), 100):
        pair.learn(rows[begin : begin + 100])
        pair.check(rows[max(begin - 10, 0) : begin + 20])
    pair.check(unseen)


def assert_equal_on(stream: Stream, scale: str, adapt: bool, class_prior: str) -> None:
    rows = Rows.of(stream)
    reading = {"max_boxes": stream.max_boxes}
    if scale == "range" and stream.fixed_range:
        reading["feature_range"] = (0, 1)
    pair = Pair(
        stream.n, rows.values.shape[1], theta=stream.theta, delta=stream.delta,
        scale=scale, adapt=adapt, class_prior=class_prior, **reading,
    )  # fmt: skip
    pair.learn(rows)
    pair.check(rows[:10])


SETTINGS = (st.sampled_from(SCALES), st.booleans(), st.sampled_from(CLASS_PRIORS))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(streams(max_rows=60), *SETTINGS)
def test_engine_equals_the_specification_whatever_the_settings(stream, scale, adapt, class_prior):
    assert_equal_on(stream, scale, adapt, class_prior)


@pytest.mark.long
@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(streams(), *SETTINGS)
def test_engine_equals_the_specification_on_longer_streams(stream, scale, adapt, class_prior):
    assert_equal_on(stream, scale, adapt, class_prior)


# Rows, the rows at which the rule changes, budgets, and what is to happen with each.
SHIFTS = {
    "replaced": (1300, (700,), (20, 30, 100, None), {"alarm", "replaced"}),
    "returned": (1700, (600, 1200), (100, None), {"alarm", "replaced", "returned"}),
    "dropped": (2200, (600, 640), (100,), {"alarm", "dropped"}),
}


@pytest.mark.parametrize(
    ("kind", "max_boxes"),
    mostly_long(
        [(kind, budget) for kind, (_, _, budgets, _) in SHIFTS.items() for budget in budgets],
        quick=[("replaced", 30), ("returned", 100), ("dropped", 100)],
    ),
)
def test_engine_follows_changes_as_the_specification_does(kind, max_boxes):
    n_rows, shifts, _, expected = SHIFTS[kind]
    rows = random_rows(6, n_rows, 2, 1, classes=2, noise=0.02, shifts=shifts)
    pair = Pair(2, 1, max_boxes=max_boxes)
    for begin in range(0, n_rows, 50):
        pair.learn(rows[begin : begin + 50])
        pair.check(rows[begin : begin + 2])
    assert expected <= {change.event for change in pair.reference.changes}


@pytest.mark.parametrize(("learned", "role"), [(600, "challenger"), (650, "retired")])
@pytest.mark.parametrize("changed", [{"adapt": False}, {"max_boxes": 10}, {"max_boxes": 25}])
def test_engine_goes_on_with_other_parameters_as_the_specification_does(learned, role, changed):
    rows = random_rows(6, 700, 2, 1, classes=2, noise=0.02, shifts=(540,))
    pair = Pair(2, 1, max_boxes=40)
    pair.learn(rows[:learned])
    assert [expert.role for expert in pair.reference.experts] == ["current", role]
    pair.clf.set_params(**changed)
    pair.reference.configure(pair.clf.max_boxes, adapt=pair.clf.adapt)
    pair.learn(rows[learned:])
    pair.check(rows[:5])
    events = [change.event for change in pair.reference.changes]
    gone = role == "challenger" and changed != {"max_boxes": 25}
    assert events.count("dropped") == gone


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("most", [None, 100, 40, 5])
def test_engine_unites_boxes_that_are_alike_as_the_specification_does(seed, most):
    n, r = [(2, 0), (0, 3), (2, 2), (4, 1)][seed % 4]
    rows = random_rows(seed, 260, n, r, classes=3, missing=0.1, unlabelled=0.1)
    options = {"theta": 0.2, "delta": 0.1, "scale": ("range", "quantile")[seed % 2]}
    pair = Pair(n, r, max_boxes=None, adapt=False, **options)
    pair.learn(rows[:200])
    before = len(pair.reference.boxes)
    pair.clf._model.engine.merge_alike(most or 0)
    pair.reference.experts[0].merge_alike(most, pair.clf.theta, pair.clf.delta)
    assert len(pair.reference.boxes) <= (most or before - 1)
    pair.check(rows[200:210])
    pair.learn(rows[200:])
    pair.check(rows[:10])


def test_only_the_latest_changes_are_kept():
    rows = random_rows(6, 800, 2, 1, classes=2, noise=0.02, shifts=(540,))
    pair = Pair(2, 1, max_boxes=40)
    pair.learn(rows[:500])
    header, arrays = pair.clf._model.to_state()
    old = np.zeros((MOST_CHANGES + 5, arrays["changes"].shape[1]))  # as older versions wrote them
    old[:, 0], old[:, 1] = range(len(old)), EVENTS.index("dropped")
    pair.clf._model = Model.from_state(header, arrays | {"changes": old})
    pair.reference.changes.extend(Change(row, "dropped", 0.0, 0.0) for row in range(len(old)))
    assert [change.row for change in pair.clf.changes_] == [*range(5, len(old))]
    pair.learn(rows[500:])
    assert len(pair.clf.changes_) == MOST_CHANGES
    assert {change.event for change in pair.clf.changes_[-2:]} == {"alarm", "replaced"}
    pair.check(rows[:5])


@pytest.mark.parametrize("seed", [0, 2])
def test_retired_boxes_that_weigh_the_same_are_kept_by_age(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 8, 1_100)
    labels = np.where(np.arange(1_100) < 600, values, values + 1) % 10
    numbers = rng.random((1_100, 1))
    rows = Rows(numbers, numbers, np.array([[f"v{v}"] for v in values], object), labels)
    pair = Pair(1, 1, max_boxes=60, theta=0.0, delta=0.0)  # boxes of one row, equally new
    for begin in range(0, 1_100, 100):
        pair.learn(rows[begin : begin + 100])
        pair.check(rows[begin : begin + 2])
    assert "replaced" in [change.event for change in pair.clf.changes_]
