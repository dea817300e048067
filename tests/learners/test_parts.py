"""The scheme of learning in parts: which rows are withheld, what classes weigh, one of many."""

import numpy as np
import pytest

from boxwise import HyperboxClassifier, dumps, merge
from boxwise.datasets import loans
from boxwise.learners.parts import (
    MOST_WITHHELD,
    WithheldRows,
    balanced_weights,
    merged_parts,
    quota,
    tuning_order,
    withheld_places,
)


@pytest.mark.parametrize(("most", "n"), [(600, 16), (600, 1_000), (600, 2), (7, 3), (0, 5)])
def test_quotas_are_spread_over_the_parts(most, n):
    quotas = [quota(part, n, most) for part in range(n)]
    assert sum(quotas) == most
    assert max(quotas) - min(quotas) <= 1
    spread = np.flatnonzero(quotas) if most < n else np.arange(n)
    assert len(spread) < 2 or np.ptp(np.diff(spread)) <= 1


def test_quota_is_of_5000_rows_and_the_only_part_has_none():
    assert sum(quota(part, 64) for part in range(64)) == MOST_WITHHELD == 5_000
    assert quota(0, 1) == 0


def taken(n, part, most, size):
    """Return the rows that are withheld in the end, and how often half were given back."""
    rows, kept, halved = WithheldRows(part, most), [], 0
    for begin in range(0, n, size):
        for place, too_many in rows.take(min(size, n - begin)):
            kept.append(place)
            if too_many:
                kept, halved = kept[::2], halved + 1
    assert kept == rows.places
    return kept, halved


@pytest.mark.parametrize("n", [0, 1, 9, 10, 11, 500, 5_000])
@pytest.mark.parametrize("most", [1, 7, 100])
def test_withheld_rows_do_not_depend_on_the_chunks(n, most):
    expected = withheld_places(n, 3, most).tolist()
    for size in (1, 3, 64, 5_000):
        assert taken(n, 3, most, size)[0] == expected


def test_withheld_rows_are_a_tenth_at_most_after_any_number_of_rows():
    for part in range(20):
        counts = [len(withheld_places(n, part, 100)) for n in range(300)]
        assert all(n // 10 - 1 <= count <= n // 10 for n, count in enumerate(counts))


@pytest.mark.parametrize("n", [2_000, 12_345, 100_000])
def test_withheld_rows_are_at_most_as_many_and_spread_over_all(n):
    places = withheld_places(n, 0, 100)
    assert 50 <= len(places) <= 100
    assert places.min() < n / 20 and places.max() > n - n / 15
    assert np.diff(places).min() > 0 and np.diff(places).max() < n / 15


def test_withheld_rows_are_drawn_anew_for_each_part():
    first, again, other = (withheld_places(1_000, part, 500) for part in (0, 0, 1))
    assert first.tolist() == again.tolist() != other.tolist()
    assert len({place % 10 for place in first}) > 4


def test_no_row_is_withheld_where_none_may_be():
    assert withheld_places(1_000, 0, 0).tolist() == []


def test_tuning_order_is_always_the_same_and_none_of_the_parts():
    order = tuning_order(500)
    assert sorted(order) == [*range(500)]
    assert order.tolist() == tuning_order(500).tolist()
    assert abs(np.corrcoef(order, np.arange(500))[0, 1]) < 0.2


def test_merged_parts_leave_one_model_as_it_is_unless_it_is_tuned():
    rows, labels = loans(400, function=1)
    one = HyperboxClassifier(max_boxes=50).fit(rows[:300], labels[:300])
    assert merged_parts([one]) is one
    tune = (rows[300:], labels[300:])
    assert dumps(merged_parts([one], tune)) == dumps(merge([one], tune=tune))


def test_balanced_weights_are_those_of_the_whole_table():
    counts = [{"a": (3.0, 1.0)}, {"b": (1.0, 1.0)}, {}]
    assert balanced_weights(counts) == {"a": pytest.approx(2 / 3), "b": 2.0}
    assert balanced_weights([{"a": (0.0, 0.0), "b": (1.0, 1.0)}]) == {"b": 1.0}
    assert balanced_weights([]) == {}


def test_balanced_weights_do_not_depend_on_the_order_of_the_parts():
    counts = [{name: (0.1 * i, 1.0)} for i in range(1, 40) for name in "cab"]
    assert [*balanced_weights(counts).items()] == [*balanced_weights(counts[::-1]).items()]


def test_balanced_weights_beyond_the_limit_are_scaled():
    weights = balanced_weights([{"a": (300_000.0, 1.0)}, {"a": (1.0, 1.0), "b": (1.0, 1.0)}])
    assert weights["b"] == pytest.approx(10_000)
    assert weights["b"] <= 10_000
    assert weights["b"] / weights["a"] == pytest.approx(300_001)
