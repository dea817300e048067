"""What every estimator of the library does, whatever its algorithm."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from joblib import cpu_count, parallel_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import boxwise
from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.learners.base.batch_learner import BatchLearner
from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.learners.base.numeric_only import NumericOnly
from boxwise.learners.base.online_learner import OnlineLearner
from boxwise.learners.saved import _LEARNERS

EVERY = [learner() for learner in _LEARNERS.values()]
VARIANTS: list[HyperboxLearner] = [EIOLGFMM(version=2)]


def each(kind: type) -> Any:
    chosen = [clf for clf in EVERY if isinstance(clf, kind)]
    return pytest.mark.parametrize("clf", chosen, ids=lambda clf: type(clf).__name__)


every_estimator = each(HyperboxLearner)
online_estimator, batch_estimator = each(OnlineLearner), each(BatchLearner)


def suited(clf: HyperboxLearner, table: pd.DataFrame) -> pd.DataFrame:
    return table[["age", "income"]] if isinstance(clf, NumericOnly) else table


def known_to_fail(clf: HyperboxLearner) -> dict[str, str]:
    """Return the checks that cannot pass, and why."""
    if not isinstance(clf, HyperboxClassifier):
        return {}
    reason = "it compares weights with repeated rows in another order, which matters online"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks([*EVERY, *VARIANTS], expected_failed_checks=known_to_fail)
def test_scikit_learn_accepts_it_as_an_estimator(estimator: Any, check: Any) -> None:
    check(estimator)


@every_estimator
def test_it_is_public_and_online_or_batch(clf: HyperboxLearner) -> None:
    assert getattr(boxwise, type(clf).__name__) is type(clf)
    assert isinstance(clf, OnlineLearner) != isinstance(clf, BatchLearner)
    assert hasattr(clf, "partial_fit") == isinstance(clf, OnlineLearner)


@batch_estimator
def test_a_batch_learner_says_why_it_has_no_partial_fit(clf: BatchLearner) -> None:
    with pytest.raises(AttributeError, match=r"has no partial_fit: .+ Call fit with all rows"):
        clf.partial_fit([[1.0]], ["a"])
    with pytest.raises(NotFittedError, match="Call 'fit' with some rows first"):
        clf.predict([[1.0]])


@every_estimator
def test_tables_with_names_and_missing_values_and_labels_of_text(
    clf: HyperboxLearner, table: pd.DataFrame, labels: list[str]
) -> None:
    X = suited(clf, table)
    clf = clone(clf).fit(X, labels)
    assert clf.classes_.tolist() == ["no", "refer", "yes"]
    assert clf.feature_names_in_.tolist() == X.columns.tolist()
    probabilities = clf.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    assert (clf.classes_[probabilities.argmax(axis=1)] == clf.predict(X)).all()
    membership = clf.membership(X)
    assert membership.shape == (len(X), len(clf.boxes_))
    assert membership.min() >= 0
    assert membership.max() <= 1
    assert clf.boxes_.n_samples.sum() == len(X)
    assert all(clf.boxes_.describe(i) for i in range(len(clf.boxes_)))
    assert np.mean(clf.predict(X) == labels) > 0.5


@every_estimator
def test_the_order_of_named_columns_does_not_matter(
    clf: HyperboxLearner, table: pd.DataFrame, labels: list[str]
) -> None:
    X = suited(clf, table)
    clf = clone(clf).fit(X, labels)
    np.testing.assert_array_equal(clf.predict(X[X.columns[::-1]]), clf.predict(X))


@every_estimator
def test_saving_and_loading_gives_the_identical_model(
    clf: HyperboxLearner,
    table: pd.DataFrame,
    labels: list[str],
    state: Callable[[Any], bytes],
    tmp_path: Any,
) -> None:
    X = suited(clf, table)
    clf = clone(clf).fit(X, labels)
    clf.save(tmp_path / "model.box")
    loaded = boxwise.load(tmp_path / "model.box")
    for twin in (loaded, pickle.loads(pickle.dumps(clf))):
        assert type(twin) is type(clf)
        assert twin.get_params() == clf.get_params()
        assert state(twin) == state(clf)
        np.testing.assert_array_equal(twin.predict_proba(X), clf.predict_proba(X))
        np.testing.assert_array_equal(twin.membership(X), clf.membership(X))


@online_estimator
def test_rows_one_by_one_chunks_and_bulk_give_the_same_model(
    clf: OnlineLearner, table: pd.DataFrame, labels: list[str], state: Callable[[Any], bytes]
) -> None:
    X = suited(clf, table)
    bulk = clone(clf).partial_fit(X, labels)
    for size in (1, 7):
        parts = clone(clf)
        for begin in range(0, len(X), size):
            parts.partial_fit(X[begin : begin + size], labels[begin : begin + size])
        assert state(parts) == state(bulk)


@every_estimator
def test_a_column_of_text_is_learned_or_refused_with_its_name_and_a_remedy(
    clf: HyperboxLearner, table: pd.DataFrame, labels: list[str]
) -> None:
    X = table[["age", "city"]]
    if isinstance(clf, NumericOnly):
        words = (
            rf"column 'city': '\w+' is not a number \(row 0\); {type(clf).__name__} takes numbers"
        )
        with pytest.raises(ValueError, match=words + ".*HyperboxClassifier"):
            clone(clf).fit(X, labels)
        fitted = clone(clf).fit(table[["age"]], labels)
        with pytest.raises(ValueError, match=f"is not a number .*; {type(clf).__name__} takes"):
            fitted.predict(table[["city"]].set_axis(["age"], axis=1))
    else:
        assert clone(clf).fit(X, labels).schema_.names == ("age", "city")


@every_estimator
def test_scikit_learns_searches_and_scores_take_it(
    clf: HyperboxLearner, table: pd.DataFrame, labels: list[str]
) -> None:
    X = suited(clf, table)
    search = GridSearchCV(clf, {"theta": [0.1, 0.4]}, cv=2).fit(X, labels)
    assert search.best_score_ > 0.3
    assert cross_val_score(clf, X, labels, cv=2).min() > 0.3


@every_estimator
@pytest.mark.parametrize("value", [-0.1, "wide", None, float("nan")])
def test_a_wrong_theta_is_refused_in_words(clf: HyperboxLearner, value: Any) -> None:
    with pytest.raises(ValueError, match="theta must be a number from 0 up"):
        clone(clf).set_params(theta=value).fit([[1.0], [2.0]], ["a", "b"])


@every_estimator
def test_one_kind_of_column_only(clf: HyperboxLearner, table: pd.DataFrame) -> None:
    labels = ["a", "b"] * 60
    assert set(clone(clf).fit(table[["age"]], labels).predict(table[["age"]])) <= {"a", "b"}
    if not isinstance(clf, NumericOnly):
        words = table[["job", "city"]]
        assert set(clone(clf).fit(words, labels).predict(words)) <= {"a", "b"}


@every_estimator
def test_what_is_predicted_does_not_depend_on_the_number_of_threads(
    clf: HyperboxLearner, table: pd.DataFrame, labels: list[str]
) -> None:
    X = suited(clf, pd.concat([table] * 30, ignore_index=True))
    alone = clone(clf).set_params(theta=0.02).fit(suited(clf, table), labels)
    for n_jobs in (2, 4, 5, -1):
        shared = clone(alone).set_params(n_jobs=n_jobs).fit(suited(clf, table), labels)
        assert (shared.predict(X) == alone.predict(X)).all()
        assert (shared.predict_proba(X) == alone.predict_proba(X)).all()
        assert (shared.membership(X) == alone.membership(X)).all()


@every_estimator
@pytest.mark.parametrize("n_jobs", ["x", 1.5, True])
def test_a_number_of_threads_that_is_none_is_refused(clf: HyperboxLearner, n_jobs: Any) -> None:
    fitted = clone(clf).fit([[1.0], [2.0]], ["a", "b"]).set_params(n_jobs=n_jobs)
    with pytest.raises(ValueError, match="n_jobs must be None or a whole number"):
        fitted.predict([[1.0]])
    with pytest.raises(ValueError, match="n_jobs must be None or a whole number"):
        fitted.fit([[1.0]], ["a"])


def test_without_n_jobs_the_number_of_threads_is_that_of_the_surrounding_joblib() -> None:
    clf = HyperboxClassifier()
    assert clf._threads() == 1
    with parallel_config(backend="threading", n_jobs=3):
        assert clf._threads() == 3
        assert HyperboxClassifier(n_jobs=2)._threads() == 2
    assert HyperboxClassifier(n_jobs=-1)._threads() == cpu_count()
    assert HyperboxClassifier(n_jobs=-2)._threads() == max(1, cpu_count() - 1)


@online_estimator
def test_testing_then_training_is_predicting_and_learning_row_by_row(
    clf: OnlineLearner, table: pd.DataFrame, labels: list[str], state: Callable[..., bytes]
) -> None:
    rows = suited(clf, table)
    kinds = {} if isinstance(clf, NumericOnly) else {"categorical_features": ["job", "city"]}
    loop = clone(clf).set_params(**kinds)
    expected = [None]
    loop.partial_fit(rows[:1], labels[:1])
    for i in range(1, len(rows)):
        expected.append(loop.predict(rows[i : i + 1])[0])
        loop.partial_fit(rows[i : i + 1], labels[i : i + 1])
    bulk = clone(clf).set_params(**kinds)
    parts = [
        bulk.test_then_train(rows[:7], labels[:7]),
        bulk.test_then_train(rows[7:], labels[7:]),
    ]
    assert np.concatenate(parts).tolist() == expected
    assert state(bulk) == state(loop)
    assert bulk.n_boxes_ == len(bulk.boxes_)
    assert bulk.n_bytes_ > 0
