"""evolve finds the front of score and boxes, and tells the truth about it."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import brier_score_loss, make_scorer
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score

from boxwise import (
    AgglomerativeGFMM,
    CastilloGFMM,
    HyperboxClassifier,
    ImprovedOnlineGFMM,
    OnlineGFMM,
    ShindeGFMM,
    tune,
)
from boxwise.datasets import LoanStream
from boxwise.evaluate import cba_scorer
from boxwise.tuning import Candidate, Evolution, evolve
from boxwise.tuning.front import front_of
from boxwise.tuning.trials import Trials

optuna = pytest.importorskip("optuna")
FloatDistribution = optuna.distributions.FloatDistribution
CategoricalDistribution = optuna.distributions.CategoricalDistribution

CV = StratifiedKFold(3)


def loan_table(n_rows: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    columns, labels = LoanStream(n_rows, function=2, noise=0.1, seed=3).table()
    return pd.DataFrame(columns), np.asarray(labels)


def run(classifier: Any = None, n_rows: int = 90, **arguments: Any) -> Evolution:
    X, y = loan_table(n_rows)
    settings: dict[str, Any] = {"cv": CV, "n_trials": 40, "population_size": 10, "random_state": 0}
    settings |= {"refit": False} | arguments
    return evolve(HyperboxClassifier() if classifier is None else classifier, X, y, **settings)


@pytest.fixture(scope="module")
def found() -> Evolution:
    return run(n_rows=150, n_trials=120, population_size=20, refit=True)


def points(candidates: list[Candidate]) -> list[tuple[float, float]]:
    return [(c.n_boxes, c.score) for c in candidates]


def unbeaten(all_points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Compare every point with every other."""
    return sorted(
        (boxes, score)
        for boxes, score in {*all_points}
        if not any(b <= boxes and s >= score and (b, s) != (boxes, score) for b, s in all_points)
    )


def outcome(evolution: Evolution) -> Any:
    return evolution.candidates_, evolution.front_, evolution.best_params_


def test_the_front_is_all_that_no_other_candidate_beats(found):
    everything = points(found.candidates_)
    assert len(found.front_) >= 3
    assert points(found.front_) == unbeaten(everything)
    assert points(found.front_) == sorted(
        {(boxes, score) for score, boxes in (t.values for t in found.study_.best_trials)}
    )


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6)), min_size=1, max_size=30))
def test_the_front_of_any_points_is_that_of_comparing_all_pairs(pairs):
    candidates = [Candidate(boxes, score, 0.0, {}, i) for i, (boxes, score) in enumerate(pairs)]
    front = front_of(candidates)
    assert points(front) == unbeaten(pairs)
    for c in front:
        assert c.index == pairs.index((c.n_boxes, c.score)), "of equal ones, the first"


def test_the_scores_and_boxes_are_those_of_cross_validation(found):
    X, y = loan_table(150)
    for c in [*found.front_, *found.candidates_[::17]]:
        clf = HyperboxClassifier(**c.params)
        scores = cross_val_score(clf, X, y, cv=CV, scoring=cba_scorer)
        assert c.score == scores.mean()
        assert c.score_std == scores.std()
        fits = [clone(clf).fit(X.iloc[train], y[train]) for train, _ in CV.split(X, y)]
        assert c.n_boxes == np.mean([len(fit.boxes_) for fit in fits])


def test_the_table_is_that_of_tune(found):
    X, y = loan_table(150)
    grid = [{k: [v] for k, v in c.params.items()} for c in found.candidates_[:5]]
    theirs = tune(HyperboxClassifier(), X, y, grid, cv=CV, scoring=cba_scorer).cv_results_
    assert found.cv_results_.keys() == theirs.keys()
    for name in ("mean_test_score", "std_test_score", "split2_test_score", "mean_n_boxes"):
        np.testing.assert_array_equal(found.cv_results_[name][:5], theirs[name])
    for c in found.candidates_:
        assert found.cv_results_["params"][c.index] == c.params
        assert found.cv_results_["mean_test_score"][c.index] == c.score
        assert found.cv_results_["mean_n_boxes"][c.index] == c.n_boxes


