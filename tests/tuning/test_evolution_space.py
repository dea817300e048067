"""What evolve searches: by default, as told, and what cannot be searched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from boxwise import (
    EIOLGFMM,
    AgglomerativeGFMM,
    CastilloGFMM,
    HyperboxClassifier,
    ImprovedOnlineGFMM,
    OnlineGFMM,
    ShindeGFMM,
)
from boxwise.evaluate import cba_scorer
from boxwise.tuning import evolve
from boxwise.tuning.trials import Trials
from tests.tuning.evolving import CV, loan_table, run

optuna = pytest.importorskip("optuna")
FloatDistribution = optuna.distributions.FloatDistribution
CategoricalDistribution = optuna.distributions.CategoricalDistribution


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        ((0.2, 0.4), lambda v: 0.2 <= v <= 0.4),
        ((0, 1), lambda v: 0 <= v <= 1 and type(v) is float),
        ((np.float64(0.1), np.int64(1)), lambda v: 0.1 <= v <= 1),
        ([0.2, 0.7], lambda v: v in (0.2, 0.7)),
        ([0.3], lambda v: v == 0.3),
        (np.array([0.2, 0.7]), lambda v: v in (0.2, 0.7) and type(v) is float),
        (np.array([0, 1]), lambda v: v in (0, 1) and type(v) is int),
        (FloatDistribution(0.01, 1, log=True), lambda v: 0.01 <= v <= 1),
        (FloatDistribution(0, 1, step=0.25), lambda v: v in (0, 0.25, 0.5, 0.75, 1)),
        (CategoricalDistribution([0.1, 0.9]), lambda v: v in (0.1, 0.9)),
    ],
    ids=lambda value: "" if callable(value) else str(value),
)
def test_spaces_are_ranges_choices_or_distributions_of_optuna(given, allowed):
    evolution = run(space={"theta": given, "delta": (0, 1)})
    values = [c.params["theta"] for c in evolution.candidates_]
    assert all(map(allowed, values))
    assert len({*values}) > 1 or given == [0.3]


def test_a_range_of_boxes_gives_whole_numbers():
    evolution = run(space={"max_boxes": (5, 50)})
    tried = [c.params["max_boxes"] for c in evolution.candidates_]
    assert all(type(n) is int and 5 <= n <= 50 for n in tried)
    assert len({*tried}) > 1


def test_choices_may_be_anything_that_the_parameter_takes():
    choices = {
        "alpha": ["auto", "estimate", 0.5],
        "gamma": [1.0, [1.0, 2.0, 3.0, 1.0, 1.0, 1.0]],
        "feature_range": ["data", (0, 1e6), {"age": (0, 100)}],
        "unlabelled": [None, "?", "?"],
    }
    evolution = run(space=choices, n_trials=30)
    for name, values in choices.items():
        assert all(c.params[name] in values for c in evolution.candidates_)
        seen = [c.params[name] for c in evolution.candidates_]
        assert all(value in seen for value in values)
    X, y = loan_table(90)
    best = cross_val_score(EIOLGFMM(**evolution.best_params_), X, y, cv=CV, scoring=cba_scorer)
    assert evolution.best_score_ == best.mean()


@pytest.mark.parametrize(
    ("classifier", "kinds", "searched"),
    [
        (EIOLGFMM(), "nww", {"theta", "delta", "alpha", "version"}),
        (EIOLGFMM(), "nw", {"theta", "delta", "alpha"}),
        (EIOLGFMM(), "n", {"theta"}),
        (EIOLGFMM(), "ww", {"delta", "version"}),
        (HyperboxClassifier(), "nww", {"theta", "delta"}),
        (ShindeGFMM(), "nw", {"theta", "beta"}),
        (ShindeGFMM(), "w", {"beta"}),
        (CastilloGFMM(), "nw", {"theta", "eta"}),
        (OnlineGFMM(), "n", {"theta"}),
        (ImprovedOnlineGFMM(), "n", {"theta"}),
        (AgglomerativeGFMM(), "nww",
         {"theta", "delta", "alpha", "condition", "similarity", "min_similarity"}),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else None,
)  # fmt: skip
def test_by_default_the_parameters_are_searched_that_play_a_part(classifier, kinds, searched):
    random = np.random.default_rng(1)
    rows = [[random.random() if k == "n" else str(random.choice([*"xyz"])) for k in kinds]
            for _ in range(60)]  # fmt: skip
    labels = [str(random.choice([*"pq"])) for _ in rows]
    evolution = evolve(classifier, rows, labels, cv=2, n_trials=12, random_state=0)
    assert {*evolution.best_params_} == searched
    assert type(evolution.best_estimator_) is type(classifier)


def test_what_is_not_searched_stays_as_it_was_given():
    classifier = EIOLGFMM(delta=1.0, version=2, gamma=2.0)
    before = classifier.get_params()
    evolution = run(classifier, space={"theta": (0.1, 1)}, n_trials=10, refit=True)
    assert classifier.get_params() == before
    assert not hasattr(classifier, "_model")
    assert evolution.best_estimator_.get_params() == before | evolution.best_params_


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n_trials": 0}, "n_trials must be a whole number from 1 up, not 0"),
        ({"n_trials": 2.5}, "n_trials must be a whole number from 1 up, not 2.5"),
        ({"population_size": 1}, "population_size must be a whole number from 2 up, not 1"),
        ({"population_size": True}, "population_size must be a whole number"),
        ({"random_state": "one"}, "'one' cannot be used to seed"),
        ({"space": {}}, "space must map at least one parameter"),
        ({"space": [0.1, 0.2]}, r"space must map at least one parameter.*not be \[0.1, 0.2\]"),
        ({"space": {"tehta": (0, 1)}},
         "EIOLGFMM has no parameter 'tehta' to search for; it has alpha, "),
        ({"space": {"theta": (1, 0.5)}}, "range of theta is empty: 1 is not below 0.5"),
        ({"space": {"max_boxes": (2.5, 9)}}, "range of max_boxes must be of whole numbers"),
        ({"space": {"theta": (1, 1)}}, r"range of theta is empty.*given as a list, \[1\]"),
        ({"space": {"theta": (0, float("inf"))}}, r"range \(low, high\) of .*, not \(0, inf\)"),
        ({"space": {"version": (1, 2, 1)}}, "choices are given as a list"),
        ({"space": {"theta": (0.1, 0.2, 0.3)}}, "choices are given as a list"),
        ({"space": {"theta": []}}, "space of theta is empty: it has no choices"),
        ({"space": {"version": "each"}}, "space of version must be a range.*not 'each'"),
        ({"space": {"theta": 0.5}}, "space of theta must be a range .*not 0.5"),
        ({"space": {"theta": (-1, 1)}}, "theta must be a number from 0 up, not -1.0"),
        ({"space": {"delta": (0, 1.0001)}}, "delta must be a number from 0 to 1, not 1.0001"),
        ({"space": {"version": [1, 3]}}, "version must be 1 or 2"),
        ({"space": {"theta": FloatDistribution(-1, 1)}}, "theta must be a number from 0 up"),
        ({"scoring": "precission"}, "precission"),
        ({"scoring": ["accuracy", "f1_macro"]}, "say which decides"),
    ],
)  # fmt: skip
def test_mistakes_are_told_before_anything_is_tried(arguments, words, monkeypatch):
    monkeypatch.setattr(Trials, "run", lambda *a, **k: pytest.fail("too late"))
    with pytest.raises((ValueError, TypeError), match=words):
        run(**{"refit": True} | arguments)


def test_another_estimator_is_refused():
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(TypeError, match="DecisionTreeClassifier is not an estimator of boxwise"):
        run(DecisionTreeClassifier(), space={"max_depth": [1, 2]})


def test_a_learner_without_known_parameters_needs_a_space():
    class Bare(HyperboxClassifier):
        def __init__(self, size: float = 0.2, feature_range: Any = "data") -> None:
            self.size = size
            self.feature_range = feature_range
            self.categorical_features: Any = "from_dtype"
            self.unlabelled = self.class_weight = None

    with pytest.raises(ValueError, match="no default space for Bare; give one"):
        run(Bare())
