"""What the paper prints about its ranks follows from them, but for the errata named here."""

import numpy as np
import pytest

from boxwise.evaluate import (
    AverageRanks,
    average_ranks,
    critical_difference,
    friedman_test,
    nemenyi_test,
    rank,
)

FOUR = ("M1", "M2", "v1", "v2")
TEN = ("catboost", "one-hot", "loo", "label", "target", "james-stein", "helmert", "sum", "v1", "v2")
TABLE_1 = {
    0.1: AverageRanks(FOUR, [3, 3.214, 1.893, 1.893], 14),
    0.7: AverageRanks(FOUR, [2.429, 3.857, 1.607, 2.107], 14),
    1.0: AverageRanks(FOUR, [2.429, 3.857, 1.679, 2.036], 14),
}
TABLE_2 = {
    0.1: AverageRanks(
        TEN, [5.357, 8.179, 4.857, 5.107, 5.464, 5.250, 7.893, 5.607, 3.679, 3.607], 14
    ),
    0.7: AverageRanks(
        TEN, [5.071, 8.036, 4.786, 5.607, 4.464, 4.536, 7.750, 5.750, 3.536, 5.464], 14
    ),
    1.0: AverageRanks(TEN, [5, 7.536, 5.643, 5.464, 5.429, 5.214, 7.179, 7.821, 2.857, 2.857], 14),
}
ALPHA = ("tuned", "estimate 1", "estimate 2", "n/(n+r)")
TABLE_3 = [
    AverageRanks(ALPHA, [2.727, 2, 3, 2.273], 11),
    AverageRanks(ALPHA, [2.545, 2.318, 2.727, 2.409], 11),
    AverageRanks(ALPHA, [2.273, 2.773, 2.273, 2.682], 11),
]
TABLE_4 = AverageRanks(FOUR, [3.182, 2.909, 1.5, 2.409], 11)
POST_OPERATIVE = 8
TABLE_S8 = np.array([
    [0.10072, 0.09932, 0.10431, 0.10431],
    [0.78501, 0.79201, 0.79484, 0.78588],
    [0.39265, 0.40692, 0.42634, 0.42522],
    [0.87378, 0.83522, 0.91563, 0.91497],
    [0.21735, 0.27828, 0.30107, 0.28806],
    [0.58233, 0.55034, 0.60345, 0.59929],
    [0.72481, 0.7772, 0.76922, 0.75861],
    [0.763, 0.76685, 0.79294, 0.79211],
    [0.32856, 0.29945, 0.3582, 0.31890],
    [0.48682, 0.4853, 0.47482, 0.44618],
    [0.67941, 0.8648, 0.87179, 0.85685],
])  # fmt: skip
TABLE_S9 = np.array([
    [3, 4, 1.5, 1.5],
    [4, 2, 1, 3],
    [4, 3, 1, 2],
    [3, 4, 1, 2],
    [4, 3, 1, 2],
    [3, 4, 1, 2],
    [4, 1, 2, 3],
    [4, 3, 1, 2],
    [1, 4, 3, 2],
    [1, 2, 3, 4],
    [4, 2, 1, 3],
])  # fmt: skip


@pytest.mark.parametrize(
    ("ranks", "printed"),
    [
        (TABLE_1[0.1], 5.5539),
        (TABLE_1[0.7], 16.5238),
        (TABLE_1[1.0], 15.7716),
        (TABLE_2[0.1], 4.289),
        (TABLE_2[0.7], 3.6596),
        (TABLE_2[1.0], 6.2138),
        (TABLE_4, 4.884),
    ],
)
def test_printed_ranks_give_the_printed_statistic_and_it_is_significant(ranks, printed):
    found = friedman_test(ranks)
    assert found.f == pytest.approx(printed, abs=1.1e-4)
    assert found.rejected


