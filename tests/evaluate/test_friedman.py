"""Friedman's test against SciPy's, and at its edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from boxwise.evaluate import AverageRanks, average_ranks, friedman_test


@st.composite
def untied_scores(draw):
    m, z = draw(st.integers(3, 8)), draw(st.integers(2, 12))
    order = draw(st.lists(st.permutations(range(m)), min_size=z, max_size=z))
    return np.array(order, dtype=float)


@given(untied_scores())
def test_without_ties_chi2_and_its_p_value_are_those_of_scipy(scores):
    wanted = stats.friedmanchisquare(*scores.T)
    found = friedman_test(average_ranks(scores))
    assert found.chi2 == pytest.approx(wanted.statistic, abs=1e-9)
    assert found.chi2_p_value == pytest.approx(wanted.pvalue, abs=1e-9)


@given(untied_scores(), st.floats(0.001, 0.5))
def test_rejection_by_critical_value_is_rejection_by_p_value(scores, level):
    found = friedman_test(average_ranks(scores), level)
    z, m = scores.shape
    assert found.degrees == (m - 1, (m - 1) * (z - 1))
    assert stats.f.sf(found.critical_value, *found.degrees) == pytest.approx(level)
    if found.f_p_value != pytest.approx(level, abs=1e-9):
        assert found.rejected == (found.f_p_value < level)


@given(untied_scores())
def test_f_is_the_ratio_of_mean_squares_of_an_analysis_of_variance_of_the_ranks(scores):
    ranks = scores + 1
    z, m = ranks.shape
    between = z * ((ranks.mean(axis=0) - (m + 1) / 2) ** 2).sum()
    within = ((ranks - (m + 1) / 2) ** 2).sum() - between
    found = friedman_test(average_ranks(scores)).f
    if within < 1e-9:
        assert math.isinf(found)
    else:
        assert found == pytest.approx(between / (m - 1) / (within / ((m - 1) * (z - 1))), abs=1e-9)


@given(st.integers(2, 30), st.integers(2, 30))
def test_complete_agreement_gives_an_infinite_f(m, z):
    found = friedman_test(average_ranks(np.tile(np.arange(m), (z, 1))))
    assert found.chi2 == pytest.approx(z * (m - 1))
    assert (found.f, found.f_p_value, found.rejected) == (math.inf, 0.0, True)


@given(st.integers(2, 10), st.integers(2, 30))
def test_methods_that_are_always_tied_do_not_differ(m, z):
    found = friedman_test(average_ranks(np.ones((z, m))))
    assert (found.chi2, found.f, found.rejected) == (0.0, 0.0, False)
    assert found.chi2_p_value == found.f_p_value == 1.0


def test_equal_ranks_whose_rounding_adds_up_to_too_little_give_zero():
    found = friedman_test(AverageRanks(list("abcd"), [2.4999] * 4, 5))
    assert (found.chi2, found.f) == (0.0, 0.0)


@pytest.mark.parametrize("level", [0, 1, -0.1, 5, float("nan")])
def test_a_level_that_is_no_probability_is_an_error(level):
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        friedman_test(AverageRanks(["a", "b"], [1, 2], 5), level)


def test_scores_in_place_of_ranks_are_an_error_with_the_remedy():
    with pytest.raises(TypeError, match=r"not list; make them with average_ranks\(scores\)"):
        friedman_test([[0.9, 0.8], [0.7, 0.6]])


def test_the_verdict_is_in_the_text():
    assert str(friedman_test(AverageRanks(["a", "b"], [1.5, 1.5], 5))) == (
        "F_F = 0.0000 ≤ F(1, 4) = 7.7086 at 0.05 (p = 1): the methods need not differ"
    )
