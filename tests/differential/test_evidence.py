"""The decision by evidence: the engine against the specification."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise import HyperboxClassifier
from boxwise.core import EvidenceSettings, Model
from boxwise.reference import Box
from boxwise.reference.evidence import AGE, ALL_OF, AT_FIRST, MANY, Evidence
from boxwise.store.modelfile import pack

from .agreement import assert_same_boxes
from .cases import mostly_long
from .side_by_side import SideBySide
from .streams import UNLABELLED, Stream, streams

thorough = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
GRIDS = st.sampled_from([
    ([0.1], [2.0], [1.0]),
    ([1e-6], [1e-6], [0.1]),
    ([0.02, 0.4], [0.01, 8.0], [0.5, 1.0, 4.0]),
    ([0.05, 0.2, 1.0], [0.1, 1.0], [1.0]),
])  # fmt: skip


def pair(
    stream: Stream, grid: Any, powers: list[float], forget: bool = True
) -> tuple[HyperboxClassifier, Evidence]:
    """Return the engine and the specification, both having learned the stream."""
    bandwidths, backoffs, temperatures = grid
    X, upper = stream.table()
    clf = stream.by_evidence()
    by_evidence = EvidenceSettings(
        stream.theta, stream.gamma, stream.delta, stream.alpha, stream.condition == "mean",
        bandwidths, backoffs, temperatures, powers, forget, max_boxes=stream.max_boxes or 0,
    )  # fmt: skip
    clf._settings = lambda schema: by_evidence  # type: ignore[method-assign]
    clf.partial_fit(X, stream.labels, upper=upper)
    reference = Evidence(
        stream.theta, stream.delta, stream.alpha, stream.gamma, stream.condition,
        stream.ranges(), growing=not stream.fixed_range, max_boxes=stream.max_boxes,
        bandwidths=bandwidths, backoffs=backoffs, temperatures=temperatures, powers=powers,
        forget=forget,
    )  # fmt: skip
    return clf, stream.teach(reference)


def assert_same_record(
    clf: HyperboxClassifier, reference: Evidence, boxes_too: bool = True
) -> None:
    snapshot = clf._model.engine.snapshot()
    assert snapshot["losses"].tolist() == [*reference.losses.values()]
    tested = [reference.rows, reference.tests, reference.steps, reference.clock]
    assert snapshot["tested"].tolist() == tested
    if boxes_too:
        assert snapshot["last"].tolist() == [reference.last[id(box)] for box in reference.boxes]
    schema = clf._model.schema
    columns = [("number", j) for j in range(len(schema.continuous))]
    columns += [("category", j) for j in range(len(schema.categorical))]
    columns.append(AGE)
    reaches, steepness = snapshot["reaches"].tolist()
    assert reaches == [reference.reaches.get(column, 0.0) for column in columns]
    assert steepness == [reference.steepness.get(column, 0.0) for column in columns]
    assert_the_same_waits(snapshot, reference, columns)


def assert_the_same_waits(
    snapshot: dict[str, Any], reference: Evidence, columns: list[tuple[str, int]]
) -> None:
    test, step = reference.test, reference.step
    due, label, step_due = snapshot["waits"].tolist()
    assert (due, step_due) == (test.due if test else 0, step.due if step else 0)
    slopes = [step.slopes.get(column, 0.0) for column in columns] if step else []
    told = snapshot["step_slopes"].tolist()
    # Where a column cannot reach, the engine keeps a slope that nothing comes of.
    assert [x if y else 0.0 for x, y in zip(told, slopes, strict=True)] == slopes
    if not test:
        assert snapshot["test_scores"].size == 0
        return
    assert reference.classes[label] == test.label
    sizes, *scores = snapshot["test_scores"].tolist()
    assert sizes == test.sizes
    # Pairs that say the same as others are not asked.
    for mine, other in zip(scores, test.scores.values(), strict=True):
        assert mine == other or np.isneginf(mine).all()


@thorough
@given(streams(), GRIDS, st.sampled_from([[0.0], [1.0], [0.0, 0.5, 1.0]]), st.booleans())
def test_boxes_choices_and_answers_are_those_of_the_specification(stream, grid, powers, forget):
    clf, reference = pair(stream, grid, powers, forget)
    assert_same_boxes(clf, reference)
    X, upper = stream.table()
    if not reference.classes:
        with pytest.raises(ValueError, match="no row with a label"):
            clf.predict(X, upper=upper)
        return
    assert_same_record(clf, reference)
    assert tuple(clf._model.engine.chosen) == reference.chosen
    shares = clf.predict_proba(X, upper=upper)
    predicted = clf.predict(X, upper=upper)
    order = [reference.classes.index(label) for label in clf.classes_]
    for row, answer, sample in zip(shares, predicted, stream.samples(), strict=True):
        p = reference.probabilities(*sample)
        # Where classes tie, predict_proba lets the winner stand out by the last digit.
        np.testing.assert_allclose(row, [p[k] for k in order], rtol=1e-15, atol=0)
        assert answer == reference.predict(*sample)
    assert (clf.classes_[shares.argmax(axis=1)] == predicted).all()


def assert_same_responsibilities(clf: HyperboxClassifier, reference: Evidence, stream: Stream):
    X, upper = stream.table()
    carried = clf.responsibilities(X, upper=upper)
    for row, sample in zip(carried.tolist()[:40], stream.samples(), strict=False):
        assert row == reference.responsibilities(*sample)
    labels, shares = clf.boxes_.labels, clf.predict_proba(X, upper=upper)
    for k, label in enumerate(clf.classes_):
        np.testing.assert_allclose(
            carried[:, labels == label].sum(axis=1), shares[:, k], atol=1e-12
        )
    assert (carried[:, labels == UNLABELLED] == 0).all()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(streams(max_rows=40), GRIDS, st.sampled_from([[0.0], [1.0], [0.0, 0.5, 1.0]]))
def test_the_boxes_carry_what_the_specification_says_and_those_of_a_class_its_probability(
    stream, grid, powers
):
    clf, reference = pair(stream, grid, powers)
    if reference.classes:
        assert_same_responsibilities(clf, reference, stream)
        return
    X, upper = stream.table()
    with pytest.raises(ValueError, match="no row with a label"):
        clf.responsibilities(X, upper=upper)


def test_after_many_rows_only_some_are_tested_and_the_choice_is_still_the_specifications():
    rng = np.random.default_rng(0)
    n_rows = ALL_OF + 60
    stream = Stream(
        0.5, 1.0, 0.5, [1.0], "each", False,
        lower=rng.random((n_rows, 1)).tolist(), upper=[],
        values=[[f"v{v}"] for v in rng.integers(0, 3, n_rows)],
        labels=rng.integers(0, 2, n_rows).tolist(),
    )  # fmt: skip
    stream.upper = stream.lower
    clf, reference = pair(stream, ([0.02, 0.4], [0.01, 8.0], [0.5, 1.0, 4.0]), [0.0, 0.5])
    assert_same_record(clf, reference)
    assert reference.tests < reference.steps < n_rows


def test_where_there_are_many_boxes_fewer_rows_are_tested():
    rng = np.random.default_rng(2)

    def labelled(n_rows: int) -> Stream:
        lower = rng.random((n_rows, 1)).tolist()
        return Stream(
            0.0, 0.0, 0.5, [1.0], "each", True, lower, lower,
            values=[[]] * n_rows, labels=rng.integers(0, 2, n_rows).tolist(),
        )  # fmt: skip

    clf, reference = pair(labelled(ALL_OF), ([0.1], [1.0], [0.5, 2.0]), [0.0])
    unlabelled = rng.random((MANY, 1))
    clf.partial_fit(unlabelled, [UNLABELLED] * MANY)
    for point in unlabelled.tolist():  # theta is 0: each becomes a box, and learning them is slow
        reference.boxes.append(Box(point, point, [], 1, None))
        reference.clock += 1
        reference.last[id(reference.boxes[-1])] = reference.clock
    more = labelled(100)
    clf.partial_fit(more.table()[0], more.labels)
    more.teach(reference)
    assert len(reference.boxes) == ALL_OF + MANY + 100
    assert_same_record(clf, reference)


def test_after_the_first_rows_only_the_best_pair_has_a_say():
    n_rows = AT_FIRST + 20
    rng = np.random.default_rng(1)
    stream = Stream(
        0.2, 1.0, 0.5, [1.0], "each", False,
        lower=rng.random((n_rows, 1)).tolist(), upper=[],
        values=[[f"v{v}"] for v in rng.integers(0, 3, n_rows)],
        labels=rng.integers(0, 2, n_rows).tolist(),
    )  # fmt: skip
    stream.upper = stream.lower
    clf, reference = pair(stream, ([0.02, 0.4], [0.01, 8.0], [0.5, 1.0, 4.0]), [0.0])
    assert len(reference.say()) == 3
    X, upper = stream.table()
    shares = clf.predict_proba(X[:20], upper=upper[:20])
    order = [reference.classes.index(label) for label in clf.classes_]
    for row, sample in zip(shares, stream.samples(), strict=False):
        p = reference.probabilities(*sample)
        np.testing.assert_allclose(row, [p[k] for k in order], rtol=1e-15)


MIDDLE, NARROW, WIDE = (
    ([0.1], [2.0], [1.0]),
    ([1e-6, 0.02], [1e-6, 0.1], [1.0]),
    ([0.4, 50.0], [8.0, 1e6], [2.0]),
)
SHAPES = [(1, 0), (0, 4), (3, 2), (0, 12), (17, 0), (10, 9), (40, 0), (70, 3)]


@pytest.mark.parametrize(
    ("n", "r", "grid"),
    mostly_long(
        [(n, r, grid) for n, r in SHAPES for grid in (MIDDLE, NARROW, WIDE)],
        quick=[
            *((1, 0, WIDE), (0, 4, NARROW), (3, 2, MIDDLE), (0, 12, WIDE)),
            *((17, 0, NARROW), (10, 9, WIDE), (40, 0, NARROW), (70, 3, MIDDLE)),
        ],
    ),
)
def test_many_boxes_of_many_columns_add_up_as_in_the_specification(n, r, grid):
    """So many that the engine sums most of them up without computing each as written."""
    rng = np.random.default_rng([n, r])
    rows = 150 if n + r == 1 else 100  # few places, so few boxes
    lower = rng.random((rows, n)).round(2)
    upper = lower + (rng.random((rows, n)) < 0.2) * rng.random((rows, n))
    gaps = rng.random((rows, n)) < 0.1
    lower[gaps] = upper[gaps] = np.nan
    stream = Stream(
        0.0, 0.0, 0.5, [1.0] * n, "each", False, lower.tolist(), upper.tolist(),
        values=[[f"v{v}" for v in row] for row in rng.integers(0, 4, (rows, r))],
        labels=rng.integers(0, 2, rows).tolist(),
    )  # fmt: skip
    clf, reference = pair(stream, grid, [0.0])
    assert len(reference.boxes) > 50
    assert_same_record(clf, reference)
    assert_same_responsibilities(clf, reference, stream)
    X, upper = stream.table()
    shares = clf.predict_proba(X[:30], upper=None if upper is None else upper[:30])
    order = [reference.classes.index(label) for label in clf.classes_]
    for row, sample in zip(shares, stream.samples(), strict=False):
        p = reference.probabilities(*sample)
        np.testing.assert_allclose(row, [p[k] for k in order], rtol=1e-15, atol=0)


def assert_same_answer(stream: Stream, grid: Any, x: list[float], values: list[str]) -> None:
    clf, reference = pair(stream, grid, [0.0])
    question = replace(stream, lower=[x], upper=[x], values=[values], labels=[0])
    X, upper = question.table()
    p = reference.probabilities(*question.samples()[0])
    np.testing.assert_allclose(clf.predict_proba(X, upper=upper)[0], p, rtol=1e-14, atol=0)


@pytest.mark.parametrize(("n", "r", "h", "a"), [(15, 13, 1e-6, 1e-6), (31, 70, 0.01, 0.03)])
def test_boxes_beyond_all_powers_are_not_heard_where_a_near_one_has_other_values(n, r, h, a):
    points = (np.random.default_rng(0).random((20, n)) * 0.1).round(4).tolist()
    stream = Stream(
        0.0, 0.0, 0.5, [1.0] * n, "each", True,
        lower=[[0.0] * n, *points, [0.5] * n], upper=[[1.0] * n, *points, [0.5] * n],
        values=[["b"] * r, *[["a"] * r] * 20, ["c"] * r], labels=[0] * 21 + [1],
    )  # fmt: skip
    assert_same_answer(stream, ([h], [a], [1.0]), [0.5001] * n, ["a"] * r)


def test_nor_are_those_that_have_never_seen_most_numbers():
    n, r, h = 32, 11, 1e3
    near, gap = [1e9] + [0.5] * (n - 1), [float("nan")] * (n - 1)
    lower = [near, *([i / 100, *gap] for i in range(20)), [1e9 - 500 * h] + [0.5] * (n - 1)]
    stream = Stream(
        0.0, 0.0, 0.5, [1.0] * n, "each", True, lower, lower,
        values=[["b"] * r, *[["a"] * r] * 20, ["c"] * r], labels=[0] * 21 + [1],
    )  # fmt: skip
    assert_same_answer(stream, ([h], [1e-6], [1.0]), near, ["a"] * r)


def test_boxes_too_large_for_their_product_to_be_a_number_add_nothing():
    rng = np.random.default_rng(5)
    lower = rng.random((120, 4))
    upper = lower.copy()
    upper[::3] = 1e150
    stream = Stream(
        0.0, 0.0, 0.5, [1.0] * 4, "each", True, lower.tolist(), upper.tolist(),
        values=[[]] * 120, labels=rng.integers(0, 2, 120).tolist(),
    )  # fmt: skip
    clf, reference = pair(stream, ([0.1], [2.0], [1.0]), [0.0])
    assert_same_responsibilities(clf, reference, stream)


@settings(max_examples=40, deadline=None)
@given(streams(max_rows=60), st.integers(1, 20))
def test_chunks_saving_and_loading_make_no_difference(stream, size):
    X, upper = stream.table()
    bulk, chunked = (stream.by_evidence() for _ in range(2))
    bulk.partial_fit(X, stream.labels, upper=upper)
    for begin in range(0, len(X), size):
        rows = slice(begin, begin + size)
        part = None if upper is None else upper[rows]
        chunked.partial_fit(X[rows], stream.labels[rows], upper=part)
        chunked._model = Model.from_state(*chunked._model.to_state())
    assert pack(*chunked._model.to_state()) == pack(*bulk._model.to_state())
    if any(label != UNLABELLED for label in stream.labels):
        assert (chunked.predict(X, upper=upper) == bulk.predict(X, upper=upper)).all()
        assert chunked.bandwidth_ == bulk.bandwidth_


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"forget": False, "class_prior": "balanced"},
        {"scale": "quantile", "bandwidth": 0.1, "backoff": 2.0},
    ],
    ids=lambda p: ",".join(p) or "defaults",
)
def test_many_rows_get_the_answers_that_few_get_before_and_after_more_is_learned(parameters):
    rng = np.random.default_rng(4)
    X = np.empty((900, 4), dtype=object)
    X[:, :2] = rng.random((900, 2))
    X[rng.random(900) < 0.1, 0] = np.nan
    X[:, 2] = rng.integers(0, 3, 900)
    X[:, 3] = rng.integers(0, 500, 900)
    y = rng.integers(0, 3, 900)
    clf = HyperboxClassifier(0.1, 0.3, categorical_features=[2, 3], **parameters)
    for begin in (0, 300):
        clf.partial_fit(X[begin : begin + 300], y[begin : begin + 300])
        # So few at a time that nothing is counted ahead.
        few = [clf.predict_proba(X[i : i + 20]) for i in range(600, 700, 20)]
        many = clf.predict_proba(X[600:])
        np.testing.assert_array_equal(many[:100], np.concatenate(few))
        np.testing.assert_array_equal(clf.classes_[many.argmax(axis=1)], clf.predict(X[600:]))
        clf._model.remove([0])
        once_more = clf.predict_proba(X[600:])
        assert (once_more != many).any()
        np.testing.assert_array_equal(once_more[:20], copy.deepcopy(clf).predict_proba(X[600:620]))


def test_classes_that_tie_from_far_away_are_judged_beside_all_others() -> None:
    rng = np.random.default_rng(5)
    marks = rng.integers(8, 240, (900, 3)) / 240 - 1 / 32  # where outlines have theirs
    clf = HyperboxClassifier(
        0.0, feature_range=(0, 1), bandwidth=1e-6, temperature=1e6, forget=False
    )  # distances are millions of bandwidths, and equal sums of them are common
    clf.fit(marks[:600], rng.integers(0, 3, 600))
    assert isinstance(clf._model.engine, SideBySide)
    assert len(clf.boxes_) > 590
    probabilities = clf.predict_proba(marks[600:])  # the same with the index on and off
    assert clf.predict(marks[600:]).tolist() == clf.classes_[probabilities.argmax(axis=1)].tolist()


def test_what_was_asked_in_vain_to_narrow_boxes_down_is_forgotten() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.random((1_300, 40)), rng.integers(0, 2, 1_300)
    clf = HyperboxClassifier(0.0, bandwidth=0.3, backoff=2.0, temperature=1.0, forget=False)
    clf.fit(X, y)  # so many numbers that their distances are added up in two parts
    assert isinstance(clf._model.engine, SideBySide)
    for row in rng.random((40, 1, 40)):
        clf.predict_proba(row)


def test_extents_beyond_all_numbers_in_the_second_eight_columns() -> None:
    n, rng = 14, np.random.default_rng(5)
    lower = rng.random((40, n))
    upper = lower.copy()
    upper[:, 8:] = 1e60 * (1 + rng.random((40, n - 8)))
    stream = Stream(
        0.0, 0.0, 0.5, [1.0] * n, "each", True, lower.tolist(), upper.tolist(),
        values=[[]] * 40, labels=rng.integers(0, 2, 40).tolist(),
    )  # fmt: skip
    clf, reference = pair(stream, ([0.1], [2.0], [1.0]), [0.0])
    X, above = stream.table()
    carried = clf.responsibilities(X, upper=above).tolist()
    assert carried == [reference.responsibilities(*x) for x in stream.samples()]


@pytest.mark.long
def test_a_thousand_columns_of_which_each_costs_the_same() -> None:
    boxes = columns = 1_200
    X = np.full((257 + boxes, 1 + columns), "b", dtype=object)
    X[:257, 1:] = np.array([f"d{i}" for i in range(257)], dtype=object)[:, None]  # codes of words
    X[257 + np.arange(columns), 1 + np.arange(columns)] = "a"  # each seen by one box
    X[:, 0] = np.random.default_rng(0).random(len(X))
    X[257:259, 0] = 0.0, 1.0
    clf = HyperboxClassifier(
        0.0, 0.0, backoff=1.013e-6, bandwidth=0.03, temperature=1e3, forget=False
    )
    clf.fit(X, [1] * 257 + [0] * boxes)
    assert isinstance(clf._model.engine, SideBySide)
    rows = np.full((6, 1 + columns), "a", dtype=object)
    rows[:, 0] = np.linspace(0, 0.1, 6)
    clf.predict_proba(rows)
