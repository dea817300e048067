"""Many settings over several folds of one table, learned and predicted in the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from joblib import cpu_count, effective_n_jobs
from numpy.typing import NDArray

from boxwise._native import Fold, run_trials
from boxwise.core.settings import Range, Settings
from boxwise.inputs import Batch


class FoldRows:
    """The rows to learn and those to predict, as the engine takes them.

    Parameters
    ----------
    train, test : Batch
        The rows.
    labels : array of int32
        The classes of the rows to learn, numbered in order of first appearance; -1 is none.
    ranges : sequence of Range
        What the numeric columns are scaled by.
    numeric_names, classes : sequence
        What settings may name: the numeric columns, and the classes by their numbers.
    """

    def __init__(
        self,
        train: Batch,
        labels: NDArray[np.int32],
        ranges: Sequence[Range],
        test: Batch,
        numeric_names: Sequence[str] = (),
        classes: Sequence[object] = (),
    ) -> None:
        self.ranges, self.names = ranges, (numeric_names, classes)
        self.n_categorical = train.codes.shape[1]
        self.native = Fold(
            train.lower, train.upper, train.codes, labels, test.lower, test.upper, test.codes
        )


@dataclass(frozen=True)
class Outcome:
    """The result of one trial."""

    predicted: NDArray[np.int32]
    probabilities: NDArray[np.float64] | None
    n_boxes: int
    learn_seconds: float
    predict_seconds: float


def try_settings(
    trials: Sequence[tuple[Settings, FoldRows]],
    *,
    probabilities: bool = False,
    n_jobs: int | None = -1,
    report: Callable[[int], object] | None = None,
) -> list[Outcome]:
    """Learn and predict each fold with its settings, on several cores.

    Parameters
    ----------
    trials : sequence of (Settings, FoldRows)
        What to do.
    probabilities : bool
        Whether the shares of the classes are wanted besides the predictions.
    n_jobs : int or None
        How many threads, as in scikit-learn, but no more than there are cores; the results do not
        depend on it.
    report : callable, optional
        Called now and then with the number of trials done.
    """
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral | None) or n_jobs == 0:
        raise ValueError(f"n_jobs must be a whole number other than 0, not {n_jobs!r}")
    prototypes: list[Any] = [
        settings.new_engine(fold.n_categorical, fold.ranges, *fold.names)
        for settings, fold in trials
    ]
    threads = max(1, min(effective_n_jobs(n_jobs), cpu_count(), len(trials)))
    done = run_trials(
        prototypes, [fold.native for _, fold in trials], probabilities, threads, report
    )
    return [Outcome(*outcome) for outcome in done]
