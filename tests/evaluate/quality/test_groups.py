"""Groups of rows: their figures are those of these rows alone."""

import math

import numpy as np
import pandas as pd
import pytest

from boxwise.evaluate import assess

CLASSES = ["no", "yes"]


def drawn(n=600, seed=0):
    random = np.random.default_rng(seed)
    sex = random.choice(["f", "m"], n, p=[0.3, 0.7])
    y = [CLASSES[c] for c in random.integers(2, size=n)]
    score = np.array([label == "yes" for label in y]) * 0.3 + random.random(n) * 0.7
    score = np.clip(score - 0.2 * (sex == "f"), 0, 1)
    return y, np.column_stack([1 - score, score]), sex


@pytest.fixture(scope="module")
def found():
    y, p, sex = drawn()
    return assess(y, p, CLASSES, groups={"sex": sex}, positive="yes")


def test_the_figures_of_a_group_are_those_of_its_rows_alone(found):
    y, p, sex = drawn()
    for group in found.groups["sex"].groups:
        rows = np.flatnonzero(sex == group.value)
        alone = assess([y[i] for i in rows], p[rows], CLASSES)
        assert group.rows == len(rows)
        for name, figure in alone.figures.items():
            assert group.figures[name].value == pytest.approx(figure.value), name
        for name, figure in alone.by_class["yes"].items():
            assert group.by_class["yes"][name].value == pytest.approx(figure.value), name


def test_the_group_with_most_rows_comes_first(found):
    assert [group.value for group in found.groups["sex"].groups] == ["m", "f"]


def test_the_selection_rate_is_the_share_predicted_as_the_class(found):
    _, p, sex = drawn()
    for group in found.groups["sex"].groups:
        wanted = np.mean(p[sex == group.value].argmax(axis=1))
        assert group.by_class["yes"]["selection_rate"].value == pytest.approx(wanted)


def test_the_difference_is_between_the_highest_and_the_lowest_group(found):
    by_value = {group.value: group for group in found.groups["sex"].groups}
    difference = found.groups["sex"].differences["yes", "selection_rate"]
    rates = {v: group.by_class["yes"]["selection_rate"].value for v, group in by_value.items()}
    assert (difference.highest, difference.lowest) == ("m", "f")
    assert difference.figure.value == pytest.approx(rates["m"] - rates["f"])
    assert difference.ratio.value == pytest.approx(rates["f"] / rates["m"])
    assert difference.figure.low < difference.figure.value < difference.figure.high
    assert 0 < difference.ratio.low < difference.ratio.value < difference.ratio.high


def test_the_interval_of_a_difference_holds_0_where_groups_do_not_differ():
    y, p, _ = drawn(seed=1)
    groups = {"parity": np.arange(len(y)) % 2}
    difference = assess(y, p, CLASSES, groups=groups).groups["parity"].differences[None, "accuracy"]
    assert difference.figure.low < 0 <= difference.figure.value < difference.figure.high


def test_small_groups_are_marked_and_not_compared():
    y, p, _ = drawn()
    column = ["tiny"] * 49 + ["small no more"] * 50 + ["large"] * (len(y) - 99)
    found = assess(y, p, CLASSES, groups={"size": column})
    comparison = found.groups["size"]
    assert {g.value: g.small for g in comparison.groups} == {
        "large": False, "small no more": False, "tiny": True,
    }  # fmt: skip
    compared = {d.highest for d in comparison.differences.values()}
    assert "tiny" not in compared | {d.lowest for d in comparison.differences.values()}
    text = repr(found)
    assert "tiny *" in text
    assert "* fewer than 50 rows" in text
    notes = {r["note"] for r in found.to_rows() if r["group"] == "tiny"}
    assert notes == {"small"}


def test_one_large_group_is_compared_with_none():
    y, p, _ = drawn()
    found = assess(y, p, CLASSES, groups={"g": ["a"] * (len(y) - 3) + ["b"] * 3})
    assert found.groups["g"].differences == {}
    assert "no two groups are large enough to be compared" in repr(found)


@pytest.mark.parametrize("gap", [None, math.nan, pd.NA])
def test_missing_values_are_a_group_of_their_own(gap):
    y, p, sex = drawn()
    column = [gap if i % 4 == 0 else value for i, value in enumerate(sex)]
    groups = assess(y, p, CLASSES, groups={"sex": column}).groups["sex"].groups
    assert {group.value: group.rows for group in groups}["missing"] == 150


def test_more_than_two_classes_have_groups_without_a_positive_class():
    y = [i % 3 for i in range(300)]
    p = np.eye(3)[[i * i % 3 for i in range(300)]]
    found = assess(y, p, range(3), groups={"half": [i // 150 for i in range(300)]})
    assert found.positive is None
    assert "balanced" in repr(found)
    assert (2, "selection_rate") in found.groups["half"].differences


def test_groups_have_intervals_over_folds_too():
    y, p, sex = drawn()
    found = assess(y, p, CLASSES, groups={"sex": sex}, folds=np.arange(len(y)) % 5)
    for group in found.groups["sex"].groups:
        mine = [
            np.mean([p[i].argmax() == CLASSES.index(y[i]) for i in range(f, 600, 5)
                     if sex[i] == group.value])
            for f in range(5)
        ]  # fmt: skip
        accuracy = group.figures["accuracy"]
        assert accuracy.value == pytest.approx(np.mean(mine))
        assert accuracy.low < accuracy.value < accuracy.high