@pytest.mark.parametrize(
    ("ranks", "degrees", "printed"),
    [(TABLE_1[0.1], (3, 39), 2.845), (TABLE_2[0.1], (9, 117), 1.9608), (TABLE_4, (3, 30), 2.9223)],
)
def test_critical_values_are_the_printed_ones(ranks, degrees, printed):
    found = friedman_test(ranks)
    assert found.degrees == degrees
    assert found.critical_value == pytest.approx(printed, abs=5.1e-4)


@pytest.mark.parametrize(("m", "z", "cd"), [(4, 14, 1.2536), (10, 14, 3.6203), (4, 11, 1.4142)])
def test_critical_differences(m, z, cd):
    assert critical_difference(m, z) == pytest.approx(cd, abs=5e-5)


@pytest.mark.parametrize(
    ("ranks", "pairs"),
    [
        (TABLE_1[0.1], {("v1", "M2"), ("v2", "M2")}),
        (TABLE_1[0.7], {("v1", "M2"), ("v2", "M2"), ("M1", "M2")}),
        (TABLE_1[1.0], {("v1", "M2"), ("v2", "M2"), ("M1", "M2")}),
        (TABLE_2[0.1], {(v, e) for v in ("v1", "v2") for e in ("one-hot", "helmert")}),
        (TABLE_2[0.7], {("v1", "one-hot"), ("v1", "helmert")}),
        (TABLE_2[1.0], {(v, e) for v in ("v1", "v2") for e in ("one-hot", "sum", "helmert")}),
    ],
)
def test_the_differences_that_the_text_names_are_those_found(ranks, pairs):
    test = nemenyi_test(ranks)
    found = {
        (a, b)
        for a in ranks.methods
        for b in ranks.methods
        if ranks.of(a) < ranks.of(b) and test.differ(a, b)
    }
    assert found == pairs


def test_erratum_table_4_does_not_tell_v1_from_m2():
    test = nemenyi_test(TABLE_4)
    assert TABLE_4.of("M2") - TABLE_4.of("v1") == pytest.approx(1.409)
    assert not test.differ("v1", "M2")
    assert test.differ("v1", "M1")
    assert test.groups == (("v1", "v2", "M2"), ("v2", "M2", "M1"))


def test_erratum_the_null_hypothesis_is_rejected_when_f_is_larger_not_smaller():
    small, large = friedman_test(TABLE_3[1]), friedman_test(TABLE_4)
    assert small.f < small.critical_value == large.critical_value < large.f
    assert (small.rejected, large.rejected) == (False, True)


@pytest.mark.parametrize(("ranks", "f"), [*zip(TABLE_3, [1.37, 0.18, 0.45], strict=True)])
def test_table_3_which_the_paper_did_not_test_shows_no_difference(ranks, f):
    found = friedman_test(ranks)
    assert found.f == pytest.approx(f, abs=5e-3)
    assert not found.rejected


def test_ranks_of_table_s8_are_those_of_s9_but_for_post_operative():
    differ = (rank(TABLE_S8) != TABLE_S9).any(axis=1)
    assert np.flatnonzero(differ).tolist() == [POST_OPERATIVE]
    assert rank(TABLE_S8)[POST_OPERATIVE].tolist() == [2, 4, 1, 3]
    assert average_ranks(-TABLE_S9).ranks == pytest.approx(TABLE_4.ranks, abs=5e-4)


def test_erratum_with_the_printed_score_of_post_operative_v1_is_better_than_both():
    ranks = average_ranks(TABLE_S8, methods=FOUR)
    assert ranks.ranks == pytest.approx((3.273, 2.909, 1.318, 2.500), abs=5e-4)
    assert friedman_test(ranks).f == pytest.approx(7.613, abs=5e-4)
    test = nemenyi_test(ranks)
    assert test.differ("v1", "M1")
    assert test.differ("v1", "M2")


def test_table_1_without_rounding_has_a_smaller_statistic_for_theta_1():
    # The exact ranks are fourteenths or twenty-eighths.
    exact = [round(28 * r) / 28 for r in TABLE_1[1.0].ranks]
    assert sum(exact) == pytest.approx(10)
    assert friedman_test(AverageRanks(FOUR, exact, 14)).f == pytest.approx(15.726, abs=5e-4)
