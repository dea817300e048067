"""The paper's protocol: which rows are learned, which are predicted, and what is recorded."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from boxwise.datasets import load
from boxwise.evaluate import cba_scorer
from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.tuning.scoring import Scoring
from boxwise.tuning.trials import Result, Trials

N_FOLDS, N_INNER_FOLDS = 4, 3
Split = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Protocol:
    """The choices that decide every digit of the results.

    Parameters
    ----------
    repeats : int
        How often the rows are cut into four folds.
    seed : int
        Where the random numbers begin.
    quick : bool
        Whether grids are thinned out.
    scaling : "dataset" or "fold"
        Whether a numeric column is scaled by all rows of its data set, as the paper does, or by
        those of the training fold, as one would in earnest.
    order : "file" or "shuffled"
        The order in which the rows of a training fold are learned.
    """

    repeats: int = 10
    seed: int = 0
    quick: bool = False
    scaling: Literal["dataset", "fold"] = "dataset"
    order: Literal["file", "shuffled"] = "file"

    def thin(self, values: Sequence[Any], keep: Iterable[Any]) -> list[Any]:
        """Return the values, or in a quick run those to keep."""
        keep = set(keep)
        return [value for value in values if not self.quick or value in keep]


@dataclass(frozen=True, eq=False)
class Table:
    """A data set as the experiments use it: the numeric columns first."""

    name: str
    X: NDArray[Any]
    y: NDArray[Any]
    n: int
    r: int

    @property
    def categorical(self) -> list[int]:
        """The positions of the categorical columns."""
        return [*range(self.n, self.n + self.r)]

    @cached_property
    def ranges(self) -> dict[int, tuple[float, float]]:
        """The least and the largest value of each numeric column."""
        numbers = self.X[:, : self.n].astype(float)
        return {j: (numbers[:, j].min(), numbers[:, j].max()) for j in range(self.n)}

    def reading(self, protocol: Protocol) -> dict[str, Any]:
        """Return the parameters of an estimator that say how to read the table."""
        by_dataset = protocol.scaling == "dataset" and self.n > 0
        feature_range = self.ranges if by_dataset else "data"
        return {"categorical_features": self.categorical, "feature_range": feature_range}


@lru_cache(maxsize=32)
def table(name: str, folder: str | None = None) -> Table:
    """Return a data set of the paper."""
    data = load(name, folder=folder)
    columns = [*data.numeric, *data.categorical]
    X = np.array([[row[column] for column in columns] for row in data.X], dtype=object)
    return Table(name, X, data.y, len(data.numeric), len(data.categorical))


class Fold:
    """One outer fold: rows to learn, rows to predict, and the inner folds of the former."""

    def __init__(
        self, table: Table, protocol: Protocol, train: Any, test: Any, inner_seed: int
    ) -> None:
        self.table, self.protocol = table, protocol
        self.train, self.test = train, test
        self._inner_seed = inner_seed

    @property
    def inner(self) -> list[Split]:
        """Three stratified folds of the rows to learn."""
        return [(self.train[train], self.train[test]) for train, test in self.inner_places]

    @cached_property
    def inner_places(self) -> list[Split]:
        """The inner folds as places among the rows to learn."""
        splitter = StratifiedKFold(N_INNER_FOLDS, shuffle=True, random_state=self._inner_seed)
        labels = self.table.y[self.train]
        with small_classes_allowed():
            return [*splitter.split(labels, labels)]

    def learner(self, method: HyperboxLearner, **parameters: Any) -> HyperboxLearner:
        """Return a copy of the estimator that reads the table as the protocol says."""
        reading = self.table.reading(self.protocol)
        learner: HyperboxLearner = clone(method).set_params(**reading, **parameters)
        return learner

    def score(
        self, learner: HyperboxLearner, candidates: Sequence[Mapping[str, Any]]
    ) -> list[Result]:
        """Learn the rows to learn with each candidate and score the others."""
        return [results[0] for results in self._try(learner, candidates, [(self.train, self.test)])]

    def best(
        self, learner: HyperboxLearner, candidates: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Return the candidate of highest mean score over the inner folds; the first of equals."""
        tried = self._try(learner, candidates, self.inner)
        means = [sum(r.scores["score"] for r in results) / len(results) for results in tried]
        return candidates[int(np.argmax(np.round(means, 12)))]

    def _try(
        self,
        learner: HyperboxLearner,
        candidates: Sequence[Mapping[str, Any]],
        splits: Sequence[Split],
    ) -> list[list[Result]]:
        trials = Trials(learner, self.table.X, self.table.y, splits, Scoring(cba_scorer))
        return trials.run(candidates, n_jobs=1)


def outer_fold(table: Table, protocol: Protocol, repeat: int, fold: int) -> Fold:
    """Return one fold of one repetition; the same whatever else is run."""
    # The folds of RepeatedStratifiedKFold(4, n_repeats=10, random_state=seed) cuts them.
    splitter = RepeatedStratifiedKFold(
        n_splits=N_FOLDS, n_repeats=repeat + 1, random_state=protocol.seed
    )
    with small_classes_allowed():
        splits = [*splitter.split(table.y, table.y)]
    train, test = splits[repeat * N_FOLDS + fold]
    seed = (protocol.seed * 1000 + repeat) * N_FOLDS + fold
    if protocol.order == "shuffled":
        train = np.random.default_rng(seed).permutation(train)
    return Fold(table, protocol, train, test, seed)


class small_classes_allowed(warnings.catch_warnings):  # noqa: N801
    """A class with fewer rows than folds is in some folds only: so it is in the paper."""

    def __enter__(self) -> None:
        super().__enter__()
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)


class Row(NamedTuple):
    """The result of one method with one setting on one fold; what does not apply is None."""

    method: str  # v1, v2, M1, M2 or IOL
    variant: str  # the encoder, or the way to find alpha
    theta: float
    second: float | None  # delta, eta or beta
    alpha: float | None
    cba: float
    boxes: int


def rows(
    method: str,
    candidates: Sequence[Mapping[str, Any]],
    results: Sequence[Result],
    variant: str = "",
) -> Iterator[Row]:
    """Pair candidates with their results."""
    for candidate, result in zip(candidates, results, strict=True):
        second = next((candidate[k] for k in ("delta", "eta", "beta") if k in candidate), None)
        yield Row(
            method,
            variant,
            candidate["theta"],
            second,
            candidate.get("alpha"),
            result.scores["score"],
            result.n_boxes,
        )
