"""Contraction in plain Python: worked cases, and the law that it separates and never inverts."""

from __future__ import annotations

import math
from random import Random

import pytest

from boxwise.reference import Box
from boxwise.reference.contraction import EPSILON, contract
from boxwise.reference.hyperbox import intervals_meet

ONE_FEATURE = [EPSILON]
TWO_FEATURES = [EPSILON, EPSILON]


def box(V: list[float], W: list[float]) -> Box:
    return Box([*V], [*W], [], 1, None)


def bounds(*boxes: Box) -> list[float]:
    return [x for b in boxes for x in (*b.V, *b.W)]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (
            ([0.3, 0.3], [0.7, 0.8]),
            ([0.2, 0.2], [0.4, 0.6], [0.4 + 1e-5, 0.3], [0.7, 0.8]),
        ),
        (
            ([0.3, 0.3], [0.35, 0.4]),
            ([0.35 + 1e-5, 0.2], [0.5, 0.6], [0.3, 0.3], [0.35, 0.4]),
        ),
        (
            ([0.35, 0.3], [0.4, 0.4]),
            ([0.2, 0.2], [0.35 - 1e-5, 0.6], [0.35, 0.3], [0.4, 0.4]),
        ),
    ],
    ids=["i before k", "k inside i, left side cheaper", "k inside i, right side cheaper"],
)
def test_golden_cases(other, expected):
    a, b = box([0.2, 0.2], [0.5, 0.6]), box(*other)
    assert contract(a, b, TWO_FEATURES)
    assert bounds(a, b) == pytest.approx([x for side in expected for x in side], rel=0, abs=1e-15)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        pytest.param((3, 7), (2, 5), (4 + 1e-5, 7, 2, 4), id="k before i"),
        pytest.param((2, 4), (2, 7), (2, 3, 3 + 1e-5, 7), id="both begin at one place"),
        pytest.param((2, 7), (5, 7), (2, 6, 6 + 1e-5, 7), id="both end at one place"),
        pytest.param((2, 7), (2, 7), (2, 4.5, 4.5 + 1e-5, 7), id="identical"),
        pytest.param((5, 6), (2, 7), (5, 6, 2, 5 - 1e-5), id="i inside k, right cheaper"),
        pytest.param((3, 4), (2, 7), (3, 4, 4 + 1e-5, 7), id="i inside k, left cheaper"),
        pytest.param((2, 6), (3, 5), (5 + 1e-5, 6, 3, 5), id="k in the middle of i"),
        pytest.param((3, 5), (2, 6), (3, 5, 2, 3 - 1e-5), id="i in the middle of k"),
        pytest.param((2, 5), (5, 7), (2, 5, 5 + 1e-5, 7), id="faces touch, i first"),
        pytest.param((5, 7), (2, 5), (5 + 1e-5, 7, 2, 5), id="faces touch, k first"),
        pytest.param((5, 5), (5, 7), (5, 5, 5 + 1e-5, 7), id="a point where k begins"),
        pytest.param((5, 5), (2, 5), (5, 5, 2, 5 - 1e-5), id="a point where k ends"),
        pytest.param((2, 5), (5, 5), (2, 5 - 1e-5, 5, 5), id="a point where i ends"),
        pytest.param((2, 5), (2, 2), (2 + 1e-5, 5, 2, 2), id="a point where i begins"),
        pytest.param((2, 7), (5, 5), (2, 5 - 1e-5, 5, 5), id="a point within i"),
        pytest.param((3, 3), (2, 7), (3, 3, 3 + 1e-5, 7), id="a point within k"),
    ],
)
def test_every_case_in_one_feature(a, b, expected):
    a, b = box([a[0]], [a[1]]), box([b[0]], [b[1]])
    assert contract(a, b, ONE_FEATURE)
    assert bounds(a, b) == list(expected)


def test_identical_points_stay_as_they_are():
    a, b = box([0.2, 0.5], [0.2, 0.5]), box([0.2, 0.5], [0.2, 0.5])
    assert not contract(a, b, TWO_FEATURES)
    assert a == b == box([0.2, 0.5], [0.2, 0.5])


def test_boxes_that_do_not_overlap_stay_as_they_are():
    a, b = box([0.2, 0.5], [0.3, 0.6]), box([0.2, 0.7], [0.3, 0.8])
    assert not contract(a, b, TWO_FEATURES)
    assert bounds(a, b) == [0.2, 0.5, 0.3, 0.6, 0.2, 0.7, 0.3, 0.8]


def test_a_box_with_a_feature_never_seen_takes_no_part():
    a, b = box([0.2, math.inf], [0.5, -math.inf]), box([0.3, 0.1], [0.6, 0.4])
    assert not contract(a, b, TWO_FEATURES)
    assert not contract(b, a, TWO_FEATURES)


