"""Scorers of scikit-learn, for predictions that are there already."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score, get_scorer

from boxwise.evaluate import class_balanced_accuracy

Codes = NDArray[np.int32]


class StoredPredictions(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier as a scorer sees it: its predictions for one table are stored.

    Parameters
    ----------
    codes : array of int
        The predicted classes, as positions in `labels`.
    shares : array of shape (rows, classes), optional
        The probabilities, in the order of `labels`.
    labels : array
        The classes, in order of first appearance.
    rows : table
        The table of the predictions.
    """

    def __init__(self, codes: Codes, shares: Any, labels: NDArray[Any], rows: Any = None) -> None:
        self.codes = codes
        self.shares = shares
        self.labels = labels
        self.rows = rows

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        return self.labels[self._order()]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the classes."""
        self._check(X)
        return self.labels[self.codes]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the shares of the classes, in the order of `classes_`."""
        self._check(X)
        shares: NDArray[np.float64] = self.shares[:, self._order()]
        return shares

    def _check(self, X: Any) -> None:
        if X is not self.rows:
            raise ValueError(
                "a scorer may ask about the rows of the fold only, as they are; use scikit-learn's "
                "GridSearchCV with this one"
            )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"a scorer may ask for predict, predict_proba and classes_, not for {name}; use "
            "scikit-learn's GridSearchCV with this one"
        )

    def _order(self) -> NDArray[np.intp]:
        try:
            return np.argsort(self.labels, kind="stable")
        except TypeError:  # labels of several types: as they came
            return np.arange(len(self.labels))


class Scoring:
    """One score or several, named as GridSearchCV names them.

    Parameters
    ----------
    scoring : None, str, callable, list of str or mapping
        As in GridSearchCV; None is accuracy. A callable gets an estimator of which it may ask
        ``predict``, ``predict_proba`` (of the rows it gets) and ``classes_``, the rows and the
        labels.
    """

    def __init__(self, scoring: Any) -> None:
        if scoring is None or isinstance(scoring, str) or callable(scoring):
            self.scorers = {"score": get_scorer("accuracy" if scoring is None else scoring)}
        elif isinstance(scoring, Mapping):
            self.scorers = {name: get_scorer(scorer) for name, scorer in scoring.items()}
        elif isinstance(scoring, list | tuple | set):
            self.scorers = {name: get_scorer(name) for name in scoring}
        else:
            raise TypeError(f"scoring must be a name, a scorer or several of them, not {scoring!r}")
        if not self.scorers:
            raise ValueError("scoring names no score; give at least one")

    @property
    def needs_probabilities(self) -> bool:
        """Whether a scorer may ask for more than predictions."""
        return any(getattr(s, "_response_method", None) != "predict" for s in self.scorers.values())

    def __call__(
        self, answers: StoredPredictions, truth: Codes, split: Any
    ) -> tuple[dict[str, float], float]:
        """Return the scores, and how long they took.

        `truth` are the labels of the fold as positions in those of the answers; beyond them if
        unseen. The fold itself, `split`, is for scorers of others.
        """
        start = perf_counter()
        scores = {}
        for name, scorer in self.scorers.items():
            quick = _quick(scorer)
            if quick:
                score = quick(truth, answers.codes)
            else:
                answers.rows = split.test_rows
                score = scorer(answers, split.test_rows, split.test_labels)
            if not isinstance(score, float | int | np.number):
                raise ValueError(
                    f"scoring must return a number, got {score!r} for {name!r}; for several scores "
                    "give a mapping of scorers"
                )
            scores[name] = float(score)
        return scores, perf_counter() - start


def _quick(scorer: Any) -> Any:
    """Return the same score from codes, if we have it: most of a tuning can go into scoring."""
    if getattr(scorer, "_kwargs", None) != {} or getattr(scorer, "_sign", 0) != 1:
        return None
    return _QUICK.get(getattr(scorer, "_score_func", None))


def _accuracy(truth: Codes, predicted: Codes) -> float:
    return float(np.mean(truth == predicted))


def _class_balanced_accuracy(truth: Codes, predicted: Codes) -> float:
    size = int(max(truth.max(), predicted.max())) + 2  # a row without a label has the code -1
    pairs = np.bincount((truth + 1) * size + predicted + 1, minlength=size * size)
    table = pairs.reshape(size, size).tolist()
    shares = []
    for k, row in enumerate(table):
        most = max(sum(row), sum(other[k] for other in table))
        if most:
            shares.append(row[k] / most)
    return fsum(shares) / len(shares)


_QUICK = {accuracy_score: _accuracy, class_balanced_accuracy: _class_balanced_accuracy}
