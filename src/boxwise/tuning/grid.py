"""A grid of parameters, tried in the engine: GridSearchCV without a Python call per fit."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.progress import follow
from boxwise.tuning.scoring import Scoring
from boxwise.tuning.trials import Parameters, Result, Trials, clone_values


@dataclass
class Tuning:
    """The result of `tune`, under the names that GridSearchCV uses.

    Attributes
    ----------
    cv_results_ : dict of arrays
        As GridSearchCV's ``cv_results_``, and besides ``split0_n_boxes``, ..., ``mean_n_boxes`` and
        ``std_n_boxes``, the number of boxes learned. Times are seconds in one thread.
    best_index_ : int
        The first of the best candidates; -1 with several scores of which none decides.
    best_params_ : dict
        Its parameters.
    best_score_ : float
        Its mean score.
    best_estimator_ : estimator
        It, fitted to all rows; None if ``refit=False``.
    n_splits_ : int
        How many folds there were.

    Examples
    --------
    >>> from boxwise import EIOLGFMM, tune
    >>> rows, labels = [[x, "ab"[x % 2]] for x in range(12)], ["no", "yes"] * 6
    >>> tune(EIOLGFMM(), rows, labels, {"alpha": [0.0, 1.0]}, cv=3).best_params_
    {'alpha': 0.0}
    """

    cv_results_: dict[str, Any] = field(repr=False)
    n_splits_: int
    best_index_: int = -1
    best_params_: Parameters = field(default_factory=dict)
    best_score_: float = math.nan
    best_estimator_: Any = None


def tune(
    classifier: HyperboxLearner,
    X: Any,
    y: Any,
    grid: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    cv: Any = None,
    scoring: Any = None,
    *,
    refit: bool | str = True,
    n_jobs: int | None = -1,
    groups: Any = None,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Tuning:
    """Try every combination of parameters on every fold, and learn all rows with the best.

    The scores are those of scikit-learn's GridSearchCV, to the last digit; but each fold is read
    once, not once for every combination, and learning and predicting are done in the engine, on
    all cores, without a call of Python for each.

    Parameters
    ----------
    classifier : estimator of boxwise
        The parameters that the grid does not name; it is not changed.
    X, y
        The table and its labels, as in ``fit``.
    grid : mapping, or sequence of mappings
        The values to try for each parameter, as in GridSearchCV.
    cv : int, splitter or iterable, optional
        The folds, as in GridSearchCV: five stratified ones by default.
    scoring : str, callable, list or mapping, optional
        The score or scores, as in GridSearchCV: accuracy by default. Accuracy and
        `boxwise.evaluate.cba_scorer` cost next to nothing; others as much as scikit-learn takes. A
        function gets a classifier of which it may ask ``predict`` and ``predict_proba`` of the
        rows it gets, and ``classes_``.
    refit : bool or str, default=True
        Whether to learn all rows with the best parameters; with several scores, by which.
    n_jobs : int, optional
        How many threads: all cores by default. The results do not depend on it.
    groups : array-like, optional
        For splitters that need them.
    progress : bool or callable, optional
        Whether to show a progress bar: by default where there is a terminal to show it on. A
        callable gets how many fits are done, and how many there are.

    Returns
    -------
    Tuning

    See Also
    --------
    boxwise.tuning.evolve : Search instead of trying everything.

    Examples
    --------
    >>> from boxwise import EIOLGFMM, tune
    >>> from boxwise.datasets import loans
    >>> from boxwise.evaluate import cba_scorer
    >>> rows, labels = loans(300, function=2, seed=1)
    >>> grid = {"theta": [0.1, 0.3, 0.5], "delta": [0.1, 0.5, 0.9]}
    >>> found = tune(EIOLGFMM(), rows, labels, grid, cv=3, scoring=cba_scorer)
    >>> len(found.cv_results_["params"]), sorted(found.best_params_)
    (9, ['delta', 'theta'])
    >>> bool(found.best_score_ == found.cv_results_["mean_test_score"].max())
    True
    >>> len(found.best_estimator_.predict(rows[:5]))
    5
    """
    score = Scoring(scoring)
    by = deciding_score(score, refit)
    candidates = [*ParameterGrid(grid)]
    if not candidates:
        raise ValueError("the grid is empty; name at least one value for one parameter")
    trials = Trials(classifier, X, y, cv, score, groups)
    with follow(progress, len(candidates) * len(trials.splits)) as bar:
        results = trials.run(candidates, n_jobs=n_jobs, report=bar)
    table = cv_results(candidates, results)
    found = Tuning(table, len(trials.splits))
    if by is not None:
        found.best_index_ = int(table[f"rank_test_{by}"].argmin())
        found.best_params_ = candidates[found.best_index_]
        found.best_score_ = float(table[f"mean_test_{by}"][found.best_index_])
    if refit:
        chosen = clone_values(candidates[found.best_index_])
        found.best_estimator_ = clone(classifier).set_params(**chosen).fit(X, y)
    return found


def deciding_score(score: Scoring, refit: Any) -> str | None:
    """Return the name of the score that decides which candidate is best; None if there is none."""
    if not isinstance(refit, bool | str):
        raise TypeError(
            f"refit must be True, False or the name of a score, not {refit!r}; "
            "scikit-learn's GridSearchCV takes a function"
        )
    names = [*score.scorers]
    if isinstance(refit, str):
        if refit not in names:
            raise ValueError(f"refit names {refit!r}, but the scores are {', '.join(names)}")
        return refit
    if len(names) > 1 and not refit:
        return None
    if len(names) > 1:
        raise ValueError(f"there are several scores: say which decides, refit={names[0]!r} say")
    return names[0]


def cv_results(
    candidates: Sequence[Parameters], results: Sequence[Sequence[Result]]
) -> dict[str, Any]:
    """Return the results as GridSearchCV arranges them."""
    table: dict[str, Any] = {}
    _summarise(table, "fit_time", [[r.fit_seconds for r in row] for row in results])
    _summarise(table, "score_time", [[r.score_seconds for r in row] for row in results])
    for name in dict.fromkeys(name for c in candidates for name in c):
        table[f"param_{name}"] = _parameter_column(name, candidates)
    table["params"] = candidates
    for name in results[0][0].scores:
        scores = [[r.scores[name] for r in row] for row in results]
        _summarise(table, f"test_{name}", scores, splits=True)
        means = table[f"mean_test_{name}"]
        if not np.isfinite(means).all():
            warnings.warn(
                f"One or more of the test scores are non-finite: {means}", UserWarning, stacklevel=3
            )
        table[f"rank_test_{name}"] = rankdata(-_worst_for_nan(means), method="min").astype(np.int32)
    _summarise(table, "n_boxes", [[r.n_boxes for r in row] for row in results], splits=True)
    return table


def _summarise(table: dict[str, Any], name: str, values: Any, *, splits: bool = False) -> None:
    array = np.array(values, dtype=np.float64)
    if splits:
        table |= {f"split{i}_{name}": array[:, i] for i in range(array.shape[1])}
    means = np.average(array, axis=1)
    table[f"mean_{name}"] = means
    # Step by step as GridSearchCV does it, for the same last digit.
    table[f"std_{name}"] = np.sqrt(np.average((array - means[:, np.newaxis]) ** 2, axis=1))


def _worst_for_nan(means: NDArray[np.float64]) -> NDArray[np.float64]:
    if np.isnan(means).all():
        return np.zeros_like(means)
    return np.nan_to_num(means, nan=np.nanmin(means) - 1)


def _parameter_column(name: str, candidates: Sequence[Parameters]) -> Any:
    """Return a masked array: a candidate may not name the parameter."""
    values = [c[name] for c in candidates if name in c]
    try:
        kind = np.array(values)
    except ValueError:  # sequences of several lengths
        dtype: Any = object
    else:
        dtype = kind.dtype if kind.ndim == 1 and kind.dtype.kind != "U" else object
    column = np.ma.MaskedArray(np.empty(len(candidates), dtype=dtype), mask=True)
    for i, candidate in enumerate(candidates):
        if name in candidate:
            column[i] = candidate[name]
    return column