def test_a_feature_in_which_both_are_one_point_is_passed_over():
    """Nothing can be cut there, although the overlap is the smallest."""
    a, b = box([0.5, 0.25], [0.5, 0.5]), box([0.5, 0.375], [0.5, 0.75])
    assert contract(a, b, TWO_FEATURES)
    assert bounds(a, b) == [0.5, 0.25, 0.5, 0.4375, 0.5, 0.4375 + 1e-5, 0.5, 0.75]


def test_of_equal_overlaps_the_first_feature_is_cut():
    a, b = box([0.25, 0.25], [0.5, 0.5]), box([0.375, 0.375], [0.75, 0.75])
    assert contract(a, b, TWO_FEATURES)
    assert a.W == [0.4375, 0.5]


def test_what_would_be_cut_off_counts_not_what_is_shared():
    """In the first feature 0.2 are shared, but cutting the outer box back costs 0.6."""
    a, b = box([0, 0.25], [1, 0.75]), box([0.4, 0.5], [0.6, 1])
    assert contract(a, b, TWO_FEATURES)
    assert a.W == [1, 0.625]


def test_overlaps_are_compared_in_shares_of_the_range():
    """100 of a range of 10,000 is less than 0.5 of a range of 1."""
    a, b = box([0, 0], [200, 1]), box([100, 0.5], [300, 1.5])
    assert contract(a, b, [EPSILON * 10_000, EPSILON])
    assert bounds(a, b) == [0, 0, 150, 1, 150 + 0.1, 0.5, 300, 1.5]


def test_a_box_smaller_than_epsilon_shrinks_to_a_point_and_leaves_a_smaller_gap():
    a, b = box([0.5], [0.5 + 4e-6]), box([0.5 + 2e-6], [0.5 + 6e-6])
    end = b.W[0]
    assert contract(a, b, ONE_FEATURE)
    assert b.V == b.W == [end]
    assert a.V[0] < a.W[0] < b.V[0]


def test_an_epsilon_lost_in_rounding_still_leaves_a_gap():
    a, b = box([1e15], [1e15 + 8]), box([1e15 + 4], [1e15 + 16])
    assert contract(a, b, ONE_FEATURE)
    assert (a.W[0], b.V[0]) == (1e15 + 6, math.nextafter(1e15 + 6, math.inf))


def random_interval(random: Random, grid: int | None, extent: float) -> tuple[float, float]:
    if grid is not None:
        v, w = sorted((random.randrange(grid + 1) / grid, random.randrange(grid + 1) / grid))
        return v, w
    v = random.random() * extent
    return v, v + random.random() * extent


@pytest.mark.parametrize("dimensions", [1, 2, 3, 8])
@pytest.mark.parametrize(
    ("n_pairs", "grid", "extent", "offset"),
    [
        pytest.param(10_000, None, 1.0, 0.0, id="anywhere"),
        pytest.param(2_000, 4, 1.0, 0.0, id="coarse grid"),
        pytest.param(2_000, 1, 1.0, 0.0, id="faces and points"),
        pytest.param(2_000, None, 1e-5, 0.5, id="about epsilon"),
        pytest.param(2_000, None, 1e-9, 0.5, id="far below epsilon"),
        pytest.param(2_000, None, 1e-15, 0.5, id="a few numbers apart"),
        pytest.param(2_000, None, 1.0, 1e15, id="epsilon lost in rounding"),
        pytest.param(2_000, None, 1e-300, 0.0, id="no width"),
    ],
)
def test_of_thousands_of_overlapping_pairs_none_is_inverted_and_none_still_overlaps(
    n_pairs, dimensions, grid, extent, offset
):
    random = Random(dimensions)
    epsilon = [0.0 if extent < 1e-150 else EPSILON] * dimensions
    pairs = 0
    while pairs < n_pairs:
        sides = [random_interval(random, grid, extent) for _ in range(2 * dimensions)]
        V, W = [offset + v for v, _ in sides], [offset + w for _, w in sides]
        a, b = box(V[:dimensions], W[:dimensions]), box(V[dimensions:], W[dimensions:])
        if not intervals_meet(a, b):
            continue
        pairs += 1
        same_point = a.V == a.W == b.V == b.W
        before = bounds(a, b)
        assert contract(a, b, epsilon) != same_point
        assert all(v <= w for v, w in zip(a.V + b.V, a.W + b.W, strict=True))
        assert intervals_meet(a, b) == same_point
        moved = [j for j, (x, y) in enumerate(zip(before, bounds(a, b), strict=True)) if x != y]
        assert len({j % dimensions for j in moved}) == (0 if same_point else 1)
        assert all(old <= v for old, v in zip(V, a.V + b.V, strict=True))  # no box has grown
        assert all(w <= old for old, w in zip(W, a.W + b.W, strict=True))
