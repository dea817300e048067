"""Nemenyi's test against published quantiles, scikit-posthocs, and the definition of its groups."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from boxwise.evaluate import (
    AverageRanks,
    NemenyiTest,
    average_ranks,
    critical_difference,
    nemenyi_test,
)

# J. Demšar, 2006, table 5(a), for 2 to 10 methods.
QUANTILES = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


@st.composite
def scores(draw):
    m, z = draw(st.integers(2, 9)), draw(st.integers(2, 15))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pull = draw(st.floats(0, 4))
    return np.round(rng.normal(size=(z, m)) + pull * np.linspace(0, 1, m), 1)


@pytest.mark.parametrize("level", QUANTILES)
def test_quantiles_are_those_of_the_printed_table(level):
    for m, q in enumerate(QUANTILES[level], start=2):
        unit = (m * (m + 1) / (6 * 20)) ** 0.5
        assert critical_difference(m, 20, level) / unit == pytest.approx(q, abs=1e-3)


@settings(deadline=None)  # the first call imports
@given(scores())
def test_p_values_are_those_of_scikit_posthocs(table):
    posthocs = pytest.importorskip("scikit_posthocs")
    wanted = np.asarray(posthocs.posthoc_nemenyi_friedman(table))
    np.testing.assert_allclose(nemenyi_test(average_ranks(table)).p_values, wanted, atol=1e-9)


@given(scores(), st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_methods_differ_by_the_critical_difference_when_they_do_by_the_p_value(table, level):
    test = nemenyi_test(average_ranks(table), level)
    names, p = test.ranks.methods, test.p_values
    assume((abs(p - level) > 1e-9).all())
    for i, j in combinations(range(len(names)), 2):
        assert test.differ(names[i], names[j]) == (p[i, j] < level)


@given(scores(), st.sampled_from([0.05, 0.5, 0.9]))
def test_groups_are_the_maximal_sets_of_methods_that_need_not_differ(table, level):
    test = nemenyi_test(average_ranks(table), level)
    names = test.ranks.methods
    alike = [
        set(some)
        for size in range(2, len(names) + 1)
        for some in combinations(names, size)
        if not any(test.differ(a, b) for a, b in combinations(some, 2))
    ]
    wanted = [some for some in alike if not any(some < other for other in alike)]
    found = [set(group) for group in test.groups]
    assert sorted(map(sorted, found)) == sorted(map(sorted, wanted))


@given(scores())
def test_groups_and_the_methods_in_them_are_best_first(table):
    test = nemenyi_test(average_ranks(table), 0.5)
    for group in test.groups:
        assert all(test.ranks.of(a) <= test.ranks.of(b) for a, b in pairwise(group))
    firsts = [test.ranks.of(group[0]) for group in test.groups]
    assert firsts == sorted(firsts)


def test_no_group_when_all_differ_and_one_when_none_do():
    apart = AverageRanks(["a", "b", "c"], [1, 2, 3], 1000)
    assert nemenyi_test(apart).groups == ()
    assert str(nemenyi_test(apart)).endswith("need not differ:\n  none")
    together = AverageRanks(["a", "b", "c"], [2, 2, 2], 10)
    assert nemenyi_test(together).groups == (("a", "b", "c"),)


def test_a_difference_of_exactly_the_critical_one_is_a_difference():
    test = NemenyiTest(AverageRanks(["a", "b"], [1.25, 1.75], 10), 0.05, critical_difference=0.5)
    assert test.differ("a", "b")
    assert test.groups == ()


def test_the_p_value_of_the_critical_difference_is_the_level():
    half = critical_difference(2, 10, 0.07) / 2
    p = nemenyi_test(AverageRanks(["a", "b"], [1.5 - half, 1.5 + half], 10)).p_values
    np.testing.assert_allclose(p, [[1, 0.07], [0.07, 1]])


def test_more_methods_fewer_data_sets_or_a_stricter_level_ask_for_more():
    assert critical_difference(5, 10) > critical_difference(4, 10) > critical_difference(4, 11)
    assert critical_difference(100, 10, 0.001) > critical_difference(100, 10, 0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 10), "nothing to compare with 1 method"),
        ((3, 0), "n_datasets must be at least 1, not 0"),
        ((3, 10, 0.0), "level must lie between 0 and 1"),
    ],
)
def test_what_cannot_be_compared_is_an_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        critical_difference(*arguments)


def test_scores_in_place_of_ranks_are_an_error_with_the_remedy():
    with pytest.raises(TypeError, match=r"average_ranks\(scores\)"):
        nemenyi_test(np.ones((3, 2)))


def test_a_method_that_is_not_there_is_an_error():
    with pytest.raises(KeyError, match="no method 'x'"):
        nemenyi_test(AverageRanks(["a", "b"], [1, 2], 5)).differ("a", "x")
