"""Conditions of rules: those that bind come first, the others are left out or folded."""

import numpy as np
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.rules import RuleSet


def table(n=800):
    random = np.random.default_rng(3)
    X = {
        "noise": random.random(n),
        "telling": random.random(n),
        "colour": random.choice(["red", "blue", "green"], n),
    }
    return X, ["high" if x > 0.5 else "low" for x in X["telling"]]


@pytest.fixture(scope="module")
def clf():
    return HyperboxClassifier().fit(*table())


@pytest.fixture(scope="module")
def changed():
    """A model with a retired expert."""
    rows = [*LoanStream(1500, function=1, seed=1), *LoanStream(1500, function=2, seed=2)]
    model = HyperboxClassifier().partial_fit([row for row, _ in rows], [label for _, label in rows])
    place = model._fitted().engine.snapshot()["place"][:, 0]
    assert (place > 0).any()
    return model, place


def test_the_condition_that_tells_classes_apart_comes_first(clf):
    rules = clf.rules()
    heavy = rules[:10]
    assert {rule.conditions[0].column for rule in heavy} == {"telling"}
    for full, rule in zip(clf.rules(full=True), rules, strict=True):
        assert len(full.conditions) == 3
        assert full.conditions[: len(rule.conditions)] == rule.conditions


def test_conditions_that_raise_no_precision_are_left_out(clf):
    shown = [c.column for rule in clf.rules()[:10] for c in rule.conditions]
    assert shown.count("telling") == 10
    assert shown.count("colour") + shown.count("noise") <= 3


def test_rules_agree_more_often_with_the_model_than_their_boxes():
    X, y = LoanStream(1_500, function=7, seed=1).table()
    new, _ = LoanStream(500, function=7, seed=2).table()
    clf = HyperboxClassifier().fit(X, y)
    rules = clf.rules()
    assert rules.fidelity(new) > clf.rules(full=True).fidelity(new) + 0.05
    assert max(len(rule.conditions) for rule in rules) <= 5


def test_a_long_set_is_folded_by_whether_it_binds():
    random = np.random.default_rng(4)
    cities = [f"c{i:02}" for i in range(40)]
    city = random.choice(cities, 2_000)
    age = random.random(2_000)
    y = np.where(np.isin(city, cities[:20]), "near", "far")
    clf = EIOLGFMM(theta=1.0, delta=1.0).fit({"city": city, "age": age}, y)
    (near,) = [rule for rule in clf.rules(full=True) if rule.label == "near"]
    assert (
        str(near.conditions[0])
        == "city is one of 20 values ("
        + ", ".join(map(str, near.conditions[0].values[:3]))
        + ", …)"
    )
    y = np.where(age < 0.5, "young", "old")
    clf = EIOLGFMM(theta=0.6, delta=1.0).fit({"city": city, "age": age}, y)
    for rule in clf.rules(full=True):
        age_first, places = rule.conditions
        assert age_first.column == "age"
        assert str(places) == "city is any of 40 values"
        assert len(places.values) == 40
    again = RuleSet.from_json(clf.rules(full=True).to_json())
    assert again == clf.rules(full=True)


def test_boxes_without_a_class_are_not_compared_with():
    X = [[x / 100] for x in range(100)]
    clf = HyperboxClassifier(theta=0.1, unlabelled="?").fit(X, ["?"] * 50 + ["a"] * 25 + ["b"] * 25)
    assert {rule.label for rule in clf.rules()} <= {"a", "b"}
    assert all(rule.conditions for rule in clf.rules())


def test_values_of_nearly_all_rows_of_the_class_are_left_out():
    X, y = table()
    X["colour"] = np.array(["red"] * 795 + ["blue"] * 5)
    for rule in HyperboxClassifier().fit(X, y).rules():
        assert "colour is red" not in str(rule)


def test_a_rule_keeps_its_most_relevant_condition(clf):
    spread = {"a": np.random.default_rng(0).random(400)}
    random = np.random.default_rng(1).choice(["x", "y"], 400)
    found = HyperboxClassifier(theta=2.0).fit(spread, random)
    low, high = found.schema_.columns[0].range
    for rule in found.rules():
        (box,) = rule.boxes
        spans = found.boxes_.lower[box, 0] <= low and found.boxes_.upper[box, 0] >= high
        assert len(rule.conditions) == (0 if spans else 1)


def test_boxes_of_other_experts_make_no_rules(changed):
    model, place = changed
    rules = model.rules()
    assert {rule.boxes[0] for rule in rules} == {*np.flatnonzero(place == 0).tolist()}
    assert len(model.boxes_) == len(place)
    assert [rule.rank for rule in rules] == [*range(len(rules))]


def test_where_one_box_decides_all_limiting_conditions_stay():
    clf = EIOLGFMM(theta=0.2, delta=0.1).fit(*table(100))
    for rule in clf.rules(full=True):
        assert {c.column for c in rule.conditions} == {"noise", "telling", "colour"}
    assert max(len(rule.conditions) for rule in clf.rules()) == 3


def test_two_columns_that_only_together_tell_classes_apart_are_both_named():
    random = np.random.default_rng(5)
    X = {name: random.random(2_000) for name in ("noise", "a", "b", "more")}
    y = np.where((X["a"] > 0.5) == (X["b"] > 0.5), "same", "other")
    clf = HyperboxClassifier().fit(X, y)
    new = {name: random.random(500) for name in X}
    rules = clf.rules()
    assert rules.fidelity(new) > 0.9
    heavy = rules[:20]
    assert all({"a", "b"} <= {c.column for c in rule.conditions} for rule in heavy)
