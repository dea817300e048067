"""The specification of the agglomerative learners: examples worked out by hand, and laws."""

from __future__ import annotations

import copy
import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxwise.reference import EIOL, Box
from boxwise.reference.agglomerative import Agglomerative, entropy_change, union
from boxwise.reference.eiol import entropy_change as entropy_change_of_a_sample
from boxwise.reference.eiol import overlap
from boxwise.reference.hyperbox import in_units, same_class

from .streams import UNLABELLED, streams


def agglomerative(n=1, r=0, theta=1.0, delta=1.0, alpha=0.5, **parameters):
    ranges = [(0.0, 1.0)] * n
    return Agglomerative(theta, delta, alpha, [1.0] * n, ranges=ranges, growing=False, **parameters)


def fit_points(learner, points, labels, values=None):
    values = values or [[]] * len(points)
    learner.fit(zip(points, points, values, labels, strict=True))
    return [(box.V, box.W, box.n, box.label) for box in learner.boxes]


def interval_box(v, w, label="a"):
    return Box([v], [w], [], 1, label)


@pytest.mark.parametrize(("kind", "degree"), [("short", 0.9), ("long", 0.5), ("mid", 0.7)])
def test_three_ways_to_measure_two_intervals(kind, degree):
    learner = agglomerative(similarity=kind)
    a, b = interval_box(0.1, 0.3), interval_box(0.4, 0.6)
    assert learner.similarity(a, b) == pytest.approx(degree)
    assert learner.similarity(b, a) == learner.similarity(a, b)


@pytest.mark.parametrize(("kind", "degree"), [("short", 1.0), ("long", 0.3), ("mid", 1.0)])
def test_an_interval_within_another(kind, degree):
    """By `mid`, nothing has to move for the larger to lie around the smaller."""
    learner = agglomerative(similarity=kind)
    inner, outer = interval_box(0.3, 0.4), interval_box(0.1, 1.0)
    assert learner.similarity(inner, outer) == pytest.approx(degree)


def test_a_feature_that_one_box_never_saw_does_not_count():
    learner = agglomerative(n=2, similarity="long")
    a, b = (
        Box([0.1, math.inf], [0.1, -math.inf], [], 1, "a"),
        Box([0.3, 0.9], [0.3, 0.9], [], 1, "a"),
    )
    assert learner.similarity(a, b) == pytest.approx(0.8)
    both = union(a, b)
    assert (both.V, both.W) == ([0.1, 0.9], [0.3, 0.9])


def test_agglosm_merges_the_most_similar_pair_first_and_agglo2_the_first_box():
    points = [[0.0], [0.3], [0.5], [0.8]]
    most_similar_first = fit_points(agglomerative(theta=0.3, method="agglosm"), points, "aaaa")
    assert most_similar_first == [
        ([0.0], [0.0], 1, "a"),
        ([0.3], [0.5], 2, "a"),
        ([0.8], [0.8], 1, "a"),
    ]
    box_by_box = fit_points(agglomerative(theta=0.3, method="agglo2"), points, "aaaa")
    # 0.8 - 0.5 is a little more than 0.3 in floating point.
    assert [n for _, _, n, _ in box_by_box] == [2, 1, 1]
    assert box_by_box[0] == ([0.0], [0.3], 2, "a")


def test_in_agglo2_a_box_merges_once_a_turn():
    """The first takes its nearest, then the third has its turn, before the first has another."""
    points = [[0.0], [0.1], [0.3], [0.42]]
    learner = agglomerative(theta=0.3, method="agglo2")
    assert fit_points(learner, points, "aaaa") == [
        ([0.0], [0.1], 2, "a"),
        ([0.3], [0.42], 2, "a"),
    ]


def test_the_older_place_is_kept_also_when_the_younger_box_has_its_turn():
    points = [[0.5], [0.0], [0.54]]
    learner = agglomerative(theta=0.1, method="agglo2")
    assert fit_points(learner, points, "aba") == [
        ([0.5], [0.54], 2, "a"),
        ([0.0], [0.0], 1, "b"),
    ]


