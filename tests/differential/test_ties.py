"""What ties on paper ties here: decimals on a grid, against fractions that are exact."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from boxwise import EIOLGFMM, OnlineGFMM, ShindeGFMM
from boxwise.reference import EIOL
from boxwise.reference.eiol import counts
from boxwise.reference.hyperbox import Box, Numbers, Values, in_units
from boxwise.reference.shinde import matched

ALPHAS = (Fraction(1, 10), Fraction(3, 10), Fraction(3, 5), Fraction(2, 3), Fraction(5, 7))


class Exact:
    """Memberships of boxes over features from 0 to 1, in fractions."""

    def __init__(self, alpha: Fraction, gamma: Fraction) -> None:
        self.alpha, self.gamma = alpha, gamma

    def b_num(self, box: Box, point: Numbers) -> Fraction:
        b = Fraction(1)
        for x, v, w in zip(point, box.V, box.W, strict=True):
            far = max(on_grid(x) - on_grid(w), on_grid(v) - on_grid(x), Fraction(0))
            b = min(b, 1 - min(far * self.gamma, Fraction(1)))
        return b

    def membership(self, box: Box, point: Numbers, values: Values) -> Fraction:
        b_cat = Fraction(sum(counts(box, values)), box.n * len(values))
        return self.alpha * self.b_num(box, point) + (1 - self.alpha) * b_cat

    def predict(self, model: EIOL, point: Numbers, values: Values) -> Any:
        degrees = [self.membership(box, point, values) for box in model.boxes]
        best = max(degrees)
        rows = dict.fromkeys(model.classes, -1)
        for box, degree in zip(model.boxes, degrees, strict=True):
            if degree == best:
                rows[box.label] = max(rows[box.label], 0) + (box.n if best > 0 else 0)
        return max(rows, key=lambda label: rows[label])  # the first of the largest


def on_grid(x: float) -> Fraction:
    return Fraction(round(x * 100), 100)


def rows_on_a_grid(seed: int, n_rows: int) -> tuple[list[list[float]], list[list[str]], list[int]]:
    random = Random(seed)
    points = [[random.randrange(0, 101, 10) / 100 for _ in range(2)] for _ in range(n_rows)]
    values = [[random.choice("aab") for _ in range(3)] for _ in range(n_rows)]
    return points, values, [random.randrange(3) for _ in range(n_rows)]


def learned(seed: int, alpha: Fraction) -> tuple[EIOL, EIOLGFMM]:
    points, values, labels = rows_on_a_grid(seed, 60)
    reference = EIOL(0.3, 1.0, float(alpha), [1.0] * 2, "each", [(0, 1)] * 2, growing=False)
    for point, row, label in zip(points, values, labels, strict=True):
        reference.learn(point, point, row, label)
    clf = EIOLGFMM(0.3, 1.0, alpha=float(alpha), feature_range=(0, 1))
    clf.partial_fit([[*p, *v] for p, v in zip(points, values, strict=True)], labels)
    return reference, clf


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_predict_sees_the_ties_that_fractions_see(alpha: Fraction) -> None:
    exact, rounding = Exact(alpha, Fraction(1)), 0
    for seed in range(6):
        reference, clf = learned(seed, alpha)
        points, values, _ = rows_on_a_grid(seed + 1_000, 80)
        rows = [[*p, *v] for p, v in zip(points, values, strict=True)]
        predicted = clf.predict(rows).tolist()
        for point, row, label in zip(points, values, predicted, strict=True):
            assert label == exact.predict(reference, point, row)
            degrees = [
                reference.alpha * reference.b_num(box, point, point)
                + (1 - reference.alpha) * sum(counts(box, row)) / (box.n * 3)
                for box in reference.boxes
            ]
            near = [b for b in degrees if b > max(degrees) - 1e-12]
            rounding += len(set(near)) > 1  # equal on paper, not in their last bits
    assert rounding > 3


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
def test_learn_orders_candidates_as_fractions_do(alpha: Fraction) -> None:
    """The row goes to the box of largest membership that may take it; of equals to the oldest."""
    exact, grown = Exact(alpha, Fraction(1)), 0
    for seed in range(6):
        points, values, labels = rows_on_a_grid(seed, 60)
        model = EIOL(0.3, 1.0, float(alpha), [1.0] * 2, "each", [(0, 1)] * 2, growing=False)
        for point, row, label in zip(points, values, labels, strict=True):
            before = [
                (box, box.n, exact.membership(box, point, row))
                for box in model.boxes
                if box.label == label
            ]
            fitting = [b for b, _, _ in before if model.fits(b, point, point)]
            model.learn(point, point, row, label)
            taker = next((box for box, n, _ in before if box.n > n), None)
            if taker is None or model.rejections:
                model.rejections = 0
                continue
            best = max(degree for box, _, degree in before if box in fitting)
            first = next(box for box, _, degree in before if box in fitting and degree == best)
            assert taker is first
            grown += 1
    assert grown > 60


def test_in_units_joins_what_is_equal_on_paper() -> None:
    assert 0.3 * 0.8 + 0.6 != 0.6 * 0.8 + 0.4 * 0.9
    assert in_units(0.3 * 0.8 + 0.6) == in_units(0.6 * 0.8 + 0.4 * 0.9) == 0.84
    assert in_units(1.0) == 1.0
    assert in_units(0.0) == 0.0
    assert in_units(0.5 + 1e-12) > in_units(0.5)  # and keeps apart what is not


def test_a_fraction_with_a_denominator_below_a_thousand_is_never_split() -> None:
    """A few units in the last place either way do not change what it is rounded to."""
    for q in range(1, 1_000):
        exact = np.arange(q + 1) / q
        nearby = [exact]
        for towards in (-1.0, 2.0):
            moved = exact
            for _ in range(2):
                moved = np.nextafter(moved, towards)
            nearby.append(np.abs(moved))
        rounded = np.round(np.array(nearby) * 1e12)
        assert (rounded == rounded[0]).all(), q


@pytest.mark.parametrize("learner", [OnlineGFMM, ShindeGFMM])
def test_centres_equally_near_on_paper_tie_too(learner: type) -> None:
    """0.1 away on either side: the class seen first wins, whichever side that is."""
    for left, middle, right in ((0.2, 0.3, 0.4), (0.5, 0.6, 0.7), (0.6, 0.7, 0.8)):
        for order in (("p", "q"), ("q", "p")):
            places = dict(zip(("p", "q"), (left, right), strict=True))
            clf = learner(theta=0.0, feature_range=(0, 1))
            clf.fit([[places[label]] for label in order], [*order])
            assert clf.predict([[middle]]).tolist() == [order[0]]


@pytest.mark.parametrize("learner", [OnlineGFMM, ShindeGFMM])
def test_many_rows_are_predicted_as_one_where_memberships_round_to_zero(learner: type) -> None:
    """49 * (2 / 98) is a little below 1: such a box is as far as those beyond it."""
    places = [(49, 49), (60, 0), *((80 + i, 90) for i in range(14)), (70, 0)]
    clf = learner(theta=1e-4, gamma=2.0, feature_range=(0, 98))
    clf.fit(np.array(places, dtype=float), ["A"] * 16 + ["B"])
    rows = np.zeros((5_000, 2))
    assert clf.predict(rows[:1]).tolist() == ["A"]
    assert set(clf.predict(rows).tolist()) == {"A"}


def test_m2_sees_ties_of_its_own_membership() -> None:
    points, values, labels = rows_on_a_grid(3, 80)
    rows = [[*p, *v] for p, v in zip(points, values, strict=True)]
    clf = ShindeGFMM(0.2, feature_range=(0, 1)).fit(rows, labels)
    boxes = [
        Box(low, high, sets, n, label)
        for low, high, sets, n, label in zip(
            clf.boxes_.lower.tolist(), clf.boxes_.upper.tolist(), clf.boxes_.counts,
            clf.boxes_.n_samples.tolist(), clf.boxes_.labels.tolist(), strict=True,
        )
    ]  # fmt: skip
    degrees = clf.membership(rows)
    for row, point, row_values in zip(degrees.tolist(), points, values, strict=True):
        for box, degree in zip(boxes, row, strict=True):
            far = max(max(x - w, v - x, 0) for x, v, w in zip(point, box.V, box.W, strict=True))
            expected = (1 - far + matched(box, row_values) / 3) / 2
            assert abs(degree - expected) < 1e-12
            assert degree == round(degree * 1e12) / 1e12
