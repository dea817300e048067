"""Explanations by few boxes: support, what carries a decision, other experts, order of columns."""

import json

import numpy as np
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.explain import carrying, few_rows_text, rows_learned


@pytest.fixture(scope="module")
def rows():
    return [*LoanStream(1500, function=1, seed=1), *LoanStream(1500, function=2, seed=2)]


@pytest.fixture(scope="module")
def changed(rows):
    """A model with a retired expert."""
    clf = HyperboxClassifier().partial_fit([row for row, _ in rows], [label for _, label in rows])
    assert any(change.event == "replaced" for change in clf.changes_)
    return clf


@pytest.fixture(scope="module")
def explained(changed, rows):
    X = [row for row, _ in rows[::100]]
    return X, changed.explain(X, counterfactual=False)


def test_support_is_that_of_the_classifier_and_is_written(changed, explained):
    X, found = explained
    assert [why.support for why in found] == changed.support(X).tolist()
    for why in found:
        assert json.loads(why.to_json())["support"] == why.support
        said = few_rows_text(why.support)
        for text in (str(why), why._repr_html_()):
            assert ("few rows like this" in text) == (said is not None)
            assert said is None or said in text
    assert sum(why.support < 5 for why in found) > 0


def test_membership_has_no_support():
    clf = EIOLGFMM().fit([{"a": 1.0}, {"a": 2.0}], ["x", "y"])
    (why,) = clf.explain([{"a": 1.1}])
    assert (why.support, why.background, why.n_experts) == (None, None, 1)
    assert "rows like this" not in str(why)


def test_as_many_boxes_are_shown_as_carry_most_of_the_decision(changed, explained):
    X, found = explained
    shares, labels = changed.responsibilities(X), changed.boxes_.labels
    for why, carried in zip(found, shares, strict=True):
        own = np.sort(carried[labels == why.prediction])[::-1]
        shown = [box.share for box in why.carried]
        assert shown == own[: len(shown)].tolist()
        assert len(shown) <= 12
        if sum(shown) >= 0.8 * why.probability:
            assert sum(shown[:-1]) < 0.8 * why.probability
            assert "contributed most" in str(why)
        else:
            assert len(shown) == 12 or own[len(shown)] < 0.01 * why.probability
            assert " of it:" in str(why)
        assert str(why).count("  box ") >= len(shown)


def test_what_the_class_as_a_whole_carried_makes_up_the_probability(changed, explained):
    X, found = explained
    shares, labels = changed.responsibilities(X), changed.boxes_.labels
    for why, carried in zip(found, shares, strict=True):
        boxes = carried[labels == why.prediction].sum()
        assert why.background == pytest.approx(why.probability - boxes, abs=1e-12)
        assert "background of the class" in str(why)


def test_the_winner_is_a_present_box_and_its_columns_come_by_their_size(changed, explained):
    place = changed._fitted().engine.snapshot()["place"][:, 0]
    for why in explained[1]:
        assert place[why.winner.box] == 0
        parts = [abs(feature.contribution) for feature in why.winner.features]
        assert parts == sorted(parts, reverse=True)
        weights = [abs(weight) for _, weight in why.against.columns]
        assert weights == sorted(weights, reverse=True)
        assert why.winner.log_evidence == pytest.approx(
            np.log(why.winner.weight) + sum(f.contribution for f in why.winner.features)
        )


def test_the_total_says_whose_it_is(explained):
    several = [why for why in explained[1] if "by the current boxes" in str(why)]
    assert several
    for why in several:
        assert why.n_experts == 2
        assert "by all models, limited by" in " ".join(str(why).split())
    for why in explained[1]:
        assert "best setting" not in str(why) + why._repr_html_()


def test_one_expert_is_not_called_all():
    clf = HyperboxClassifier().fit({"a": [1.0, 1.1, 2.0, 2.1]}, ["x", "x", "y", "y"])
    (why,) = clf.explain({"a": [1.05]}, counterfactual=False)
    assert why.n_experts == 1
    assert "by all" not in str(why)


def test_boxes_of_a_retired_expert_without_weight_do_not_carry(changed):
    state = changed._fitted().engine.snapshot()
    losses, place = state["members"][:, 1], state["place"][:, 0].astype(int)
    weights = np.exp(-losses) / np.exp(-losses).sum()
    shown = carrying(changed._fitted())
    assert shown[place == 0].all()
    np.testing.assert_array_equal(shown[place == 1], weights[1] >= 0.01)


def test_rows_learned_are_counted_whatever_boxes_remain(changed):
    assert rows_learned(changed._fitted()) == 3000
    clf = EIOLGFMM().fit({"a": [1.0, 2.0]}, ["x", "y"])
    assert rows_learned(clf._fitted()) == 2
