"""Alpha found from the data, as the paper describes it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import boxwise
from boxwise import EIOLGFMM, ShindeGFMM, estimate_alpha, load, merge
from boxwise.evaluate import cba_scorer, class_balanced_accuracy


@pytest.fixture
def complete(table: pd.DataFrame) -> pd.DataFrame:
    return table.fillna({"age": 50, "income": 30_000, "job": "none"})


def by_hand(clf: EIOLGFMM, X: pd.DataFrame, y: np.ndarray, *, scores_only: bool) -> float:
    """The paper's formulas, with a model for each kind of column on each inner fold."""
    kinds = [["age", "income"], ["job", "city"]]
    scores = [0.0, 0.0]
    for train, test in StratifiedKFold(3).split(X, y):
        for k, columns in enumerate(kinds):
            model = EIOLGFMM(**clf.get_params() | {"alpha": "auto"})
            model.fit(X.iloc[train][columns], y[train])
            scores[k] += class_balanced_accuracy(y[test], model.predict(X.iloc[test][columns]))
    n, r = (1, 1) if scores_only else (len(kinds[0]), len(kinds[1]))
    return scores[0] * n / (scores[0] * n + scores[1] * r)


@pytest.mark.parametrize("scores_only", [False, True])
@pytest.mark.parametrize(
    "columns", [["age", "income", "job", "city"], ["job", "city", "age", "income"]]
)
@pytest.mark.parametrize(("theta", "delta", "version"), [(0.1, 0.1, 1), (1, 1, 2)])
def test_the_formulas_of_the_paper(
    complete: pd.DataFrame, labels: list[str], scores_only, columns, theta, delta, version
) -> None:
    X, y = complete[columns], np.array(labels)
    clf = EIOLGFMM(theta, delta, version=version)
    alpha = estimate_alpha(clf, X, y, scores_only=scores_only)
    assert alpha == pytest.approx(by_hand(clf, X, y, scores_only=scores_only), rel=1e-12)
    word = "estimate-scores" if scores_only else "estimate"
    fitted = EIOLGFMM(theta, delta, alpha=word, version=version).fit(X, y)
    assert fitted.alpha_ == alpha
    same = EIOLGFMM(theta, delta, alpha=alpha, version=version).fit(X, y)
    np.testing.assert_array_equal(fitted.membership(X), same.membership(X))


def test_more_columns_of_a_kind_weigh_more_unless_scores_alone_decide(
    complete: pd.DataFrame, labels: list[str]
) -> None:
    X = complete[["age", "income", "job"]]
    by_both = estimate_alpha(EIOLGFMM(), X, labels)
    by_scores = estimate_alpha(EIOLGFMM(), X, labels, scores_only=True)
    assert by_both == pytest.approx(2 * by_scores / (1 + by_scores))


def test_one_kind_of_column_needs_no_estimate(table: pd.DataFrame, labels: list[str]) -> None:
    assert estimate_alpha(EIOLGFMM(), table[["age"]], labels) == 1
    assert estimate_alpha(EIOLGFMM(), table[["job"]], labels) == 0
    assert EIOLGFMM(alpha="estimate").fit(table[["job"]], labels).alpha_ == 0


def test_rows_without_a_label_and_rare_classes_do_no_harm(table: pd.DataFrame) -> None:
    y = np.array([-1, 1, 2] * 40)
    y[4] = 9
    alpha = estimate_alpha(EIOLGFMM(unlabelled=-1), table, y)
    known = y >= 0
    assert alpha == estimate_alpha(EIOLGFMM(unlabelled=-1), table[known], y[known])


def test_too_few_rows_are_told() -> None:
    X, y = [[1.0, "a"], [2.0, "b"], [3.0, "c"]], ["p", "q", "p"]
    with pytest.raises(ValueError, match=r"no class has 3 rows.*alpha='auto'"):
        EIOLGFMM(alpha="estimate").fit(X, y)


def test_learning_goes_on_with_the_alpha_that_fit_found(
    table: pd.DataFrame, labels: list[str], tmp_path
) -> None:
    clf = EIOLGFMM(alpha="estimate").fit(table[:80], labels[:80])
    alpha = clf.alpha_
    clf.partial_fit(table[80:], labels[80:])
    assert clf.alpha_ == alpha != 0.5
    clf.save(tmp_path / "model.box")
    again = boxwise.load(tmp_path / "model.box")
    assert again.alpha == "estimate"
    assert again.alpha_ == alpha
    np.testing.assert_array_equal(again.predict_proba(table), clf.predict_proba(table))


def test_partial_fit_alone_cannot_estimate(table: pd.DataFrame, labels: list[str]) -> None:
    with pytest.raises(ValueError, match=r"alpha='estimate' needs all rows: call fit first"):
        EIOLGFMM(alpha="estimate").partial_fit(table, labels)


def test_a_change_of_mind_after_fit_needs_another_fit(
    table: pd.DataFrame, labels: list[str]
) -> None:
    clf = EIOLGFMM(alpha="auto").fit(table, labels)
    for alpha in ("estimate", "estimate-scores"):
        with pytest.raises(ValueError, match="call fit first"):
            clf.set_params(alpha=alpha).partial_fit(table, labels)
        clf.fit(table, labels).partial_fit(table, labels)


def test_a_model_read_or_merged_knows_how_its_alpha_was_found(
    table: pd.DataFrame, labels: list[str], tmp_path: Path
) -> None:
    clf = EIOLGFMM(alpha="estimate").fit(table, labels)
    clf.save(tmp_path / "m.box")
    for other in (load(tmp_path / "m.box"), merge([clf, clf])):
        other.partial_fit(table[:1], labels[:1])
        with pytest.raises(ValueError, match="alpha='estimate-scores' needs all rows"):
            other.set_params(alpha="estimate-scores").partial_fit(table, labels)


def test_another_learner_has_no_alpha(table: pd.DataFrame, labels: list[str]) -> None:
    with pytest.raises(TypeError, match="ShindeGFMM has no alpha to estimate"):
        estimate_alpha(ShindeGFMM(), table, labels)


def test_fit_estimates_anew(table: pd.DataFrame, labels: list[str]) -> None:
    clf = EIOLGFMM(alpha="estimate").fit(table, labels)
    first = clf.alpha_
    clf.fit(table[["age", "job"]], labels)
    assert clf.alpha_ != first


def test_alpha_tuned_by_grid_search(complete: pd.DataFrame, labels: list[str]) -> None:
    grid = {"alpha": [i / 10 for i in range(11)]}
    search = GridSearchCV(EIOLGFMM(), grid, cv=3, scoring=cba_scorer)
    search.fit(complete, labels)
    assert search.best_estimator_.alpha_ == search.best_params_["alpha"]


@pytest.mark.parametrize("alpha", ["estimated", "", np.array([0.1, 0.2]), None, 1.5])
def test_a_wrong_alpha_is_told(alpha, table: pd.DataFrame, labels: list[str]) -> None:
    with pytest.raises(ValueError, match="alpha must be"):
        EIOLGFMM(alpha=alpha).fit(table, labels)
