"""evolve finds the front of score and boxes, and tells the truth about it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import brier_score_loss, make_scorer
from sklearn.model_selection import GroupKFold, cross_val_score

from boxwise import EIOLGFMM, tune
from boxwise.evaluate import cba_scorer
from boxwise.tuning import Candidate, Evolution, evolve
from boxwise.tuning.front import front_of
from boxwise.tuning.trials import Trials
from tests.tuning.evolving import CV, loan_table, outcome, points, run, unbeaten

pytest.importorskip("optuna")


@pytest.fixture(scope="module")
def found() -> Evolution:
    return run(n_rows=150, n_trials=120, population_size=20, refit=True)


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
        clf = EIOLGFMM(**c.params)
        scores = cross_val_score(clf, X, y, cv=CV, scoring=cba_scorer)
        assert c.score == scores.mean()
        assert c.score_std == scores.std()
        fits = [clone(clf).fit(X.iloc[train], y[train]) for train, _ in CV.split(X, y)]
        assert c.n_boxes == np.mean([len(fit.boxes_) for fit in fits])


def test_the_table_is_that_of_tune(found):
    X, y = loan_table(150)
    grid = [{k: [v] for k, v in c.params.items()} for c in found.candidates_[:5]]
    theirs = tune(EIOLGFMM(), X, y, grid, cv=CV, scoring=cba_scorer).cv_results_
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
    alone = EIOLGFMM(**found.best_params_).fit(X, y)
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
        "version": [1, 2],
    }
    clf = EIOLGFMM()
    coarse = tune(clf, X, y, grid, CV, cba_scorer, refit=False)
    ours = evolve(clf, X, y, cv=CV, random_state=seed, refit=False)
    assert len(ours.candidates_) <= 200 < len(coarse.cv_results_["params"])
    assert ours.best_score_ >= coarse.best_score_
    within = coarse.cv_results_["mean_n_boxes"] <= 30
    assert ours.pick(30).score >= coarse.cv_results_["mean_test_score"][within].max()


def test_later_generations_are_better_than_the_first():
    clf = EIOLGFMM()
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
    space = {"theta": [0.1, 0.4, 0.8], "version": [1, 2]}
    evolution = run(space=space, n_trials=34)
    assert len(runs) == 4
    tried = [candidate for generation in runs for candidate in generation]
    assert len(tried) == len({*tried}) == len(evolution.candidates_) <= 6
    assert len(evolution.study_.trials) == 34
    assert all(t.state.name == "COMPLETE" for t in evolution.study_.trials)


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
    evolution = evolve(EIOLGFMM(), X, y, cv=GroupKFold(3), groups=groups, n_trials=4)
    clf = EIOLGFMM(**evolution.best_params_)
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


def test_without_optuna_the_error_tells_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r'pip install "boxwise\[evolve\]"'):
        run()


def test_the_library_is_imported_without_optuna():
    code = "import sys, boxwise.tuning; sys.exit('optuna' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