@pytest.mark.parametrize("method", ["agglo2", "agglosm"])
def test_a_box_of_another_class_in_between_forbids_the_merge(method):
    points = [[0.4], [0.5], [0.6]]
    learner = agglomerative(theta=0.5, method=method)
    assert [n for _, _, n, _ in fit_points(learner, points, "aba")] == [1, 1, 1]


@pytest.mark.parametrize("method", ["agglo2", "agglosm"])
def test_pairs_less_similar_than_the_threshold_stay_apart(method):
    points = [[0.0], [0.25], [0.75]]
    learner = agglomerative(min_similarity=0.6, method=method)
    assert [n for _, _, n, _ in fit_points(learner, points, "aaa")] == [2, 1]
    at_the_threshold = agglomerative(min_similarity=0.75, method=method)
    assert [n for _, _, n, _ in fit_points(at_the_threshold, points, "aaa")] == [2, 1]


def test_equally_similar_pairs_merge_oldest_first():
    points = [[0.75], [0.5], [0.25], [0.0]]
    learner = agglomerative(theta=0.25, method="agglosm")
    assert fit_points(learner, points, "aaaa") == [
        ([0.5], [0.75], 2, "a"),
        ([0.0], [0.25], 2, "a"),
    ]


def test_an_unlabelled_box_takes_the_class_of_its_partner():
    points = [[0.1], [0.15], [0.9]]
    learner = agglomerative(theta=0.2, method="agglo2")
    assert fit_points(learner, points, [None, "a", "b"]) == [
        ([0.1], [0.15], 2, "a"),
        ([0.9], [0.9], 1, "b"),
    ]


def test_two_unlabelled_boxes_stay_unlabelled():
    learner = agglomerative(theta=0.2)
    assert fit_points(learner, [[0.1], [0.15]], [None, None]) == [([0.1], [0.15], 2, None)]


def test_categories_that_two_boxes_share():
    """In the first feature a half and a third, in the second nothing: (1/2 + 1/3) / 2."""
    learner = agglomerative(n=0)
    a = Box([], [], [{"x": 1, "y": 1}, {"p": 2}], 2, "a")
    b = Box([], [], [{"x": 2, "y": 1}, {"q": 3}], 3, "a")
    assert learner.similarity(a, b) == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert learner.similarity(a, a) == 1


def test_counts_add_up_and_alpha_weighs_the_two_kinds():
    learner = agglomerative(delta=1.0, alpha=0.25, theta=1.0)
    points, values = [[0.1], [0.3]], [["x"], ["y"]]
    a, b = (Box(p, p, [{v[0]: 1}], 1, "a") for p, v in zip(points, values, strict=True))
    assert learner.similarity(a, b) == pytest.approx(0.25 * 0.8)
    fit_points(learner, points, "aa", values)
    assert learner.boxes == [Box([0.1], [0.3], [{"x": 1, "y": 1}], 2, "a")]


def test_boxes_that_would_be_too_mixed_stay_apart():
    """Two equal halves: the entropy rises by 1, in the one feature where they differ."""
    values = [["x", "p"], ["x", "q"]]
    points = [[0.1], [0.1]]
    for condition, delta, n_boxes in [("each", 0.9, 2), ("mean", 0.5, 1), ("mean", 0.4, 2)]:
        learner = agglomerative(delta=delta, condition=condition)
        assert len(fit_points(learner, points, "aa", values)) == n_boxes


def test_overlap_asks_for_equal_frequencies_in_the_merged_box():
    """The merged box has "x" in all its samples, as the other class does: no merge."""
    values = [["x"], ["x"], ["x"]]
    points = [[0.4], [0.5], [0.6]]
    assert len(fit_points(agglomerative(delta=0.5), points, "aba", values)) == 3
    values[1] = ["y"]
    assert len(fit_points(agglomerative(delta=0.5), points, "aba", values)) == 2


