"""Parameters to scores: every candidate on every fold, in the engine."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable

from boxwise.core import FoldRows, Outcome, Settings, label_array, try_settings
from boxwise.inputs import encode
from boxwise.learners.hyperbox_learner import HyperboxLearner, TrainingTable
from boxwise.schema import Vocabulary
from boxwise.tuning.scoring import Answers, Scoring

Parameters = Mapping[str, Any]

# Trials handed to the engine at a time: their answers are scored and forgotten before the next.
AT_ONCE = 1024


@dataclass(frozen=True)
class Result:
    """What one candidate did on one fold."""

    scores: dict[str, float]
    n_boxes: int
    fit_seconds: float
    score_seconds: float


@dataclass(frozen=True)
class Split:
    """A fold as the user gave it."""

    X_train: Any
    y_train: Any
    X_test: Any
    y_test: Any


@dataclass(frozen=True)
class ReadFold:
    """A fold as one way of reading it gives it: what `fit` and `predict` would see."""

    table: TrainingTable
    rows: FoldRows
    classes: NDArray[Any]
    truth: NDArray[np.int32]
    split: Split


class Trials:
    """A table cut into folds, on which candidates are tried.

    Each fold is read once for all candidates that read tables in the same way, exactly as ``fit``
    and ``predict`` would read it.

    Parameters
    ----------
    classifier : HyperboxLearner
        The parameters that a candidate does not name.
    X, y
        The table and its labels.
    cv : int, splitter or iterable
        As in scikit-learn.
    scoring : Scoring
        How answers are scored.
    groups : array-like, optional
        For splitters that need them.
    """

    def __init__(
        self,
        classifier: HyperboxLearner,
        X: Any,
        y: Any,
        cv: Any,
        scoring: Scoring,
        groups: Any = None,
    ) -> None:
        if not isinstance(classifier, HyperboxLearner):
            raise TypeError(
                f"{type(classifier).__name__} is not an estimator of boxwise, and only these learn "
                "in the engine; use scikit-learn's GridSearchCV for it"
            )
        X, y, groups = indexable(X, y, groups)
        self.classifier = classifier
        self.scoring = scoring
        splits = check_cv(cv, y, classifier=True).split(X, y, groups)
        self.splits = [
            Split(
                _safe_indexing(X, train),
                _safe_indexing(y, train),
                _safe_indexing(X, test),
                _safe_indexing(y, test),
            )
            for train, test in splits
        ]
        self._read: dict[bytes, list[ReadFold]] = {}

    def run(
        self,
        candidates: Sequence[Parameters],
        *,
        n_jobs: int | None = -1,
        report: Callable[[int], object] = lambda done: None,
    ) -> list[list[Result]]:
        """Return, for each candidate, its results on the folds."""
        learners = [clone(self.classifier).set_params(**clone_values(c)) for c in candidates]
        work = [(learner, fold) for learner in learners for fold in self._folds_for(learner)]
        results: list[Result] = []
        for begin in range(0, len(work), AT_ONCE):
            part = work[begin : begin + AT_ONCE]
            trials: list[tuple[Settings, FoldRows]] = [
                (learner._settings_for(fold.table), fold.rows) for learner, fold in part
            ]
            outcomes = try_settings(
                trials,
                probabilities=self.scoring.needs_probabilities,
                n_jobs=n_jobs,
                report=partial(_add, report, begin),
            )
            results += [
                self._score(outcome, fold)
                for outcome, (_, fold) in zip(outcomes, part, strict=True)
            ]
        n = len(self.splits)
        return [results[begin : begin + n] for begin in range(0, len(results), n)]

    def _score(self, outcome: Outcome, fold: ReadFold) -> Result:
        answers = Answers(outcome.predicted, outcome.probabilities, fold.classes)
        scores, seconds = self.scoring(answers, fold.truth, fold.split.X_test, fold.split.y_test)
        return Result(
            scores, outcome.n_boxes, outcome.learn_seconds, outcome.predict_seconds + seconds
        )

    def _folds_for(self, learner: HyperboxLearner) -> list[ReadFold]:
        reading = ("categorical_features", "feature_range", "unlabelled")
        key = pickle.dumps([getattr(learner, name) for name in reading])
        if key not in self._read:
            self._read[key] = [_read(learner, split) for split in self.splits]
        return self._read[key]


def _read(learner: HyperboxLearner, split: Split) -> ReadFold:
    table = learner._read_training(split.X_train, split.y_train)
    table.schema.absorb(table.batch.additions)
    test = encode(split.X_test, table.schema, learn=False, reader=type(learner).__name__)
    truth, _ = learner._encode_labels(split.y_test, Vocabulary(table.new_labels), test)
    rows = FoldRows(table.batch, table.labels, table.ranges, test)
    return ReadFold(table, rows, label_array(table.new_labels), truth, split)


def _add(report: Callable[[int], object], before: int, done: int) -> None:
    report(before + done)


def clone_values(parameters: Parameters) -> dict[str, Any]:
    """Return the parameters with copies of their values, as scikit-learn's searches use them."""
    return {name: clone(value, safe=False) for name, value in parameters.items()}