def test_the_best_has_the_best_score_and_the_fewest_boxes_of_those(found):
    score = max(c.score for c in found.candidates_)
    boxes = min(c.n_boxes for c in found.candidates_ if c.score == score)
    best = found.candidates_[found.best_index_]
    assert (best.score, best.n_boxes) == (score, boxes)
    assert (found.best_params_, found.best_score_) == (best.params, score)
    X, y = loan_table(150)
    alone = HyperboxClassifier(**found.best_params_).fit(X, y)
    np.testing.assert_array_equal(found.best_estimator_.boxes_.lower, alone.boxes_.lower)


def test_pick_gives_the_best_score_within_so_many_boxes(found):
    for most in (found.front_[0].n_boxes, found.front_[-2].n_boxes + 0.1, 1e9):
        best = max(c.score for c in found.candidates_ if c.n_boxes <= most)
        assert found.pick(most).score == found.pick(max_boxes=most).score == best
        assert found.pick(most).n_boxes <= most
    fewest = found.front_[0].n_boxes
    with pytest.raises(ValueError, match=f"0.5 boxes or fewer; the fewest are {fewest:g}"):
        found.pick(max_boxes=0.5)


def test_printed_it_is_a_table_of_the_front(found):
    head, *lines = str(found).splitlines()
    assert "class balanced accuracy" in head
    assert len(lines) == len(found.front_)
    assert f"theta={found.best_params_['theta']:.3g}, delta=" in lines[-1]
    assert len(repr(found)) < 700


def test_the_same_seed_gives_the_same_result_and_another_another():
    same = run(random_state=5)
    assert outcome(run(random_state=5)) == outcome(same)
    assert outcome(run(random_state=6)) != outcome(same)
    one, two = (run(random_state=np.random.RandomState(9), n_trials=10) for _ in range(2))
    assert outcome(one) == outcome(two)
    assert outcome(run(random_state=None, n_trials=10)) != outcome(run(random_state=None))


def test_the_result_does_not_depend_on_the_number_of_threads():
    one, two, five = (run(n_jobs=n) for n in (1, 2, 5))
    assert outcome(one) == outcome(two) == outcome(five)
    assert [t.params for t in one.study_.trials] == [t.params for t in five.study_.trials]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_is_as_good_as_a_coarse_grid_with_fewer_trials(seed):
    X, y = loan_table(300)
    grid = {
        "theta": [0.1, 0.3, 0.5, 0.7, 0.9],
        "delta": [0.1, 0.3, 0.5, 0.7, 0.9],
        "alpha": [0.1, 0.3, 0.5, 0.7, 0.9],
        "condition": ["each", "mean"],
    }
    clf = HyperboxClassifier(decision="membership")  # by evidence alpha makes no difference
    coarse = tune(clf, X, y, grid, CV, cba_scorer, refit=False)
    ours = evolve(clf, X, y, cv=CV, random_state=seed, refit=False)
    assert len(ours.candidates_) <= 200 < len(coarse.cv_results_["params"])
    assert ours.best_score_ >= coarse.best_score_
    within = coarse.cv_results_["mean_n_boxes"] <= 30
    assert ours.pick(30).score >= coarse.cv_results_["mean_test_score"][within].max()


def test_later_generations_are_better_than_the_first():
    clf = HyperboxClassifier(decision="membership")
    evolution = run(clf, n_rows=150, n_trials=200, population_size=20)
    first, *_, last = np.reshape([t.values for t in evolution.study_.trials], (10, 20, 2))
    (score, boxes), (later_score, later_boxes) = first.mean(axis=0), last.mean(axis=0)
    assert later_score > score
    assert later_boxes < boxes


def test_a_generation_is_one_run_and_no_candidate_is_tried_twice(monkeypatch):
    runs = []
    whole = Trials.run

    def spy(self, candidates, **arguments):
        runs.append([tuple(c.items()) for c in candidates])
        return whole(self, candidates, **arguments)

    monkeypatch.setattr(Trials, "run", spy)
    space = {"theta": [0.1, 0.4, 0.8], "condition": ["each", "mean"]}
    evolution = run(space=space, n_trials=34)
    assert len(runs) == 4
    tried = [candidate for generation in runs for candidate in generation]
    assert len(tried) == len({*tried}) == len(evolution.candidates_) <= 6
    assert len(evolution.study_.trials) == 34
    assert all(t.state.name == "COMPLETE" for t in evolution.study_.trials)


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
    best = cross_val_score(
        HyperboxClassifier(**evolution.best_params_), X, y, cv=CV, scoring=cba_scorer
    )
    assert evolution.best_score_ == best.mean()


