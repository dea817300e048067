"""The paper's properties of the change in entropy (section III-B), and laws of learning."""

from collections import Counter
from math import log2
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from boxwise import EIOLGFMM
from boxwise.reference.eiol import EIOL, entropy_change

COUNTED = st.dictionaries(st.integers(0, 9), st.integers(1, 50), min_size=1, max_size=10)
ROUNDING = 1e-12


def g(k: int) -> float:
    return (k + 1) * log2(k + 1) - k * log2(k) if k else 0.0


def bound(n: int) -> float:
    """The largest change, of Property 2."""
    return log2(n + 1) - n / (n + 1) * log2(n)


@given(COUNTED, st.integers(0, 10))
def test_the_closed_form_is_the_change_in_entropy(d: dict[int, int], value: int) -> None:
    n = sum(d.values())
    closed = (g(n) - g(d.get(value, 0))) / (n + 1)
    assert abs(entropy_change(d, value) - closed) < ROUNDING


@given(COUNTED)
def test_property_1_a_new_value_changes_the_entropy_most(d: dict[int, int]) -> None:
    new = entropy_change(d, "new")
    assert all(entropy_change(d, value) < new for value in d)


@given(COUNTED)
def test_the_change_falls_as_the_value_grows_more_common(d: dict[int, int]) -> None:
    by_count = sorted(d.values())
    changes = [entropy_change(d, v) for v, _ in sorted(d.items(), key=lambda item: item[1])]
    for i in range(1, len(changes)):
        if by_count[i] > by_count[i - 1]:
            assert changes[i] < changes[i - 1]


@given(COUNTED, st.integers(0, 10))
def test_property_2_the_bound_depends_on_the_number_of_samples_alone(
    d: dict[int, int], value: int
) -> None:
    assert entropy_change(d, value) <= bound(sum(d.values())) + ROUNDING
    assert abs(entropy_change(d, "new") - bound(sum(d.values()))) < ROUNDING


@given(COUNTED, st.integers(0, 10))
def test_property_3_the_change_lies_between_zero_and_one(d: dict[int, int], value: int) -> None:
    assert -ROUNDING <= entropy_change(d, value) <= 1 + ROUNDING


@given(st.integers(1, 10**6))
def test_the_change_is_zero_only_for_the_one_value_of_a_box(n: int) -> None:
    assert abs(entropy_change({"a": n}, "a")) < ROUNDING
    assert entropy_change({"a": n, "b": 1}, "a") > 0


@given(COUNTED, st.integers(0, 10), st.integers(2, 1000))
def test_property_4_the_change_vanishes_as_samples_come_in(
    d: dict[int, int], value: int, times: int
) -> None:
    many = {v: count * times for v, count in d.items()}
    n = sum(many.values())
    assert bound(n) < bound(sum(d.values()))
    assert entropy_change(many, value) <= bound(n) + ROUNDING
    assert bound(n) < (log2(n) + 2.5) / n


@st.composite
def tables(draw: Any, labels: int = 3) -> tuple[np.ndarray, list[int]]:
    """Rows of two numbers and two categories, with repetitions."""
    number = st.one_of(st.integers(0, 4).map(float), st.floats(0, 4, width=16))
    row = st.tuples(number, number, st.sampled_from("abc"), st.sampled_from("xy"))
    rows = draw(st.lists(row, min_size=1, max_size=40))
    y = draw(st.lists(st.integers(0, labels - 1), min_size=len(rows), max_size=len(rows)))
    return np.array(rows, dtype=object), y


SHARES = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0])
INNER = st.sampled_from([0.1, 0.5, 0.9])
CONDITIONS = st.sampled_from(["each", "mean"])


def boxes(clf: EIOLGFMM) -> tuple[Any, ...]:
    b = clf.boxes_
    return b.lower.tolist(), b.upper.tolist(), b.counts, b.n_samples.tolist(), b.labels.tolist()


