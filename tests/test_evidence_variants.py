"""The NumPy code in which variants of evidence are tried says what the engine says."""

from __future__ import annotations

import numpy as np
import pytest

from boxwise import HyperboxClassifier
from boxwise.datasets import loans
from boxwise.reference.eiol import EIOL

FROM_ROOT = "benchmarks are found from the root of the source tree: python -m pytest"
terms = pytest.importorskip("benchmarks.evidence_terms", reason=FROM_ROOT)
learned = pytest.importorskip("benchmarks.evidence_learned", reason=FROM_ROOT)
order = pytest.importorskip("benchmarks.evidence_order", reason=FROM_ROOT)

N_TRAIN = 250
COLUMNS = ("salary", "loan", "education", "car")  # few, so that boxes hold several rows
TRAIN, TEST = np.arange(N_TRAIN), np.arange(N_TRAIN, N_TRAIN + 40)


@pytest.fixture(scope="module")
def table():
    rows, labels = loans(len(TRAIN) + len(TEST), function=7, noise=0.05, seed=3)
    X = np.array([[row[c] for c in COLUMNS] for row in rows], dtype=object)
    return X, np.array(labels), [2, 3]


@pytest.fixture(scope="module")
def replayed(table):
    X, y, categorical = table
    rows = terms.Rows(X, y, categorical, TRAIN)
    taken, said = order.who_took(X, y, categorical, rows, TRAIN)
    return rows, taken, said


def fitted(table, **fixed):
    X, y, categorical = table
    return HyperboxClassifier(categorical_features=categorical, **fixed).fit(X[TRAIN], y[TRAIN])


@pytest.mark.parametrize("choice", [(0.03, 0.3, 1.0), (0.2, 8.0, 2.5)])
def test_probabilities_are_those_of_the_engine(table, replayed, choice):
    h, a, t = choice
    rows, taken, _ = replayed
    plain = learned.Plain(terms.replay(rows, taken), t)
    p = [plain.probabilities(plain.held.ask(i, h, a)) for i in TEST]
    clf = fitted(table, bandwidth=h, backoff=a, temperature=t, forget=False)
    assert np.abs(p - clf.predict_proba(table[0][TEST])).max() < 1e-9


def test_in_the_order_of_membership_the_same_boxes_take_the_rows(replayed):
    rows, taken, _ = replayed

    class ByMembership(order.ByEvidence):
        membership = EIOL.membership

    learner = ByMembership(rows, len(TRAIN), 0.1, 2.0, by_size=True)
    assert [learner.learn_row(int(i)) for i in TRAIN] == taken


def test_a_row_that_is_dropped_leaves_the_boxes_as_they_were_without_it(replayed):
    rows, taken, _ = replayed
    held = terms.replay(rows, taken)
    not_first = [k for k, (i, box) in enumerate(taken) if held.members[box][0] != i]
    assert len(not_first) > 20
    for k in not_first[:20]:
        held.drop(*taken[k])
        without = terms.replay(rows, [pair for pair in taken if pair != taken[k]])
        for name in ("logs", "counts", "shares"):
            mine, other = (getattr(one.ask(TEST[0], 0.1, 2.0), name) for one in (held, without))
            np.testing.assert_allclose(mine, other, atol=1e-12)
        held.take(*taken[k])


@pytest.mark.parametrize("name", [*learned.KINDS, "backoffs of columns"])
def test_each_step_follows_the_slope_of_the_log_loss(replayed, name):
    rows, taken, _ = replayed
    held = terms.replay(rows, taken)
    learner = learned.learners(held, 1.5, 2.0)[name]
    rng = np.random.default_rng(0)
    learner.theta = rng.normal(0, 0.1, learner.theta.shape)
    i = TEST[0]
    asked = held.ask(i, 0.1, 2.0)

    def loss(theta):
        learner.theta = theta
        return -np.log(learner.probabilities(asked)[rows.y[i]])

    theta, way = learner.theta, rng.normal(size=learner.theta.shape)
    if name == "weights of numbers and categories":  # which are moved together
        way[:] = 1.0
    slope = (loss(theta + 1e-6 * way) - loss(theta - 1e-6 * way)) / 2e-6
    learner.theta = theta
    gradient = learner.gradient(asked)
    if name == "weights of numbers and categories":
        p = rows.numbers.shape[1]
        gradient = gradient / np.repeat([p, len(gradient) - p], [p, len(gradient) - p])
    assert slope != 0
    assert np.sum(gradient * way) == pytest.approx(slope, rel=1e-4)
