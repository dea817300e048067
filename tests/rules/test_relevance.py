"""Rules of boxes that decide by evidence: relevant columns first, what is lifted left out."""

import numpy as np
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.rules import Between


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


def multipliers(clf):
    return dict(zip(clf.schema_.names, 1 / clf.relevance_, strict=True))


def test_conditions_come_in_the_order_of_relevance(clf):
    relevance = dict(zip(clf.schema_.names, clf.relevance_, strict=True))
    for rule in clf.rules(full=True):
        of_conditions = [relevance[condition.column] for condition in rule.conditions]
        assert of_conditions == sorted(of_conditions, reverse=True)
        assert len(rule.conditions) == 3


def test_conditions_without_a_limit_are_left_out():
    clf = HyperboxClassifier(theta=0.9).fit(*table())
    multiplier = multipliers(clf)
    limited = {name for name in ("noise", "telling") if 0.9 * multiplier[name] ** 0.5 < 1}
    assert limited == {"telling"}
    for rule in clf.rules():
        columns = [condition.column for condition in rule.conditions]
        assert columns[0] == "telling"
        assert "noise" not in columns


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


def test_models_without_relevance_keep_the_order_of_the_columns():
    clf = EIOLGFMM(theta=0.2, delta=0.1).fit(*table(100))
    for rule in clf.rules(full=True):
        assert [condition.column for condition in rule.conditions] == ["noise", "telling", "colour"]
        assert isinstance(rule.conditions[0], Between)