@settings(max_examples=60)
@given(tables(), SHARES)
def test_both_conditions_are_one_where_delta_is_one(
    table: tuple[np.ndarray, list[int]], theta: float
) -> None:
    each = EIOLGFMM(theta, delta=1.0, version=1).fit(*table)
    mean = EIOLGFMM(theta, delta=1.0, version=2).fit(*table)
    assert boxes(each) == boxes(mean)
    references = [EIOL(theta, 1.0, 0.5, [1.0, 1.0], condition) for condition in ("each", "mean")]
    for row, label in zip(*table, strict=True):
        for model in references:
            model.learn(row[:2], row[:2], row[2:], label)
    assert references[0].boxes == references[1].boxes


@settings(max_examples=60)
@given(tables(), SHARES, SHARES, SHARES, CONDITIONS)
def test_counts_always_add_up_to_the_rows_of_a_box(
    table: tuple[np.ndarray, list[int]], theta: float, delta: float, alpha: float, condition: str
) -> None:
    X, y = table
    view = EIOLGFMM(theta, delta, 2 if condition == "mean" else 1, alpha).partial_fit(X, y).boxes_
    for n, sets in zip(view.n_samples, view.counts, strict=True):
        assert [sum(d.values()) for d in sets] == [n, n]
        assert all(count > 0 for d in sets for count in d.values())
    rows = Counter(y)
    for label in rows:
        assert view.n_samples[view.labels == label].sum() == rows[label]
    for j in (2, 3):
        taken: Counter[object] = Counter()
        for sets in view.counts:
            taken.update(sets[j - 2])
        assert taken == Counter(X[:, j])


@settings(max_examples=60)
@given(tables(), SHARES, SHARES, INNER, CONDITIONS)
def test_a_learned_row_lies_in_a_box_of_its_class(
    table: tuple[np.ndarray, list[int]], theta: float, delta: float, alpha: float, condition: str
) -> None:
    clf = EIOLGFMM(theta, delta, 2 if condition == "mean" else 1, alpha).partial_fit(*table)
    view = clf.boxes_
    for row, label in zip(*table, strict=True):
        numbers = row[:2].astype(float)
        inside = (view.lower <= numbers).all(axis=1) & (numbers <= view.upper).all(axis=1)
        holding = [all(v in d for v, d in zip(row[2:], sets, strict=True)) for sets in view.counts]
        assert (inside & holding & (view.labels == label)).any()


@settings(max_examples=60)
@given(tables(), SHARES, SHARES, SHARES, CONDITIONS)
def test_no_side_is_longer_than_theta_of_the_range(
    table: tuple[np.ndarray, list[int]], theta: float, delta: float, alpha: float, condition: str
) -> None:
    clf = EIOLGFMM(theta, delta, 2 if condition == "mean" else 1, alpha).partial_fit(*table)
    ranges = np.array([column.range for column in clf.schema_.columns[:2]])
    sides = clf.boxes_.upper - clf.boxes_.lower
    assert (sides <= theta * (ranges[:, 1] - ranges[:, 0])).all()


@settings(max_examples=60)
@given(tables(), SHARES, CONDITIONS)
def test_no_box_changes_more_than_delta_allows(
    table: tuple[np.ndarray, list[int]], delta: float, condition: str
) -> None:
    """Replay the rows: each box is as homogeneous as delta asked when it took them."""
    clf = EIOLGFMM(1.0, delta, version=2 if condition == "mean" else 1)
    held: dict[int, list[dict[object, int]]] = {}
    for row, label in zip(*table, strict=True):
        clf.partial_fit([row.tolist()], [label])
        for i, sets in enumerate(clf.boxes_.counts):
            if i in held and sets != held[i]:
                changes = [
                    entropy_change(d, value) for d, value in zip(held[i], row[2:], strict=True)
                ]
                change = max(changes) if condition == "each" else sum(changes) / len(changes)
                assert change <= delta + 2 * ROUNDING
            held[i] = sets
