"""tune gives what GridSearchCV gives, to the last digit."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold

from boxwise import EIOLGFMM, HyperboxClassifier, ImprovedOnlineGFMM, tune
from boxwise.datasets import LoanStream
from boxwise.evaluate import cba_scorer

GRID = {"theta": [0.1, 0.4, 1.0], "delta": [0, 0.3, 0.8, 1], "alpha": [0, 0.2, 0.5, 1, "auto"]}


def loan_table(n_rows: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    columns, labels = LoanStream(n_rows, function=2, noise=0.1, seed=3).table()
    return pd.DataFrame(columns), np.asarray(labels)


def assert_same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    times = {f"{kind}_{what}_time" for kind in ("mean", "std") for what in ("fit", "score")}
    boxes = {name for name in ours if name.endswith("n_boxes")}
    assert ours.keys() - boxes == theirs.keys()
    assert [n for n in ours if n not in boxes] == [*theirs]
    for name in theirs.keys() - times:
        if name == "params":
            assert ours[name] == theirs[name]
        else:
            np.testing.assert_array_equal(ours[name], theirs[name])
            assert ours[name].dtype == theirs[name].dtype
    for name in times:
        assert (ours[name] >= 0).all()


@pytest.mark.parametrize("columns", ["mixed", "numbers", "words"])
@pytest.mark.parametrize("version", [1, 2])
def test_the_results_of_grid_search(columns: str, version: int) -> None:
    X, y = loan_table()
    if columns != "mixed":
        X = X.select_dtypes(**{"include" if columns == "numbers" else "exclude": "number"})
    clf = EIOLGFMM(version=version)
    ours = tune(clf, X, y, GRID, cv=3, scoring=cba_scorer)
    theirs = GridSearchCV(clf, GRID, cv=3, scoring=cba_scorer).fit(X, y)
    assert_same(ours.cv_results_, theirs.cv_results_)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == theirs.best_score_
    assert ours.n_splits_ == theirs.n_splits_
    np.testing.assert_array_equal(
        ours.best_estimator_.boxes_.lower, theirs.best_estimator_.boxes_.lower
    )
    boxes = ours.cv_results_["split1_n_boxes"]
    train, _ = [*StratifiedKFold(3).split(X, y)][1]
    for i in (0, 17, len(boxes) - 1):
        alone = clone(clf).set_params(**ours.cv_results_["params"][i]).fit(X.iloc[train], y[train])
        assert boxes[i] == len(alone.boxes_)


@pytest.mark.parametrize(
    "scoring",
    [
        None,
        "accuracy",
        "balanced_accuracy",
        "roc_auc",
        "neg_log_loss",
        make_scorer(accuracy_score, normalize=False),
        ["accuracy", "f1_macro"],
        {"cba": cba_scorer, "auc": "roc_auc"},
        lambda clf, X, y: float(np.mean(clf.predict(X) == y)) / len(clf.classes_),
    ],
    ids=["none", "accuracy", "balanced", "auc", "log loss", "count", "list", "mapping", "function"],
)
def test_any_scoring_of_scikit_learn(scoring: Any) -> None:
    X, y = loan_table(90)
    grid = {"theta": [0.1, 0.5], "delta": [0.2, 0.9]}
    refit = (
        scoring[0] if isinstance(scoring, list) else "cba" if isinstance(scoring, dict) else True
    )
    ours = tune(EIOLGFMM(), X, y, grid, cv=2, scoring=scoring, refit=refit)
    theirs = GridSearchCV(EIOLGFMM(), grid, cv=2, scoring=scoring, refit=refit).fit(X, y)
    assert_same(ours.cv_results_, theirs.cv_results_)
    assert ours.best_params_ == theirs.best_params_


def test_lists_of_grids_groups_other_learners_and_rows_without_labels() -> None:
    X, y = loan_table(90)
    grids = [{"theta": [0.1, 0.5]}, {"gamma": [1.0, 2.0], "feature_range": ["data", (0, 1e5)]}]
    groups = np.arange(90) // 9
    ours = tune(EIOLGFMM(), X, y, grids, cv=GroupKFold(3), groups=groups)
    theirs = GridSearchCV(EIOLGFMM(), grids, cv=GroupKFold(3)).fit(X, y, groups=groups)
    assert_same(ours.cv_results_, theirs.cv_results_)
    numbers = X.select_dtypes(include="number")
    ours = tune(ImprovedOnlineGFMM(), numbers, y, {"theta": [0.1, 0.5]}, cv=2)
    theirs = GridSearchCV(ImprovedOnlineGFMM(), {"theta": [0.1, 0.5]}, cv=2).fit(numbers, y)
    assert_same(ours.cv_results_, theirs.cv_results_)
    codes = (y == y[0]).astype(int)
    codes[::4] = -1
    clf = EIOLGFMM(unlabelled=-1)
    ours = tune(clf, X, codes, {"theta": [0.1, 0.5]}, cv=2, scoring=cba_scorer)
    theirs = GridSearchCV(clf, {"theta": [0.1, 0.5]}, cv=2, scoring=cba_scorer).fit(X, codes)
    assert_same(ours.cv_results_, theirs.cv_results_)


def test_alpha_may_be_estimated_within_a_grid() -> None:
    X, y = loan_table(90)
    grid = {"alpha": ["estimate", "estimate-scores", "auto"], "theta": [0.2, 0.6]}
    ours = tune(EIOLGFMM(), X, y, grid, cv=2)
    theirs = GridSearchCV(EIOLGFMM(), grid, cv=2).fit(X, y)
    assert_same(ours.cv_results_, theirs.cv_results_)


@pytest.mark.parametrize(
    ("clf", "third"),
    [
        (EIOLGFMM(delta=1.0), {"alpha": [0.2, "estimate"]}),
        (HyperboxClassifier(delta=1.0), {"class_prior": ["data", "auto"]}),
    ],
)
def test_scale_and_number_of_boxes_may_be_searched_too(clf: Any, third: dict[str, Any]) -> None:
    X, y = loan_table(150)
    grid = {"scale": ["range", "quantile"], "max_boxes": [None, 9], **third}
    theirs = GridSearchCV(clf, grid, cv=2, scoring=cba_scorer).fit(X, y)
    assert_same(tune(clf, X, y, grid, cv=2, scoring=cba_scorer).cv_results_, theirs.cv_results_)


@pytest.mark.parametrize("weight", ["balanced", {"a": 2.0}])
def test_class_weights_are_refused_rather_than_left_out(weight: Any) -> None:
    X, y = loan_table(60)
    with pytest.raises(ValueError, match=r"class_weight cannot be tried here.*class_prior"):
        tune(HyperboxClassifier(class_weight=weight), X, y, {"theta": [0.1]}, cv=2)


def test_the_results_do_not_depend_on_the_number_of_threads() -> None:
    X, y = loan_table()
    one, two, five = (
        tune(EIOLGFMM(), X, y, GRID, cv=3, n_jobs=n, refit=False).cv_results_ for n in (1, 2, 5)
    )
    for name in one:
        if "time" not in name and name != "params":
            np.testing.assert_array_equal(one[name], two[name])
            np.testing.assert_array_equal(one[name], five[name])


def test_a_class_that_is_in_the_test_rows_only() -> None:
    X = [[i / 10, "ab"[i % 2]] for i in range(12)]
    y = ["p", "q"] * 5 + ["r", "r"]
    cv = [([*range(10)], [8, 9, 10, 11])]
    ours = tune(EIOLGFMM(), X, y, {"theta": [0.1, 0.9]}, cv=cv, scoring=cba_scorer)
    theirs = GridSearchCV(EIOLGFMM(), {"theta": [0.1, 0.9]}, cv=cv, scoring=cba_scorer)
    assert_same(ours.cv_results_, theirs.fit(X, y).cv_results_)


def test_progress_is_told_and_what_it_raises_ends_the_run() -> None:
    X, y = loan_table(90)
    told: list[tuple[int, int]] = []
    tune(EIOLGFMM(), X, y, GRID, cv=2, refit=False, progress=lambda *n: told.append(n))
    total = 2 * 3 * 4 * 5
    assert told[-1] == (total, total)
    assert [done for done, _ in told] == sorted(done for done, _ in told)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(EIOLGFMM(), X, y, GRID, cv=2, progress=stop)


def test_a_bar_is_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = loan_table(60)
    tune(EIOLGFMM(), X, y, {"theta": [0.1]}, cv=2, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "2/2" in err
    tune(EIOLGFMM(), X, y, {"theta": [0.1]}, cv=2)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"grid": {"theta": [-1]}}, "theta must be a number from 0 up"),
        ({"grid": {"tehta": [1]}}, "Invalid parameter 'tehta'"),
        ({"grid": {"theta": []}}, "non-empty"),
        ({"scoring": []}, "names no score"),
        ({"scoring": "precission"}, "precission"),
        ({"scoring": ["accuracy", "f1_macro"]}, "say which decides"),
        ({"scoring": "accuracy", "refit": "f1"}, "refit names 'f1', but the scores are score"),
        ({"scoring": lambda clf, X, y: "good"}, "scoring must return a number, got 'good'"),
        ({"scoring": lambda clf, X, y: clf.predict(X[:2]).sum()}, "as they are; use scikit-learn"),
        ({"scoring": lambda clf, X, y: len(clf.boxes_)}, "not for boxes_; use scikit-learn"),
        ({"scoring": 5}, "scoring must be a name, a scorer or several of them, not 5"),
        ({"refit": lambda results: 0}, "refit must be True, False or the name of a score"),
        ({"grid": []}, "the grid is empty"),
        ({"cv": []}, "cv gives no folds"),
        ({"cv": [([0, 1, 2], [])]}, "fold 0 of cv has no test rows"),
        ({"n_jobs": "2"}, "n_jobs must be a whole number other than 0, not '2'"),
        ({"n_jobs": 1.5}, "n_jobs must be a whole number other than 0, not 1.5"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0, not 0"),
    ],
)
def test_mistakes_are_told(arguments: dict[str, Any], words: str) -> None:
    X, y = loan_table(60)
    with pytest.raises((ValueError, TypeError, AttributeError), match=words):
        tune(EIOLGFMM(), X, y, **{"grid": {"theta": [0.1]}, "cv": 2, **arguments})


def test_another_estimator_is_refused_with_a_remedy() -> None:
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(TypeError, match=r"DecisionTreeClassifier.*GridSearchCV"):
        tune(DecisionTreeClassifier(), [[1], [2]], [0, 1], {"max_depth": [1]}, cv=2)


def test_what_is_no_table_is_told_as_fit_tells_it() -> None:
    for X in ({"a": 1}, "table.csv"):
        with pytest.raises((ValueError, TypeError)) as by_fit:
            EIOLGFMM().fit(X, ["a", "b"])
        with pytest.raises(by_fit.type) as by_tune:
            tune(EIOLGFMM(), X, ["a", "b"], {"theta": [0.1]}, cv=2)
        assert str(by_tune.value) == str(by_fit.value)
    with pytest.raises(ValueError, match="y is None"):
        tune(EIOLGFMM(), [[1], [2]], None, {"theta": [0.1]}, cv=2)


def test_several_scores_of_which_none_decides() -> None:
    X, y = loan_table(60)
    found = tune(EIOLGFMM(), X, y, {"theta": [0.1]}, 2, ["accuracy", "f1_macro"], refit=False)
    assert found.best_index_ == -1
    assert {"mean_test_accuracy", "rank_test_f1_macro"} <= found.cv_results_.keys()


def test_scores_that_are_no_number_are_warned_of() -> None:
    X, y = loan_table(60)
    with pytest.warns(UserWarning, match="non-finite"):
        tune(EIOLGFMM(), X, y, {"theta": [0.1]}, 2, lambda clf, X, y: float("nan"))


def test_an_absurd_number_of_threads_does_no_harm() -> None:
    X, y = loan_table(60)
    found = tune(EIOLGFMM(), X, y, {"theta": [i / 99 for i in range(99)]}, n_jobs=10**6)
    assert len(found.cv_results_["params"]) == 99


@pytest.mark.parametrize("learner", ["HyperboxClassifier", "CastilloGFMM", "OnlineGFMM"])
def test_ctrl_c_ends_a_run_soon(learner: str) -> None:
    code = f"""
import numpy as np, boxwise
rng = np.random.default_rng(0)
X, y = rng.random((60_000, 4)), rng.integers(0, 2, 60_000)
print("go", flush=True)
boxwise.tune(boxwise.{learner}(0.02), X, y, {{"theta": [0.01, 0.02, 0.03]}}, cv=2)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)  # the runs would take far longer than that
    assert "KeyboardInterrupt" in err
