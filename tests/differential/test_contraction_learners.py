"""Onln-GFMM and Onln-GFMM-M2: the engine makes the boxes and gives the answers of the reference."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxwise import OnlineGFMM, ShindeGFMM
from boxwise.reference.online import Online
from boxwise.reference.shinde import Shinde, needed

from .agreement import assert_same_answers, assert_same_boxes
from .streams import UNLABELLED, Stream, streams

thorough = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
betas = st.sampled_from([0, 0.25, 0.34, 0.5, 0.67, 1])
# Where the rows lie, from 0 to 1 or else: in a small part of the range, so that boxes are about as
# small as epsilon, and smaller, down to neighbouring numbers; and where rounding swallows epsilon.
places = st.sampled_from(
    [(0, 1), (0, 1), (0, 1), (0.5, 1e-5), (0.5, 1e-9), (0.5, 1e-13), (0.5, 4e-16), (1e15, 16)]
)


def numbers_only(**limits: Any) -> Any:
    return streams(max_categorical=0, **limits)


def put(stream: Stream, place: tuple[float, float]) -> Stream:
    origin, extent = place

    def moved(rows: list[list[float]]) -> list[list[float]]:
        return [[origin + extent * x for x in row] for row in rows]

    return replace(stream, lower=moved(stream.lower), upper=moved(stream.upper))


def shared(stream: Stream) -> dict[str, Any]:
    return {
        "gamma": stream.gamma,
        "feature_range": (0, 1) if stream.fixed_range else "data",
        "unlabelled": UNLABELLED,
    }


def online(stream: Stream) -> OnlineGFMM:
    return OnlineGFMM(stream.theta, **shared(stream))


def online_reference(stream: Stream, known_ranges: bool = False) -> Online:
    learner = Online(
        stream.theta, stream.gamma, stream.ranges(known_ranges), growing=not stream.fixed_range
    )
    return stream.teach(learner)


def shinde(stream: Stream, beta: float) -> ShindeGFMM:
    r = len(stream.values[0])
    categories = list(range(stream.n, stream.n + r))
    return ShindeGFMM(stream.theta, beta, categorical_features=categories, **shared(stream))


def shinde_reference(stream: Stream, beta: float, known_ranges: bool = False) -> Shinde:
    learner = Shinde(
        stream.theta,
        beta,
        stream.gamma,
        stream.ranges(known_ranges),
        growing=not stream.fixed_range,
    )
    return stream.teach(learner)


@thorough
@given(numbers_only(), places)
def test_onln_partial_fit_learns_the_boxes_of_the_reference(stream, place):
    stream = put(stream, place)
    X, upper = stream.table()
    clf = online(stream).partial_fit(X, stream.labels, upper=upper)
    reference = online_reference(stream)
    assert_same_boxes(clf, reference)
    assert_same_answers(clf, reference, stream)


@thorough
@given(numbers_only(max_rows=60))
def test_onln_fit_knows_the_ranges_from_the_start(stream):
    X, upper = stream.table()
    clf = online(stream).fit(X, stream.labels, upper=upper)
    reference = online_reference(stream, known_ranges=True)
    assert_same_boxes(clf, reference)
    assert_same_answers(clf, reference, stream)


@thorough
@given(streams(), betas, places)
def test_m2_partial_fit_learns_the_boxes_of_the_reference(stream, beta, place):
    stream = put(stream, place)
    X, upper = stream.table()
    clf = shinde(stream, beta).partial_fit(X, stream.labels, upper=upper)
    reference = shinde_reference(stream, beta)
    assert_same_boxes(clf, reference)
    assert_same_answers(clf, reference, stream)


@thorough
@given(streams(max_rows=60), betas)
def test_m2_fit_knows_the_ranges_from_the_start(stream, beta):
    X, upper = stream.table()
    clf = shinde(stream, beta).fit(X, stream.labels, upper=upper)
    reference = shinde_reference(stream, beta, known_ranges=True)
    assert_same_boxes(clf, reference)
    assert_same_answers(clf, reference, stream)


@settings(max_examples=60, deadline=None)
@given(streams(max_rows=60), betas, st.randoms(use_true_random=False))
def test_one_row_a_call_and_any_chunks_give_the_same_state_as_bulk(stream, beta, random):
    X, upper = stream.table()
    bulk = shinde(stream, beta).partial_fit(X, stream.labels, upper=upper)
    single, chunked = shinde(stream, beta), shinde(stream, beta)
    begin = 0
    for i in range(len(X)):
        learn_rows(single, stream, slice(i, i + 1))
    while begin < len(X):
        end = begin + random.randrange(1, 20)
        learn_rows(chunked, stream, slice(begin, end))
        begin = end
    header, arrays = bulk._model.to_state()
    for other in (single, chunked):
        other_header, other_arrays = other._model.to_state()
        assert other_header == header
        for name, array in arrays.items():
            np.testing.assert_array_equal(other_arrays[name], array)


def learn_rows(clf: Any, stream: Stream, rows: slice) -> None:
    X, upper = stream.table()
    clf.partial_fit(X[rows], stream.labels[rows], upper=None if upper is None else upper[rows])


@settings(max_examples=25, deadline=None)
@given(streams(max_rows=500), betas)
def test_longer_streams_reach_full_blocks_of_boxes(stream, beta):
    X, upper = stream.table()
    clf = shinde(stream, beta).partial_fit(X, stream.labels, upper=upper)
    reference = shinde_reference(stream, beta)
    assert_same_boxes(clf, reference)
    head = replace(
        stream,
        lower=stream.lower[:20],
        upper=stream.upper[:20],
        values=stream.values[:20],
        labels=stream.labels[:20],
    )
    assert_same_answers(clf, reference, head)


class Counting(Shinde):
    """The specification, noting how often it had something to cut apart."""

    contractions = 0

    def resolve(self, box, other):
        before = [*box.V, *box.W, *other.V, *other.W]
        super().resolve(box, other)
        self.contractions += before != [*box.V, *box.W, *other.V, *other.W]


def mixed_up(seed: int, n_rows: int, grid: int | None, n: int, r: int) -> Stream:
    """Two classes in the same places: nearly every expansion runs into the other."""
    rng = np.random.default_rng(seed)
    points = rng.random((n_rows, n)) if grid is None else rng.integers(0, grid, (n_rows, n)) / grid
    values = rng.integers(0, 3, (n_rows, r))
    return Stream(
        theta=0.3 if n < 3 else 0.6,
        delta=0,
        alpha=0,
        gamma=[1.0] * n,
        condition="each",
        fixed_range=True,
        lower=points.tolist(),
        upper=points.tolist(),
        values=[[f"v{v}" for v in row] for row in values.tolist()],
        labels=rng.integers(0, 2, n_rows).tolist(),
    )


@pytest.mark.parametrize(("n", "r"), [(1, 0), (2, 0), (2, 2), (5, 1)])
@pytest.mark.parametrize("grid", [None, 8, 40])
def test_streams_with_many_contractions(grid, n, r):
    stream = mixed_up(seed=n + r, n_rows=400, grid=grid, n=n, r=r)
    X, upper = stream.table()
    clf = shinde(stream, 0.5).partial_fit(X, stream.labels, upper=upper)
    counting = Counting(stream.theta, 0.5, stream.gamma, [(0, 1)] * n, growing=False)
    reference = stream.teach(counting)
    assert reference.contractions > 100  # else contraction was not tested
    assert_same_boxes(clf, reference)
    assert_same_answers(clf, reference, stream)


def test_the_golden_contraction_cases_hold_in_the_engine():
    """The box of class 0 grows from its first to its third row, into that of class 1."""
    golden = [
        ([0.3, 0.3], [0.7, 0.8], [0.2, 0.2, 0.4, 0.6, 0.4 + 1e-5, 0.3, 0.7, 0.8]),
        ([0.3, 0.3], [0.35, 0.4], [0.35 + 1e-5, 0.2, 0.5, 0.6, 0.3, 0.3, 0.35, 0.4]),
        ([0.35, 0.3], [0.4, 0.4], [0.2, 0.2, 0.35 - 1e-5, 0.6, 0.35, 0.3, 0.4, 0.4]),
    ]
    for low, high, expected in golden:
        clf = OnlineGFMM(theta=0.5, feature_range=(0, 1))
        clf.fit([[0.2, 0.2], low, [0.5, 0.6]], [0, 1, 0], upper=[[0.2, 0.2], high, [0.5, 0.6]])
        bounds = np.stack([clf.boxes_.lower, clf.boxes_.upper], axis=1).ravel()
        np.testing.assert_allclose(bounds, expected, rtol=0, atol=1e-15)


def test_identical_boxes_from_one_number_to_the_next_are_cut_apart_into_points():
    """There is no number in the middle: rounded, it is the end of both."""
    low, high = math.nextafter(1, 0), 1.0
    clf = OnlineGFMM(theta=0.5, feature_range=(0, 2))
    clf.fit([[low], [high], [low], [high]], ["b", "b", "a", "a"])
    assert clf.boxes_.lower.tolist() == clf.boxes_.upper.tolist() == [[high], [low]]


def test_boxes_of_the_same_class_may_overlap_and_are_left_alone():
    clf = OnlineGFMM(theta=0.5, feature_range=(0, 1))
    clf.fit([[0.0], [0.6], [0.4], [0.35]], ["a", "a", "a", "a"])
    assert clf.boxes_.lower.tolist() == [[0.0], [0.35]]
    assert clf.boxes_.upper.tolist() == [[0.0], [0.6]]


@pytest.mark.parametrize(
    ("beta", "r", "at_least"),
    [(0, 4, 1), (0.1, 4, 1), (0.5, 5, 2), (0.7, 10, 7), (0.58, 50, 29), (0.29, 100, 29), (1, 3, 3)],
)
def test_the_share_of_known_categories_is_rounded_down_but_not_by_binary_fractions(
    beta, r, at_least
):
    assert needed(beta, r) == at_least
    for known, boxes in ((at_least - 1, 2), (at_least, 1)):
        rows = [["a"] * r, ["a"] * known + ["b"] * (r - known)]
        clf = ShindeGFMM(beta=beta, categorical_features=list(range(r))).fit(rows, [0, 0])
        assert len(clf.boxes_) == boxes


def test_tied_memberships_are_decided_by_the_nearest_centre():
    """0.5 is within both boxes: that of "b", a single point, is nearer than the middle of "a"."""
    clf = OnlineGFMM(theta=0.6, feature_range=(0, 1))
    clf.fit([[0.0, 0.0], [0.6, 0.6], [0.5, 0.5]], ["a", "a", "b"])
    assert clf.membership([[0.5, 0.5]]).tolist() == [[1.0, 1.0]]
    assert clf.predict([[0.5, 0.5]]).tolist() == ["b"]
    assert clf.predict_proba([[0.5, 0.5]])[0].tolist() == pytest.approx([0.5, 0.5])


def test_without_numbers_ties_go_to_the_class_with_most_rows_in_such_boxes():
    clf = ShindeGFMM(beta=1).fit([["x"], ["x"], ["x"]], ["a", "b", "b"])
    assert clf.predict([["x"]]).tolist() == ["b"]
