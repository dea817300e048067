"""Few and short rules that predict as the model does."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.inputs import Batch
from boxwise.rules import Between, Rule, RuleSet
from boxwise.rules.round_numbers import roundest
from boxwise.rules.synthetic_rows import synthetic_rows


@pytest.fixture(scope="module")
def loans():
    X, y = LoanStream(1_500, function=1, seed=1).table()
    return X, y, HyperboxClassifier().fit(X, y)


@pytest.fixture(scope="module")
def short(loans):
    X, y, clf = loans
    return clf.rules().simplify(X, y, fidelity=0.9, max_rules=6)


def test_hundreds_of_boxes_become_a_few_rules_that_agree_on_unseen_rows(loans, short):
    _, _, clf = loans
    unseen, _ = LoanStream(1_000, function=1, seed=2).table()
    assert clf.n_boxes_ > 300
    assert len(short) <= 7
    assert short.fidelity(unseen) > 0.88
    assert abs(short.fidelity(unseen) - short.simplification.chosen.fidelity) < 0.06


def test_the_last_rule_covers_all_rows_and_no_rule_is_idle(loans, short):
    assert short[-1].conditions == ()
    assert short[-1].text().startswith("OTHERWISE ")
    assert [rule.rank for rule in short] == [*range(len(short))]
    assert all(rule.decided > 0 and rule.conditions for rule in short[:-1])
    assert sum(rule.decided for rule in short) == len(loans[1])
    assert str(short).startswith("1. IF ")


def test_the_first_rule_that_covers_a_row_decides(loans, short):
    X, _, _ = loans
    first = short.covers(X).argmax(axis=1)
    labels = np.array([rule.label for rule in short])
    np.testing.assert_array_equal(short.predict(X), labels[first])


def test_the_path_trades_size_for_fidelity_in_the_open(short):
    path = short.simplification
    assert [point.n_rules for point in path.points] == sorted({p.n_rules for p in path.points})
    assert path.points[0].n_rules == 1
    front = path.front
    sizes = [(point.n_conditions, point.n_rules) for point in front]
    assert sizes == sorted(sizes)
    assert all(a.fidelity < b.fidelity for a, b in pairwise(front))
    assert path.chosen.n_conditions <= path.at(path.best).n_conditions
    assert len(path.at(0).rules) == 1
    frame = path.to_frame("pandas")
    assert frame["n_rules"].tolist() == [point.n_rules for point in path.points]
    assert str(path).count("chosen") == 1


def test_the_same_rows_give_the_same_rules(loans, short):
    X, y, clf = loans
    assert clf.rules().simplify(X, y, fidelity=0.9, max_rules=6) == short


def test_simplified_rules_come_back_from_json(short):
    back = RuleSet.from_json(short.to_json())
    assert back == short
    assert back.ordered
    with pytest.raises(ValueError, match="without their model"):
        back.simplify([[1]], [1])


def test_a_fidelity_that_no_list_reaches_is_said():
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 4)), rng.integers(0, 2, 80)
    clf = HyperboxClassifier(0.05).fit(X, y)
    with pytest.warns(UserWarning, match=r"no list of up to 3 rules agrees .* on 100.0% of"):
        short = clf.rules().simplify(X, y, fidelity=1.0, max_rules=2)
    assert not short.simplification.reached


def test_other_rows_for_validation_are_taken_as_they_are(loans):
    X, y, clf = loans
    other, labels = LoanStream(200, function=1, seed=3).table()
    short = clf.rules().simplify(X, y, 0.85, validation=(other, labels), max_rules=3)
    assert short.simplification.asked == short.simplification.held_out == 200
    assert short.simplification.chosen.fidelity == short.fidelity(other)


def cases():
    rng = np.random.default_rng(1)
    numbers = rng.integers(0, 9, (60, 2)).astype(float)
    words = np.array([["red", "green", None][k] for k in rng.integers(0, 3, 60)], dtype=object)
    target = (numbers[:, 0] > 4).astype(int)
    holes = numbers.copy()
    holes[rng.random(holes.shape) < 0.2] = np.nan
    yield "numbers", numbers, target
    yield "missing numbers", holes, target
    yield "categories", words[:, None], np.where(words == "red", "stop", "go")
    yield "one class", numbers, np.zeros(60, int)
    yield "truth values", numbers, target == 1
    yield "many classes", numbers, numbers[:, 0].astype(int)
    yield "one row", numbers[:1], target[:1]
    yield "two rows", numbers[:2], [0, 1]
    yield "a constant column", np.hstack([numbers, np.ones((60, 1))]), target


@pytest.mark.parametrize(("X", "y"), [pytest.param(*c[1:], id=c[0]) for c in cases()])
def test_tables_of_all_kinds(X, y):
    clf = HyperboxClassifier().fit(X, y)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no list of up to")
        short = clf.rules().simplify(X, y, max_rules=5)
    assert 1 <= len(short) <= 6
    assert set(short.predict(X).tolist()) <= set(clf.classes_.tolist())
    for rule in short:
        for condition in rule.conditions:
            if isinstance(condition, Between):
                assert condition.lower <= condition.upper
            else:
                assert condition.values


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fidelity": 2}, "fidelity must be from 0 to 1, not 2"),
        ({"max_rules": 0}, "max_rules must be at least 1, not 0"),
        ({"price": -1}, "price must not be below 0, not -1"),
        ({"validation": 1.5}, "validation must be a share between 0 and 1, not 1.5"),
    ],
)
def test_options_that_cannot_be_are_refused(options, message):
    rules = HyperboxClassifier().fit([[0.0], [1.0]], [0, 1]).rules()
    with pytest.raises(ValueError, match=message):
        rules.simplify([[0.0], [1.0]], [0, 1], **options)


def test_progress_is_told(loans):
    X, y, clf = loans
    told = []
    clf.rules().simplify(X, y, 0.5, max_rules=2, progress=lambda done, total: told.append(done))
    assert told == sorted(told)
    assert told[-1] == 6


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_a_round_number_lies_where_it_must(a, b):
    low, below = sorted((a, b))
    if low < below:
        assert low <= roundest(low, below) < below


@pytest.mark.parametrize(
    ("low", "below", "number"), [(1169, 1205, 1200), (0.041, 0.085, 0.05), (41, 42, 41), (-3, 4, 0)]
)
def test_round_numbers(low, below, number):
    assert roundest(low, below) == number


def test_synthetic_rows_have_values_of_the_rows_given():
    lower = np.arange(12.0).reshape(6, 2)
    batch = Batch(lower, lower + 1, np.arange(6, dtype=np.int32)[:, None], [])
    more = synthetic_rows(batch, 50, np.random.default_rng(0))
    assert more.n_rows == 50
    assert np.isin(more.lower[:, 0], lower[:, 0]).all()
    np.testing.assert_array_equal(more.upper - more.lower, 1.0)


def test_a_rule_that_is_100_percent_right_is_wholly_right():
    rule = Rule((), "yes", covered=1000, right=999)
    assert str(rule) == "ALWAYS yes (covers 1,000 rows, 99% right)"


def test_rules_made_before_the_model_learned_more_are_simplified_as_it_is_now():
    X = [[float(i % 10)] for i in range(60)]
    clf = HyperboxClassifier().fit(X, ["low" if x < 5 else "high" for (x,) in X])
    rules = clf.rules()
    more = [[float(20 + i % 20)] for i in range(60)]
    labels = ["new" if x < 30 else "newer" for (x,) in more]
    clf.partial_fit(more, labels)
    short = rules.simplify(more[::-1], labels[::-1], fidelity=0.9)
    assert {"new", "newer"} <= {rule.label for rule in short}
    assert short.simplification.chosen.cba > 0.8
