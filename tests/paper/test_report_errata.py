"""The errata: computed from what the paper prints, they are the numbers we state."""

from __future__ import annotations

import pytest

from boxwise.evaluate import friedman_test, nemenyi_test
from boxwise.paper.report.errata import (
    gap,
    ranks_of_s8,
    ranks_of_s9,
    scores_with_a_digit_lost,
    statistics,
    unrounded,
    wrongly_ranked,
)
from boxwise.paper.report.page import Bullets, Table, plain
from boxwise.paper.report.printed import TABLE_IV, TABLE_S9
from boxwise.paper.report.sections import errata


def test_the_printed_statistics_follow_from_the_printed_ranks():
    found = [(s.table, s.printed, s.rounded) for s in statistics() if s.printed]
    tables, printed, computed = zip(*found, strict=True)
    assert tables == ("I",) * 3 + ("II",) * 3 + ("IV",)
    assert computed == pytest.approx(printed, abs=1e-4)


def test_table_1_at_theta_1_is_15_726_without_rounding():
    assert [round(s.exact, 3) for s in statistics()][2] == 15.726


def test_critical_values_and_differences_are_those_stated():
    values = {s.table: (s.critical_value, s.critical_difference) for s in statistics()}
    assert values["I"] == pytest.approx((2.845, 1.2536), abs=5e-4)
    assert values["II"] == pytest.approx((1.961, 3.6203), abs=5e-4)
    assert values["IV"] == pytest.approx((2.922, 1.4142), abs=5e-4)


def test_table_3_is_not_significant():
    table = [s for s in statistics() if s.table == "III"]
    assert [round(s.rounded, 2) for s in table] == [1.37, 0.18, 0.45]
    assert all(max(s.rounded, s.exact) < s.critical_value for s in table)


def test_v1_and_m2_do_not_differ_in_table_4():
    assert round(gap(unrounded(TABLE_IV), "v1", "M2"), 3) == 1.409
    assert not nemenyi_test(unrounded(TABLE_IV)).differ("v1", "M2")


def test_table_s9_misranks_post_operative_only():
    assert wrongly_ranked() == {"post_operative": (TABLE_S9["post_operative"], (2, 4, 1, 3))}


def test_table_4_as_table_s8_has_it():
    ranks = ranks_of_s8()
    assert [round(r, 3) for r in ranks.ranks] == [3.273, 2.909, 1.318, 2.5]
    assert round(friedman_test(ranks).f, 3) == 7.613


def test_table_s9_averages_to_table_4():
    assert ranks_of_s9().ranks == pytest.approx(TABLE_IV.ranks, abs=5e-4)
    assert round(friedman_test(ranks_of_s9()).f, 2) == 4.88


def test_table_s9_is_right_if_v1_on_post_operative_lost_a_digit():
    assert scores_with_a_digit_lost("post_operative", "v1") == ["0.30582", "0.31582"]
    assert scores_with_a_digit_lost("post_operative", "M2") == []  # v1 stays the largest


def test_both_readings_of_post_operative_are_shown():
    table = next(b for b in errata.section() if isinstance(b, Table) and "reading" in b.header)
    by_s9, by_s8 = ([plain(cell) for cell in row] for row in table.rows)
    assert by_s9[1:] == ["3.182", "2.909", "1.500", "2.409", "4.883", "1.682, yes", "1.409, no"]
    assert by_s8[1:] == ["3.273", "2.909", "1.318", "2.500", "7.613", "1.955, yes", "1.591, yes"]


@pytest.mark.parametrize(
    "words", ["the factor n/(n+1)", "called Z there", "names cmc twice", "printed as their sum"]
)
def test_slips_of_the_text_are_listed(words):
    (bullets,) = (b for b in errata.section() if isinstance(b, Bullets))
    assert sum(words in plain(item) for item in bullets.items) == 1
