"""Thresholds and costs, against trying every threshold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxwise.evaluate import Costs, assess, best_threshold


def cost_at(p, positive, threshold, costs):
    taken = p >= threshold
    return costs.fn * (positive & ~taken).sum() + costs.fp * (~positive & taken).sum()


rows = st.lists(
    st.tuples(st.floats(0, 1), st.booleans())
    | st.tuples(st.sampled_from([0, 0.5, 1]), st.booleans()),
    min_size=1,
    max_size=30,
)
amounts = st.sampled_from([0, 0.1, 1, 1.5, 5, 1000])


@given(rows, amounts, amounts)
def test_no_threshold_costs_less_than_the_best(pairs, fn, fp):
    if fn == fp == 0:
        return
    p, positive = np.array([a for a, _ in pairs], float), np.array([b for _, b in pairs])
    costs = Costs(fn=fn, fp=fp)
    found = cost_at(p, positive, best_threshold(p, positive, costs), costs)
    least = min(cost_at(p, positive, t, costs) for t in [0, *p, math.inf])
    assert found == pytest.approx(least)


def test_the_threshold_is_the_calibrated_one_if_it_costs_as_little():
    p, positive = np.array([0.05, 0.4]), np.array([False, True])
    assert best_threshold(p, positive, Costs(fn=4, fp=1)) == 0.2


def test_the_threshold_is_a_short_number():
    p, positive = np.array([0.1234567, 0.5, 0.5678912]), np.array([True, False, True])
    assert best_threshold(p, positive, Costs(fn=9, fp=1)) == 0.1
    assert best_threshold(p, positive, Costs(fn=1, fp=9)) == 0.56


def found(y, p, **options):
    score = np.asarray(p, float)
    return assess(y, np.column_stack([1 - score, score]), ["no", "yes"], **options)


def test_the_report_counts_the_errors_of_each_decision():
    y = ["no", "no", "yes", "no", "yes", "yes"]
    cost = found(y, [0.1, 0.2, 0.3, 0.4, 0.6, 0.9], cost={"fn": 5, "fp": 1}).cost
    counts = {d.name: (d.false_negatives, d.false_positives, d.cost) for d in cost.decisions}
    assert counts == {
        "best": (0, 1, 1),
        "0.5": (1, 0, 5),
        "calibrated": (0, 2, 2),
        "always": (0, 3, 3),
        "never": (3, 0, 15),
    }
    assert 0.2 < cost.best.threshold <= 0.3
    assert (cost.positive, cost.positives, cost.rows) == ("yes", 3, 6)


def test_the_held_out_cost_is_of_rows_that_did_not_choose_the_threshold():
    y = ["no", "yes"] * 2 + ["yes", "no"] * 2
    p = [0.2, 0.4] * 4
    cost = found(y, p, cost="fn=1,fp=1").cost
    # The first half chooses a threshold between 0.2 and 0.4, at which all of the second is wrong.
    assert cost.held_out == (1.0, 0.5)
    assert cost.chosen_on == "the first half"


def test_the_held_out_cost_over_folds_uses_the_other_folds():
    y, p = ["no", "yes"] * 20, [0.2, 0.4] * 20
    cost = found(y, p, cost="fn=1,fp=1", folds=np.arange(40) // 8).cost
    assert cost.held_out == (0.0, 0.5)
    assert cost.chosen_on == "the other folds"


def test_another_class_may_be_the_positive_one():
    y, p = ["no", "no", "yes"], [0.4, 0.6, 0.9]
    cost = found(y, p, cost="fn=1,fp=1", positive="no").cost
    half = cost.decisions[1]
    assert (cost.positive, half.false_negatives, half.false_positives) == ("no", 1, 0)


def test_three_classes_need_a_positive_one():
    y, p = ["a", "b", "c"] * 4, np.tile(np.eye(3), (4, 1))
    without = assess(y, p, ["a", "b", "c"], cost="fn=5,fp=1")
    assert without.cost is None
    assert "there are 3 classes, and costs need two" in repr(without)
    cost = assess(y, p, ["a", "b", "c"], cost="fn=5,fp=1", positive="b").cost
    assert (cost.positives, cost.best.cost) == (4, 0)


def test_one_class_alone_has_no_costs():
    only = assess(["a"] * 5, [[1.0]] * 5, ["a"], cost="fn=5,fp=1")
    assert only.no_cost == "costs need two classes, and all rows are 'a'"


def test_costs_need_probabilities():
    none = assess(["a", "b"], None, ["a", "b"], y_pred=["a", "b"], cost="fn=5,fp=1")
    assert "costs need probabilities" in repr(none)


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ("fn=5,tp=1", "no cost 'tp'; there are fn .* and fp"),
        ("fn=5", "the cost fp is not given; give both"),
        ("5", "'5' is no cost; costs are given as in fn=5,fp=1"),
        ("fn=five,fp=1", "cost fn is 'five', which is not a number"),
        ("fn=-1,fp=1", "cost fn must be a number, at least 0, not -1"),
        ("fn=inf,fp=1", "cost fn must be a number"),
        ("fn=nan,fp=1", "cost fn must be a number"),
        ("fn=0,fp=0", "both 0"),
        ("fn=1,fn=2", "'fn' is given twice"),
        ("", "is no cost"),
        ({"fn": "5", "fp": 1}, "must be a number"),
    ],
)
def test_costs_that_are_none_are_refused(costs, words):
    with pytest.raises(ValueError, match=words):
        Costs.read(costs)


def test_costs_are_a_mapping_or_a_text():
    assert Costs.read("fn=5, fp=1") == Costs.read({"fp": 1, "fn": 5}) == Costs(5, 1)
    with pytest.raises(TypeError, match="mapping or a text"):
        Costs.read(5)