counts = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 50), min_size=1)


@given(counts, counts)
def test_the_entropy_change_of_a_merge_lies_between_0_and_1_and_is_symmetric(d_a, d_b):
    assert -1e-12 <= entropy_change(d_a, d_b) <= 1 + 1e-12
    assert entropy_change(d_a, d_b) == pytest.approx(entropy_change(d_b, d_a), abs=1e-12)


@given(counts, st.sampled_from("abcd"))
def test_the_entropy_change_of_a_single_sample_is_that_of_the_paper(d, value):
    change = entropy_change_of_a_sample(d, value)
    assert entropy_change(d, {value: 1}) == pytest.approx(change, abs=1e-12)


def learned(stream, method, similarity, s_min=0.0):
    learner = Agglomerative(
        stream.theta,
        stream.delta,
        stream.alpha,
        stream.gamma,
        stream.condition,
        [(0.0, 1.0)] * stream.n if stream.fixed_range else None,
        not stream.fixed_range,
        method,
        similarity,
        s_min,
    )
    labels = [None if label == UNLABELLED else label for label in stream.labels]
    learner.fit((*sample, label) for sample, label in zip(stream.samples(), labels, strict=True))
    return learner


both_methods = st.sampled_from(["agglo2", "agglosm"])
all_kinds = st.sampled_from(["short", "long", "mid"])


@settings(max_examples=60, deadline=None)
@given(streams(max_rows=20), both_methods, all_kinds, st.sampled_from([0, 0.6]))
def test_nothing_is_lost_and_what_could_merge_has_merged(stream, method, kind, s_min):
    learner = learned(stream, method, kind, s_min)
    assert sum(box.n for box in learner.boxes) == len(stream.labels)
    assert all(sum(d.values()) == box.n for box in learner.boxes for d in box.D)
    for a, b in combinations(learner.boxes, 2):
        assert learner.similarity(a, b) < s_min or not learner.may_merge(a, b)


@settings(max_examples=60, deadline=None)
@given(streams(max_rows=20), both_methods, all_kinds)
def test_merged_boxes_keep_to_theta_and_overlap_no_other_class(stream, method, kind):
    learner = learned(stream, method, kind)
    for box in learner.boxes:
        if box.n == 1:
            continue
        assert learner.fits(box, box.V, box.W)
        single = [c for c in learner.boxes if c.n == 1 and not same_class(c, box)]
        assert not any(overlap(box, c) for c in single)


@settings(max_examples=60, deadline=None)
@given(streams(max_rows=20))
def test_the_similarity_to_a_sample_is_the_membership_of_eiol(stream):
    learner = learned(stream, "agglo2", "short")
    online = EIOL(stream.theta, stream.delta, stream.alpha, stream.gamma, ranges=learner.ranges)
    for lower, upper, values in stream.samples():
        if any(low != high for low, high in zip(lower, upper, strict=True) if low <= high):
            continue
        sample = Box([*lower], [*upper], [{value: 1} for value in values], 1, None)
        for box in learner.boxes:
            degree = online.membership(box, lower, upper, values)
            assert in_units(learner.similarity(box, sample)) == degree


def test_no_threshold_follows_from_theta_that_the_size_test_does_not_imply():
    """1 - max(gamma) theta, which is published as a condition, is one for speed."""
    learner = agglomerative(theta=0.3, similarity="long")
    for low in range(10):
        for high in range(low, 10):
            a, b = interval_box(low / 10, low / 10), interval_box(high / 10, high / 10)
            if learner.may_merge(a, b):
                assert learner.similarity(a, b) >= 1 - 0.3 - 1e-12


def test_fitting_leaves_the_samples_alone():
    samples = [([0.1], [0.1], ["x"], "a"), ([0.2], [0.2], ["x"], "a")]
    before = copy.deepcopy(samples)
    agglomerative(n=1).fit(samples)
    assert samples == before
