"""Folds, inner folds and scores are those that scikit-learn would give."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold

from boxwise import EIOLGFMM, iol_pipeline
from boxwise.datasets import loans
from boxwise.evaluate import cba_scorer, class_balanced_accuracy
from boxwise.paper.encoders import Encoders, encode
from boxwise.paper.experiment import METHODS
from boxwise.paper.find_alpha import WAYS, FindAlpha, find
from boxwise.paper.protocol import Protocol, Table, outer_fold, table
from boxwise.paper.run import EXPERIMENTS
from boxwise.paper.tuned import Tuned


@pytest.fixture(scope="module")
def small() -> Table:
    rows, labels = loans(120, function=2, seed=3)
    numbers = [k for k, v in rows[0].items() if isinstance(v, int | float)][:3]
    words = [k for k, v in rows[0].items() if isinstance(v, str)]
    X = np.array([[row[k] for k in (*numbers, *words)] for row in rows], dtype=object)
    return Table("loans", X, np.array(labels), len(numbers), len(words))


def test_folds_are_those_of_the_repeated_splitter(small):
    splits = [
        *RepeatedStratifiedKFold(n_splits=4, n_repeats=10, random_state=5).split(small.X, small.y)
    ]
    for repeat, number in ((0, 0), (3, 2), (9, 3)):
        fold = outer_fold(small, Protocol(seed=5), repeat, number)
        train, test = splits[repeat * 4 + number]
        assert fold.train.tolist() == train.tolist()
        assert fold.test.tolist() == test.tolist()


def test_inner_folds_cut_the_rows_to_learn_and_no_others(small):
    fold = outer_fold(small, Protocol(), 1, 1)
    tested = np.concatenate([test for _, test in fold.inner])
    assert sorted(tested) == sorted(fold.train)
    for train, test in fold.inner:
        assert not set(train) & set(test)


def test_shuffled_order_learns_the_same_rows_in_another_order(small):
    usual = outer_fold(small, Protocol(), 0, 0)
    shuffled = outer_fold(small, Protocol(order="shuffled"), 0, 0)
    assert sorted(shuffled.train) == usual.train.tolist() != shuffled.train.tolist()
    assert shuffled.test.tolist() == usual.test.tolist()


@pytest.mark.parametrize("scaling", ["dataset", "fold"])
def test_scores_are_those_of_fit_and_predict(small, scaling):
    fold = outer_fold(small, Protocol(scaling=scaling), 0, 1)
    learner = fold.learner(METHODS["v2"])
    candidates = [{"theta": 0.3, "delta": 0.5, "alpha": 0.2}, {"theta": 0.9, "delta": 0.1}]
    for candidate, result in zip(candidates, fold.score(learner, candidates), strict=True):
        low_high = small.ranges if scaling == "dataset" else "data"
        clf = EIOLGFMM(
            version=2,
            categorical_features=small.categorical,
            feature_range=low_high,
            **candidate,
        ).fit(small.X[fold.train], small.y[fold.train])
        expected = class_balanced_accuracy(small.y[fold.test], clf.predict(small.X[fold.test]))
        assert result.scores["score"] == expected
        assert result.n_boxes == len(clf.boxes_)


def test_the_best_setting_is_that_of_grid_search(small):
    fold = outer_fold(small, Protocol(), 2, 0)
    learner = fold.learner(METHODS["M1"])
    grid = {"theta": [0.1, 0.4, 0.8], "eta": [0.1, 0.5, 1.0]}
    search = GridSearchCV(learner, grid, cv=fold.inner, scoring=cba_scorer, refit=False)
    search.fit(small.X, small.y)
    assert fold.best(learner, search.cv_results_["params"]) == search.best_params_


def test_tuned_rows_hold_the_setting_chosen_and_its_score(small):
    fold = outer_fold(small, Protocol(quick=True), 0, 0)
    rows = [*Tuned().run(fold)]
    assert [row.method for row in rows] == ["M1", "M2", "v1", "v2"]
    v1 = rows[2]
    clf = EIOLGFMM(
        v1.theta,
        v1.second,
        alpha=v1.alpha,
        categorical_features=small.categorical,
        feature_range=small.ranges,
    ).fit(small.X[fold.train], small.y[fold.train])
    assert v1.cba == class_balanced_accuracy(small.y[fold.test], clf.predict(small.X[fold.test]))


def test_each_way_to_find_alpha_is_recorded_with_the_alpha_it_found(small):
    fold = outer_fold(small, Protocol(quick=True), 0, 0)
    rows = [*FindAlpha().run(fold)]
    assert [(r.method, r.theta, r.variant) for r in rows] == [
        (version, size, way) for version in ("v1", "v2") for size in (0.1, 1.0) for way in WAYS
    ]
    learner = fold.learner(METHODS["v1"], theta=0.1, delta=0.1)
    assert [r.alpha for r in rows[:4]] == [find(way, learner, fold) for way in WAYS]
    assert rows[3].alpha == small.n / (small.n + small.r)


def test_encoders_see_the_rows_to_learn_only(small):
    fold = outer_fold(small, Protocol(), 0, 0)
    rows = [row for row in Encoders().run(fold) if row.method == "IOL"]
    for encoder in ("target", "one-hot"):
        pipeline = iol_pipeline(encoder, theta=0.7, categorical_features=small.categorical)
        pipeline.fit(small.X[fold.train], small.y[fold.train])
        expected = class_balanced_accuracy(small.y[fold.test], pipeline.predict(small.X[fold.test]))
        (row,) = (r for r in rows if r.variant == encoder and r.theta == 0.7)
        assert row.cba == expected
        assert row.boxes == len(pipeline["iol"].boxes_)
    assert encode(fold, "one-hot").table.r == 0


# What the others record depends on the grid.
@pytest.mark.parametrize("name", ["alpha", "delta", "mixed", "encoders"])
def test_a_quick_run_does_a_part_of_the_full_one_with_the_same_results(small, name):
    full = [*EXPERIMENTS[name].run(outer_fold(small, Protocol(), 0, 0))]
    quick = [*EXPERIMENTS[name].run(outer_fold(small, Protocol(quick=True), 0, 0))]
    assert set(quick) <= set(full)


def test_tic_tac_toe_has_no_numeric_column():
    tic_tac_toe = table("tic_tac_toe")
    assert (tic_tac_toe.n, tic_tac_toe.r, len(tic_tac_toe.y)) == (0, 9, 958)
    assert tic_tac_toe.reading(Protocol())["feature_range"] == "data"
