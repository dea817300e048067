"""Monotone columns: the engine against the specification, and whether probabilities are."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise import HyperboxClassifier, dumps, loads, merge
from boxwise.learners.base.settings import PRIORS
from boxwise.reference.additive import HATS, Filter
from boxwise.reference.evidence import Evidence
from boxwise.reference.expert import RangeScale
from boxwise.reference.quantiles import QuantileScale

from .cases import mostly_long
from .evidence_pairs import KINDS, Pair, Rows, learn, random_rows, state
from .streams import UNLABELLED

CONSTRAINTS: dict[str, dict[int, dict[int, int]]] = {
    "rises": {0: {1: 1}},
    "falls": {0: {1: -1}},
    "first class": {0: {0: 1}},
    "late class": {0: {2: -1}},
    "two columns": {0: {1: 1}, 1: {0: -1}},
    "no such class": {0: {77: 1}},
}


class MonotonePair(Pair):
    """The engine and the specification with the same constraints."""

    def __init__(self, n: int, r: int, cst: dict[int, dict[int, int]], **parameters: Any) -> None:
        super().__init__(n, r, **parameters)
        self.clf.set_params(monotonic_cst=cst)
        scale: Any = QuantileScale if self.clf.scale == "quantile" else RangeScale
        monotone = {j: next(iter(one.items())) for j, one in cst.items()}
        self.reference = Evidence(
            self.clf.theta, self.clf.delta, self.clf.max_boxes, self.clf.adapt,
            PRIORS[self.clf.class_prior], scale, True, monotone,
        )  # fmt: skip


CASES = [*product(CONSTRAINTS, ("mixed", "numbers", "missing", "intervals", "late", "all"))]


@pytest.mark.parametrize(
    ("constraint", "kind"),
    mostly_long(
        CASES,
        quick=[
            ("rises", "mixed"), ("falls", "intervals"), ("late class", "late"),
            ("two columns", "all"), ("no such class", "numbers"),
        ],
    ),
)  # fmt: skip
@pytest.mark.parametrize("classes", [2, 3])
def test_engine_equals_the_specification_with_constraints(constraint, kind, classes):
    rows = random_rows(len(kind), 300, **{**KINDS[kind], "classes": classes})
    pair = MonotonePair(
        rows.lower.shape[1], rows.values.shape[1], CONSTRAINTS[constraint],
        scale=("range", "quantile")[classes % 2],
    )  # fmt: skip
    for begin in range(0, len(rows), 100):
        pair.learn(rows[begin : begin + 100])
        pair.check(rows[max(begin - 10, 0) : begin + 20])


def test_engine_equals_the_specification_with_decoupled_weights():
    rows = random_rows(3, 250, 9, 9, classes=3, vocabulary=14)
    pair = MonotonePair(9, 9, {2: {1: 1}, 8: {2: -1}})
    pair.learn(rows)
    assert pair.reference.layer is not None
    assert pair.reference.layer.is_decoupled
    pair.check(rows[:10])


def test_engine_equals_the_specification_after_changes():
    rows = random_rows(6, 1300, 2, 1, classes=2, noise=0.02, shifts=(700,))
    pair = MonotonePair(2, 1, {1: {0: 1}})
    pair.learn(rows)
    pair.check(rows[:20])


@given(
    st.lists(st.floats(-5, 5), min_size=HATS, max_size=HATS),
    st.floats(-5, 5),
    st.sampled_from([1, -1]),
)
def test_projection_is_the_isotonic_fit_in_the_maximum_norm(hats, linear, direction):
    one = Filter(1e-5)
    one.meet([("numeric", 0, "linear"), *(("numeric", 0, k) for k in range(HATS))])
    one.weights |= {("numeric", 0, "linear"): linear}
    one.weights |= {("numeric", 0, k): value for k, value in enumerate(hats)}
    one.project(0, direction)
    fitted = [one.weights["numeric", 0, k] for k in range(HATS)]
    assert all(direction * (b - a) >= 0 for a, b in pairwise(fitted))
    assert one.weights["numeric", 0, "linear"] == (linear if direction * linear > 0 else 0)
    # No monotone sequence can be closer than half of the largest inversion.
    inversions = [direction * (hats[i] - hats[k]) for k in range(HATS) for i in range(k + 1)]
    distance = max(abs(a - b) for a, b in zip(hats, fitted, strict=True))
    assert distance == pytest.approx(max(*inversions, 0) / 2, abs=1e-12)
    again = dict(one.weights)
    one.project(0, direction)
    assert one.weights == again


def assert_monotone(clf: HyperboxClassifier, rows: Rows, cst: dict[int, dict[int, int]]) -> None:
    grid = np.concatenate([np.linspace(-4, 4, 41), [-1e6, 1e6]])
    grid.sort()
    classes = clf.classes_.tolist()
    for j, one in cst.items():
        ((label, sign),) = one.items()
        if label not in classes:
            continue
        for i in range(len(rows)):
            many = rows[np.full(len(grid), i)]
            width = many.upper[:, j] - many.lower[:, j]
            many.lower[:, j] = grid
            many.upper[:, j] = grid + np.nan_to_num(width)
            p = clf.predict_proba(**many.table)[:, classes.index(label)]
            assert (sign * np.diff(p)).min() >= -1e-9


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(0, 10_000),
    st.sampled_from([2, 3]),
    st.sampled_from(["mixed", "missing", "intervals", "ties", "all"]),
    st.sampled_from([*CONSTRAINTS]),
    st.sampled_from([*PRIORS]),
    st.integers(1, 200),
)
def test_probabilities_are_monotone_at_any_moment(seed, classes, kind, name, prior, learned):
    cst = CONSTRAINTS[name]
    rows = random_rows(seed, 200, **{**KINDS[kind], "classes": classes, "weights": ()})
    clf = HyperboxClassifier(
        categorical_features=[2, 3], unlabelled=UNLABELLED, class_prior=prior, monotonic_cst=cst
    )
    learn(clf, rows[:learned])
    if clf._model.classes:
        assert_monotone(clf, rows[:8], cst)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_boxes_are_those_of_a_column_that_is_always_missing(name):
    cst = CONSTRAINTS[name]
    rows = random_rows(4, 300, classes=3)
    blind = random_rows(4, 300, classes=3)
    for j in cst:
        blind.lower[:, j] = blind.upper[:, j] = np.nan
    given = {"categorical_features": [2, 3], "unlabelled": UNLABELLED, "feature_range": (-3, 3)}
    a = learn(HyperboxClassifier(scale="range", monotonic_cst=cst, **given), rows)
    b = learn(HyperboxClassifier(scale="range", **given), blind)
    first, second = a._model.engine.snapshot(), b._model.engine.snapshot()
    for array in ("V", "W", "n", "id", "times", "relevance", "members"):
        np.testing.assert_array_equal(first[array], second[array])
    np.testing.assert_array_equal(a.support(**rows.table), b.support(**blind.table))
    np.testing.assert_array_equal(a.membership(**rows.table), b.membership(**blind.table))
    answers = [c._model.engine.terms(*_one(its, c)) for c, its in ((a, rows), (b, blind))]
    np.testing.assert_array_equal(answers[0]["by_boxes"], answers[1]["by_boxes"])


def _one(rows: Rows, clf: HyperboxClassifier) -> tuple[Any, ...]:
    batch = clf._encode(rows.table["X"][:1], clf._model.schema, None)
    return batch.lower, batch.upper, batch.codes


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_chunks_files_and_threads_make_no_difference(name):
    cst = CONSTRAINTS[name]
    rows = random_rows(8, 300, classes=3, missing=0.1, weights=(0.5, 1.0, 2.5))
    every = {"categorical_features": [2, 3], "unlabelled": UNLABELLED, "monotonic_cst": cst}
    whole = learn(HyperboxClassifier(**every), rows)
    alone = HyperboxClassifier(**every)
    for i in range(len(rows)):
        learn(alone, rows[i : i + 1])
    assert state(alone) == state(whole)
    halves = loads(dumps(learn(HyperboxClassifier(**every), rows[:150])))
    assert state(learn(halves, rows[150:])) == state(whole)
    many = whole.predict_proba(**rows.table)
    whole.set_params(n_jobs=3)
    np.testing.assert_array_equal(whole.predict_proba(**rows.table), many)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_merged_models_are_monotone(name, classes):
    cst = CONSTRAINTS[name]
    rows = random_rows(12, 400, classes=classes, missing=0.1)
    parts = [
        learn(HyperboxClassifier(categorical_features=[2, 3], monotonic_cst=cst), rows[i : i + 100])
        for i in range(0, 400, 100)
    ]
    merged = merge(parts)
    assert_monotone(merged, rows[:10], cst)
    learn(merged, rows[:50])
    assert_monotone(merged, rows[:10], cst)
