"""Parameters to scores: every candidate on every fold, in the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable

from boxwise.core import FoldRows, Outcome, Settings, label_array, try_settings
from boxwise.inputs import infer_schema
from boxwise.learners.base.hyperbox_learner import HyperboxLearner, TrainingTable
from boxwise.schema import Vocabulary
from boxwise.tuning.scoring import Scoring, StoredPredictions

Parameters = Mapping[str, Any]

# Trials done together share work, so as many as their answers may take memory: cells of 4 bytes.
CELLS_AT_ONCE = 1 << 24
LEAST_AT_ONCE = 256


@dataclass(frozen=True)
class Result:
    """The result of one candidate on one fold."""

    scores: dict[str, float]
    n_boxes: int
    fit_seconds: float
    score_seconds: float


class Split:
    """A fold as the user gave it."""

    def __init__(self, X: Any, y: Any, train: Any, test: Any) -> None:
        self.X, self.y = X, y
        self.train, self.test = train, test

    @cached_property
    def test_rows(self) -> Any:
        """The rows to predict; kept, for scorers that look at them."""
        return _safe_indexing(self.X, self.test)

    @cached_property
    def test_labels(self) -> Any:
        """Their labels."""
        return _safe_indexing(self.y, self.test)


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
        # This raises for what is no table, as `fit` does.
        infer_schema(X, classifier.categorical_features, dates=classifier.dates)
        if y is None:
            raise ValueError("y is None; scores need the labels of the rows")
        X, y, groups = indexable(X, y, groups)
        self.classifier = classifier
        self.scoring = scoring
        splits = check_cv(cv, y, classifier=True).split(X, y, groups)
        self.splits = [Split(X, y, train, test) for train, test in splits]
        if not self.splits:
            raise ValueError("cv gives no folds")
        for i, split in enumerate(self.splits):
            if len(split.train) == 0 or len(split.test) == 0:
                which = "train" if len(split.train) == 0 else "test"
                raise ValueError(f"fold {i} of cv has no {which} rows; each fold needs both")
        self._read: dict[Any, list[ReadFold]] = {}
        self._known: set[tuple[str, ...]] = set()  # names of parameters that there are

    def run(
        self,
        candidates: Sequence[Parameters],
        *,
        n_jobs: int | None = -1,
        report: Callable[[int], object] = lambda done: None,
    ) -> list[list[Result]]:
        """Return, for each candidate, its results on the folds."""
        learners = [self._learner(candidate) for candidate in candidates]
        work = [(learner, fold) for learner in learners for fold in self.folds_for(learner)]
        results: list[Result] = []
        at_once = self._at_once(work)
        for begin in range(0, len(work), at_once):
            part = work[begin : begin + at_once]
            trials: list[tuple[Settings, FoldRows]] = [
                (learner._settings_for(fold.table), fold.rows) for learner, fold in part
            ]
            outcomes = try_settings(
                trials,
                probabilities=self.scoring.needs_probabilities,
                n_jobs=n_jobs,
                report=partial(add_to, report, begin),
            )
            results += [
                self._score(outcome, fold)
                for outcome, (_, fold) in zip(outcomes, part, strict=True)
            ]
        n = len(self.splits)
        return [results[begin : begin + n] for begin in range(0, len(results), n)]

    def _score(self, outcome: Outcome, fold: ReadFold) -> Result:
        answers = StoredPredictions(outcome.predicted, outcome.probabilities, fold.classes)
        scores, seconds = self.scoring(answers, fold.truth, fold.split)
        return Result(
            scores, outcome.n_boxes, outcome.learn_seconds, outcome.predict_seconds + seconds
        )

    def _learner(self, candidate: Parameters) -> HyperboxLearner:
        """Return the classifier with these parameters, to be read only: cheaper than a clone."""
        names = tuple(candidate)
        if names not in self._known:
            clone(self.classifier).set_params(**candidate)  # a name it does not have is an error
            self._known.add(names)
        learner = copy(self.classifier)
        for name, value in candidate.items():
            setattr(learner, name, value)
        if getattr(learner, "class_weight", None) is not None:
            raise ValueError(
                "class_weight cannot be tried here, where every row counts once: use "
                "class_prior='balanced', or scikit-learn's GridSearchCV"
            )
        return learner

    def _at_once(self, work: Sequence[tuple[HyperboxLearner, ReadFold]]) -> int:
        """Return how many trials the engine does before their answers are scored and forgotten."""
        cells = max(
            (
                len(fold.truth) * (1 + 2 * len(fold.classes) * self.scoring.needs_probabilities)
                for _, fold in work
            ),
            default=1,
        )
        return max(LEAST_AT_ONCE, CELLS_AT_ONCE // cells)

    def folds_for(self, learner: HyperboxLearner) -> list[ReadFold]:
        """Return the folds as the learner reads them."""
        reading = ("categorical_features", "feature_range", "scale", "unlabelled", "dates")
        values = [getattr(learner, name) for name in reading]
        usual = [getattr(self.classifier, name) for name in reading]
        same = all(a is b for a, b in zip(values, usual, strict=True))
        key = None if same else joblib.hash(values)
        if key not in self._read:
            self._read[key] = [_read(learner, split) for split in self.splits]
        return self._read[key]


def _read(learner: HyperboxLearner, split: Split) -> ReadFold:
    table = learner._read_training(
        _safe_indexing(split.X, split.train), _safe_indexing(split.y, split.train)
    )
    table.schema.absorb(table.batch.additions)
    test = learner._encode(_safe_indexing(split.X, split.test), table.schema, None, learn=False)
    truth, _ = learner._encode_labels(split.test_labels, Vocabulary(table.new_labels), test)
    names = table.schema.numeric_names, table.new_labels
    rows = FoldRows(table.batch, table.labels, table.ranges, test, *names)
    return ReadFold(table, rows, label_array(table.new_labels), truth, split)


def add_to(report: Callable[[int], object], before: int, done: int) -> None:
    """Report what is done besides what was done before."""
    report(before + done)


def clone_values(parameters: Parameters) -> dict[str, Any]:
    """Return the parameters with copies of their values, as scikit-learn's searches use them."""
    return {name: clone(value, safe=False) for name, value in parameters.items()}
