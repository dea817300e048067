"""Rules cover exactly the rows that their boxes contain: a law."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxwise import EIOLGFMM

NUMBERS = st.one_of(st.none(), st.integers(0, 10))
VALUES = st.sampled_from(["a", "b", "c", None])
COLUMNS = {"mixed": (2, 2), "numbers": (3, 0), "categories": (0, 2)}


@st.composite
def tables(draw, kind):
    """Return rows to learn, their labels, and rows to ask about, some of them intervals."""
    n, r = COLUMNS[kind]
    row = st.tuples(*[NUMBERS] * n, *[VALUES] * r)
    learned = draw(st.lists(row, min_size=1, max_size=12))
    labels = draw(st.lists(st.sampled_from("xyz"), min_size=len(learned), max_size=len(learned)))
    beyond = st.one_of(NUMBERS, st.integers(-5, 15))
    strange = st.one_of(VALUES, st.just("never seen"))
    asked = draw(st.lists(st.tuples(*[beyond] * n, *[strange] * r), min_size=1, max_size=12))
    widths = draw(st.lists(st.tuples(*[st.integers(0, 3)] * n), min_size=12, max_size=12))
    return learned, labels, asked, widths[: len(asked)]


def frame(rows, n):
    table = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        table[i] = [float("nan") if x is None and j < n else x for j, x in enumerate(row)]
    return table


def contained(clf, X, upper, n):
    """Return rows × boxes, by the engine's membership of the numbers and the values of each box."""
    numbers = clf.membership(X, upper) == 1 if n else np.ones((len(X), clf.n_boxes_), bool)
    values = [
        [all(x in seen for x, seen in zip(row[n:], box, strict=True)) for box in clf.boxes_.counts]
        for row in X.tolist()
    ]
    return numbers & np.array(values)


def learned_model(learned, labels, n, theta):
    categorical = [*range(n, len(learned[0]))]
    clf = EIOLGFMM(
        theta,
        delta=0.9,
        alpha=1.0,  # so that the membership is that of the numbers
        feature_range=(0, 10),
        categorical_features=categorical,
    )
    return clf.fit(frame(learned, n), labels)


@pytest.mark.parametrize("kind", COLUMNS)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), theta=st.sampled_from([0.2, 0.5, 1.0]))
def test_a_rule_covers_exactly_the_rows_that_its_box_contains(kind, data, theta):
    n, _ = COLUMNS[kind]
    learned, labels, asked, widths = data.draw(tables(kind))
    clf = learned_model(learned, labels, n, theta)
    X = frame(asked, n)
    upper = None
    if n:
        upper = X[:, :n].astype(float) + np.array(widths, float).reshape(len(asked), n)
    rules = clf.rules(full=True)
    boxes = [rule.boxes[0] for rule in rules]
    expected = contained(clf, X, upper, n)[:, boxes]
    np.testing.assert_array_equal(rules.covers(X, upper), expected)


@pytest.mark.parametrize("kind", COLUMNS)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), theta=st.sampled_from([0.2, 0.5, 1.0]))
def test_leaving_out_what_does_not_bind_changes_nothing_for_what_the_model_knows(kind, data, theta):
    n, _ = COLUMNS[kind]
    learned, labels, _, _ = data.draw(tables(kind))
    clf = learned_model(learned, labels, n, theta)
    X = frame([*learned, *zip(*[row[::-1] for row in zip(*learned, strict=True)], strict=True)], n)
    expected = contained(clf, X, None, n)
    rules = clf.rules()
    np.testing.assert_array_equal(rules.covers(X), expected[:, [r.boxes[0] for r in rules]])