@pytest.mark.parametrize(
    ("classifier", "kinds", "searched"),
    [
        (HyperboxClassifier(), "nww", {"theta", "delta", "alpha", "condition"}),
        (HyperboxClassifier(), "nw", {"theta", "delta", "alpha"}),
        (HyperboxClassifier(), "n", {"theta"}),
        (HyperboxClassifier(), "ww", {"delta", "condition"}),
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
    classifier = HyperboxClassifier(delta=1.0, condition="mean", gamma=2.0)
    before = classifier.get_params()
    evolution = run(classifier, space={"theta": (0.1, 1)}, n_trials=10, refit=True)
    assert classifier.get_params() == before
    assert not hasattr(classifier, "_model")
    assert evolution.best_estimator_.get_params() == before | evolution.best_params_


def test_without_refit_there_is_no_estimator():
    assert run(n_trials=2).best_estimator_ is None


@pytest.mark.parametrize(
    ("scoring", "refit", "name"),
    [
        (None, True, "accuracy"),
        ("balanced_accuracy", True, "balanced accuracy"),
        (cba_scorer, True, "class balanced accuracy"),
        ({"cba": cba_scorer, "auc": "roc_auc"}, "auc", "auc"),
        (["accuracy", "f1_macro"], "f1_macro", "f1 macro"),
        (lambda clf, X, y: float(np.mean(clf.predict(X) == y)), False, "score"),
        (make_scorer(brier_score_loss, greater_is_better=False, response_method="predict_proba",
                     pos_label="approved"), False, "negative brier score loss"),
    ],
)  # fmt: skip
def test_any_score_may_be_searched_by(scoring, refit, name):
    evolution = run(scoring=scoring, refit=refit, n_trials=10)
    assert evolution.score_name_ == name
    column = f"mean_test_{refit if isinstance(refit, str) else 'score'}"
    assert evolution.best_score_ == evolution.cv_results_[column].max()


def test_groups_are_handed_to_the_splitter():
    X, y = loan_table(90)
    groups = np.arange(90) // 9
    evolution = evolve(HyperboxClassifier(), X, y, cv=GroupKFold(3), groups=groups, n_trials=4)
    clf = HyperboxClassifier(**evolution.best_params_)
    scores = cross_val_score(clf, X, y, cv=GroupKFold(3), groups=groups, scoring=cba_scorer)
    assert evolution.best_score_ == scores.mean()


def test_a_score_that_is_nan_is_never_on_the_front():
    def moody(clf: Any, X: Any, y: Any) -> float:
        share = float(np.mean(clf.predict(X) == y))
        return share if share < 0.6 else float("nan")

    evolution = run(scoring=moody, n_trials=60)
    scores = np.array([c.score for c in evolution.candidates_])
    assert np.isnan(scores).any()
    assert points(evolution.front_) == unbeaten(
        [p for p in points(evolution.candidates_) if p[1] == p[1]]
    )
    with pytest.raises(ValueError, match="every candidate has the score nan"):
        run(scoring=lambda clf, X, y: float("nan"), n_trials=10)


def test_nothing_is_logged_printed_warned_of_or_left_changed(capfd, monkeypatch):
    logger = logging.getLogger("optuna")
    logged: list[logging.LogRecord] = []
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", logged.append)
    level = logger.getEffectiveLevel()
    assert level <= logging.INFO
    logger.addHandler(handler)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(space={"gamma": [1.0, [1.0] * 6], "theta": (0.1, 1)}, n_trials=30)
    logger.removeHandler(handler)
    assert logged == []
    assert capfd.readouterr() == ("", "")
    assert logger.getEffectiveLevel() == level


def test_progress_is_told_in_fits():
    told: list[tuple[int, int]] = []
    run(n_trials=25, progress=lambda *n: told.append(n))
    assert told[-1] == (75, 75)
    assert {total for _, total in told} == {75}
    done = [n for n, _ in told]
    assert done == sorted(done)
    assert {30, 60} <= {*done}, "the end of each generation"


def interrupt_generation(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    whole = Trials.run
    calls = []

    def interrupted(self: Trials, candidates: Any, **arguments: Any) -> Any:
        calls.append(candidates)
        if len(calls) == number:
            raise KeyboardInterrupt
        return whole(self, candidates, **arguments)

    monkeypatch.setattr(Trials, "run", interrupted)


def test_an_interrupt_keeps_what_the_finished_generations_found(monkeypatch):
    whole = run(n_trials=20)
    interrupt_generation(monkeypatch, 3)
    with pytest.warns(UserWarning, match=r"stopped after 20 of 400 trials"):
        cut = run(n_trials=400, refit=True)
    assert outcome(cut) == outcome(whole)
    assert cut.best_estimator_.predict(loan_table(5)[0]).shape == (5,)
    states = [t.state.name for t in cut.study_.trials]
    assert states == ["COMPLETE"] * 20 + ["FAIL"] * 10


def test_an_interrupt_of_the_first_generation_goes_on_to_the_caller(monkeypatch):
    interrupt_generation(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        run()


def test_progress_may_stop_the_search(monkeypatch):
    whole = Trials.run

    def silent(self: Trials, candidates: Any, *, n_jobs: Any, report: Any) -> Any:
        return whole(self, candidates, n_jobs=n_jobs)  # so that only ends of generations are told

    def stop(done: int, total: int) -> None:
        if done >= 90:
            raise KeyboardInterrupt

    monkeypatch.setattr(Trials, "run", silent)
    with pytest.warns(UserWarning, match="stopped after 30 of 400 trials"):
        cut = run(n_trials=400, progress=stop)
    assert len(cut.study_.trials) == 30
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # at the end there is nothing left to stop
        assert outcome(run(n_trials=30, progress=stop)) == outcome(cut)


@pytest.mark.skipif(os.name == "nt", reason="signals of another kind")
def test_ctrl_c_ends_the_search():
    presses: list[threading.Timer] = []

    def press(done: int, total: int) -> None:
        if done >= 60 and not presses:
            presses.append(threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)))
            presses[0].start()

    with pytest.warns(UserWarning, match="stopped after"):
        evolution = run(n_trials=1_000_000, progress=press)
    assert points(evolution.front_) == unbeaten(points(evolution.candidates_))
    assert {t.state.name for t in evolution.study_.trials} <= {"COMPLETE", "FAIL"}


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
         "HyperboxClassifier has no parameter 'tehta' to search for; it has alpha, "),
        ({"space": {"theta": (1, 0.5)}}, "range of theta is empty: 1 is not below 0.5"),
        ({"space": {"theta": (1, 1)}}, r"range of theta is empty.*given as a list, \[1\]"),
        ({"space": {"theta": (0, float("inf"))}}, r"range \(low, high\) of .*, not \(0, inf\)"),
        ({"space": {"condition": ("each", "mean")}}, "choices are given as a list"),
        ({"space": {"theta": (0.1, 0.2, 0.3)}}, "choices are given as a list"),
        ({"space": {"theta": []}}, "space of theta is empty: it has no choices"),
        ({"space": {"condition": "each"}}, "space of condition must be a range.*not 'each'"),
        ({"space": {"theta": 0.5}}, "space of theta must be a range .*not 0.5"),
        ({"space": {"theta": (-1, 1)}}, "theta must be a number from 0 up, not -1.0"),
        ({"space": {"delta": (0, 1.0001)}}, "delta must be a number from 0 to 1, not 1.0001"),
        ({"space": {"condition": ["each", "all"]}}, "condition must be 'each' or 'mean'"),
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
            self.unlabelled = None

    with pytest.raises(ValueError, match="no default space for Bare; give one"):
        run(Bare())


def test_without_optuna_the_error_tells_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r'pip install "boxwise\[evolve\]"'):
        run()


def test_the_library_is_imported_without_optuna():
    code = "import sys, boxwise.tuning; sys.exit('optuna' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
