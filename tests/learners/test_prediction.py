"""Memberships, classes and probabilities: small cases worked out by hand, and laws."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.datasets import loans
from boxwise.reference.eiol import entropy_change


@pytest.fixture
def two_boxes() -> EIOLGFMM:
    """The boxes (.2, .2) to (.45, .5) and (.45, .3) to (.6, .6), of different classes."""
    lower, upper = [[0.2, 0.2], [0.45, 0.3]], [[0.45, 0.5], [0.6, 0.6]]
    return EIOLGFMM(theta=0.0, feature_range=(0, 1)).fit(lower, ["a", "b"], upper=upper)


def test_membership_falls_with_the_distance_from_a_box(two_boxes: EIOLGFMM) -> None:
    memberships = two_boxes.membership([[0.4, 0.3], [0.1, 0.2], [0.5, 0.7]])
    np.testing.assert_allclose(memberships, [[1, 0.95], [0.9, 0.65], [0.8, 0.9]], rtol=1e-11)
    assert memberships[0, 0] == 1
    assert two_boxes.predict([[0.4, 0.3], [0.1, 0.2], [0.5, 0.7]]).tolist() == ["a", "a", "b"]


def test_membership_of_an_interval_is_that_of_its_farthest_end(
    two_boxes: EIOLGFMM,
) -> None:
    found = two_boxes.membership([[0.1, 0.25]], upper=[[0.5, 0.45]])
    np.testing.assert_allclose(found, [[0.9, 0.65]], rtol=1e-11)
    inside = two_boxes.membership([[0.25, 0.3]], upper=[[0.4, 0.4]])
    assert inside[0, 0] == 1


@pytest.mark.parametrize(("gamma", "expected"), [(2.0, [0.8, 0.3]), ([1.0, 4.0], [0.9, 0.6])])
def test_gamma_makes_the_membership_fall_faster(
    two_boxes: EIOLGFMM, gamma: Any, expected: list[float]
) -> None:
    boxes = two_boxes.boxes_
    clf = EIOLGFMM(theta=0, gamma=gamma, feature_range=(0, 1))
    clf.fit(boxes.lower, boxes.labels, upper=boxes.upper)
    np.testing.assert_allclose(clf.membership([[0.1, 0.2]]), [expected], rtol=1e-14)


def test_mixed_membership_weighs_numbers_and_categories() -> None:
    rows = [[0.2, "x", "u"], [0.2, "x", "u"], [0.2, "y", "u"]]
    clf = EIOLGFMM(alpha=0.25, delta=1.0, feature_range=(0, 1)).fit(rows, ["a"] * 3)
    assert clf.boxes_.counts == [[{"x": 2, "y": 1}, {"u": 3}]]
    expected = [0.25 * 0.9 + 0.75 * (2 / 3 + 1) / 2, 0.25 + 0.75 * (0 + 0) / 2]
    found = clf.membership([[0.3, "x", "u"], [0.2, "new", "newer"]])
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-11)


@pytest.mark.parametrize(("alpha", "expected"), [(0, [0, 1]), (1, [1, 0.5]), ("auto", [0.5, 0.75])])
def test_alpha_leaves_out_one_kind_or_shares_by_columns(alpha: Any, expected: list[float]) -> None:
    clf = EIOLGFMM(alpha=alpha, theta=0, feature_range=(0, 1))
    clf.fit([[0.0, "x"], [0.5, "y"]], ["a", "b"])
    np.testing.assert_allclose(clf.membership([[0.0, "y"]]), [expected], rtol=1e-11)


def test_entropy_change_of_the_papers_examples() -> None:
    assert entropy_change({"a": 1}, "b") == pytest.approx(1, abs=1e-15)
    assert entropy_change({"a": 5, "o": 1}, "b") == pytest.approx(0.59167, abs=5e-6)
    assert entropy_change({"a": 5, "o": 1}, "a") == pytest.approx(0.03451, abs=5e-6)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("held", "value", "change"),
    [("a", "b", 1.0), ("aaaaao", "b", 0.591673), ("aaaaao", "a", 0.034510)],
)
def test_a_box_takes_a_value_when_delta_allows_its_entropy_change(
    held: str, value: str, change: float, version: int
) -> None:
    for delta, boxes in (change - 1e-4, 2), (min(change + 1e-4, 1), 1):
        clf = EIOLGFMM(delta=1.0, version=version)
        clf.partial_fit([[letter] for letter in held], ["c"] * len(held))
        assert len(clf.boxes_) == 1
        clf.set_params(delta=delta).partial_fit([[value]], ["c"])
        assert len(clf.boxes_) == boxes


def test_the_mean_condition_lets_one_column_make_up_for_another() -> None:
    rows = [["a", "u"], ["b", "u"]]  # entropy changes 1 and 0
    assert len(EIOLGFMM(delta=0.5, version=1).fit(rows, ["c"] * 2).boxes_) == 2
    assert len(EIOLGFMM(delta=0.5, version=2).fit(rows, ["c"] * 2).boxes_) == 1
    assert len(EIOLGFMM(delta=0.49, version=2).fit(rows, ["c"] * 2).boxes_) == 2


def test_classes_that_tie_share_by_their_rows() -> None:
    clf = EIOLGFMM(theta=0, feature_range=(0, 1))
    clf.fit([[0.5], [0.5], [0.5], [1.0]], ["few", "many", "many", "far"])
    assert clf.membership([[0.5]]).tolist() == [[1, 1, 0.5]]
    # The two that tie have 2 between them, one third and two thirds of it; the far one has 0.5.
    expected = {"few": 2 / 3 / 2.5, "many": 4 / 3 / 2.5, "far": 0.5 / 2.5}
    found = dict(zip(clf.classes_.tolist(), clf.predict_proba([[0.5]])[0].tolist(), strict=True))
    assert found == pytest.approx(expected, rel=1e-14)
    assert clf.predict([[0.5]]).tolist() == ["many"]


def test_several_boxes_of_a_class_add_up_in_a_tie() -> None:
    lower, upper = [[0.0], [0.5], [0.0], [0.0]], [[0.5], [1.0], [1.0], [1.0]]
    y = ["two boxes", "two boxes", "one box", "one box"]
    clf = EIOLGFMM(theta=0, feature_range=(0, 1)).fit(lower, y, upper=upper)
    assert clf.boxes_.n_samples.tolist() == [1, 1, 2]
    # At 0.5 all three boxes tie, one row each on the one side and two on the other: seen first.
    assert clf.predict([[0.5]]).tolist() == ["two boxes"]
    assert clf.predict([[0.2]]).tolist() == ["one box"]
    np.testing.assert_allclose(clf.predict_proba([[0.5]]), [[0.5, 0.5]], rtol=1e-11)
    np.testing.assert_allclose(clf.predict_proba([[0.2]]), [[2 / 3, 1 / 3]], rtol=1e-11)


@pytest.mark.parametrize("order", [["z", "a", "m"], ["m", "z", "a"]])
def test_the_class_seen_first_wins_a_full_tie_and_is_the_largest_probability(
    order: list[str],
) -> None:
    clf = EIOLGFMM(theta=0).fit([[0.5]] * 3, order)
    assert clf.predict([[0.5]]).tolist() == [order[0]]
    probabilities = clf.predict_proba([[0.5]])
    assert clf.classes_[probabilities.argmax()] == order[0]
    np.testing.assert_allclose(probabilities, [[1 / 3] * 3], rtol=1e-11)


def test_no_membership_anywhere_shares_equally_among_the_classes_that_have_boxes() -> None:
    clf = EIOLGFMM(delta=0)
    clf.partial_fit([["u"], ["v"], ["v"], ["w"]], ["q", "p", "p", "r"], classes=["empty"])
    assert clf.membership([["unseen"]]).tolist() == [[0, 0, 0]]
    assert clf.predict([["unseen"]]).tolist() == ["q"]  # rows do not count without membership
    probabilities = clf.predict_proba([["unseen"]])
    assert clf.classes_.tolist() == ["empty", "p", "q", "r"]
    np.testing.assert_allclose(probabilities, [[0, 1 / 3, 1 / 3, 1 / 3]], rtol=1e-11)
    assert probabilities.argmax() == 2


@pytest.mark.parametrize(
    "learner",
    [EIOLGFMM(gamma=3), EIOLGFMM(version=2, gamma=3), HyperboxClassifier()],
)
@pytest.mark.parametrize("columns", [["age", "income"], ["job", "city"], ["age", "job", "city"]])
def test_probabilities_sum_to_one_and_their_largest_is_the_prediction(
    table: pd.DataFrame, labels: list[str], columns: list[str], learner: Any
) -> None:
    X = table[columns]
    clf = clone(learner).set_params(theta=0.2, delta=0.3)
    clf.partial_fit(pd.concat([X, X[:40]]), labels + labels[::-1][:40], classes=["none of these"])
    strange = X.assign(**{columns[-1]: "unheard of" if columns[-1] == "city" else 1e6})
    rows = pd.concat([X, strange])
    probabilities = clf.predict_proba(rows)
    assert probabilities.shape == (len(rows), 4)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-14)
    assert probabilities.min() >= 0
    assert clf.classes_[probabilities.argmax(axis=1)].tolist() == clf.predict(rows).tolist()


def test_predictions_are_those_of_the_largest_membership(
    table: pd.DataFrame, labels: list[str]
) -> None:
    clf = EIOLGFMM(theta=0.3, delta=0.5).fit(table, labels)
    memberships = clf.membership(table)
    owners = clf.boxes_.labels
    for row, best in enumerate(memberships.max(axis=1)):
        tied = {owner for owner, b in zip(owners, memberships[row], strict=True) if b == best}
        assert clf.predict(table[row : row + 1])[0] in tied


def test_predictions_do_not_depend_on_the_rows_beside_them(
    table: pd.DataFrame, labels: list[str]
) -> None:
    clf = HyperboxClassifier(theta=0.2).fit(table, labels)
    together = clf.predict_proba(table)
    singly = np.vstack([clf.predict_proba(table[i : i + 1]) for i in range(len(table))])
    np.testing.assert_array_equal(together, singly)


def test_responsibilities_do_not_depend_on_the_threads() -> None:
    rows, labels = loans(600, function=7, seed=1)
    clf = HyperboxClassifier(0.2).fit(rows, labels)
    alone = clf.responsibilities(rows)
    assert (clf.set_params(n_jobs=4).responsibilities(rows) == alone).all()


def test_responsibilities_and_the_background_of_a_class_make_up_its_probability() -> None:
    rows, labels = loans(600, function=7, seed=1)
    clf = HyperboxClassifier().fit(rows, labels)
    carried, p = clf.responsibilities(rows), clf.predict_proba(rows)
    assert carried.min() >= 0
    for k, label in enumerate(clf.classes_):
        of_class = carried[:, clf.boxes_.labels == label].sum(axis=1)
        assert (of_class <= p[:, k] * (1 + 1e-12)).all()
        assert of_class.mean() > 0.3 * p[:, k].mean()  # the background does not carry it all


@pytest.mark.parametrize("prior", ["balanced", "auto"])
def test_a_change_of_the_prior_keeps_what_was_learned(prior: str) -> None:
    rows, labels = loans(1_000, function=7, seed=5)
    clf, twin = (HyperboxClassifier().fit(rows, labels) for _ in range(2))
    clf.set_params(class_prior=prior).partial_fit(rows[:1], labels[:1])
    twin.partial_fit(rows[:1], labels[:1])
    np.testing.assert_array_equal(clf.relevance_, twin.relevance_)
    assert clf.boxes_.n_samples.tolist() == twin.boxes_.n_samples.tolist()
    assert clf._model.engine.snapshot()["rows"].tolist() == [1_001, 1_001]


@pytest.mark.parametrize("size", [1e40, 1e100])
@pytest.mark.parametrize("columns", [1, 10, 20])
def test_boxes_beyond_all_measure_still_give_probabilities(size: float, columns: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((60, columns)) * size, rng.integers(0, 3, 60)
    clf = HyperboxClassifier(max_boxes=2, scale="range", feature_range=(0, 1)).fit(X, y)
    p = clf.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)


def test_the_scale_is_that_of_the_first_row() -> None:
    clf = HyperboxClassifier().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(ValueError, match=r"scale is 'range' now, but .* with 'quantile'"):
        clf.set_params(scale="range").partial_fit([[1.5]], ["a"])


def test_a_number_that_differs_from_all_before_is_measured_at_once() -> None:
    X = np.concatenate([np.zeros(500), np.random.default_rng(0).random(200)])[:, None]
    clf = HyperboxClassifier(0.3, scale="quantile").partial_fit(X, ["a"] * 700)
    assert len(clf.boxes_) < 30
