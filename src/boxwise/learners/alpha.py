"""Finding alpha from the data: Est-alpha-v1 and Est-alpha-v2 of the paper."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from boxwise.core import EntropySettings, FoldRows, Range, try_settings
from boxwise.evaluate import class_balanced_accuracy
from boxwise.inputs import Batch
from boxwise.learners.settings import engine_ranges

if TYPE_CHECKING:
    from boxwise.learners.eiol_gfmm import EIOLGFMM
    from boxwise.learners.hyperbox_learner import TrainingTable

FOLDS = 3
Split = tuple[NDArray[Any], NDArray[Any]]


def estimate_alpha(
    classifier: EIOLGFMM,
    X: Any,
    y: Any,
    *,
    scores_only: bool = False,
    upper: Any = None,
    cv: Any = None,
) -> float:
    """Estimate how much the numeric columns should weigh in the membership.

    The table is cut into three stratified folds. On each two of them, one model learns the
    numeric columns alone and one the categorical columns alone; both are scored by class
    balanced accuracy on the third. The kind of column that predicts better weighs more.

    Parameters
    ----------
    classifier : EIOLGFMM
        Its parameters are used, except for `alpha`; it is not changed.
    X, y, upper
        As in ``fit``. Rows without a label are left out.
    scores_only : bool, default=False
        Whether the scores alone decide (Est-alpha-v2). By default each score counts as often as
        there are columns of its kind (Est-alpha-v1).
    cv : splitter or iterable, optional
        The folds, as in scikit-learn, of the rows that have a label; three stratified ones, in the
        order of the rows, unless given.

    Returns
    -------
    float
        From 0 (categories only) to 1 (numbers only). With one kind of column only, or if neither
        model is ever right, the share of the numeric columns.

    See Also
    --------
    EIOLGFMM : ``alpha="estimate"`` and ``alpha="estimate-scores"`` do this in ``fit``.

    Examples
    --------
    The number says nothing about the class, the category everything:

    >>> from boxwise import EIOLGFMM, estimate_alpha
    >>> rows = [[number, word] for number in range(12) for word in ("cat", "dog")]
    >>> labels = ["meow", "woof"] * 12
    >>> alpha = estimate_alpha(EIOLGFMM(), rows, labels)
    >>> round(alpha, 2)
    0.2
    >>> clf = EIOLGFMM(alpha="estimate").fit(rows, labels)
    >>> clf.alpha_ == alpha
    True
    """
    if not hasattr(classifier, "_settings_with"):
        raise TypeError(f"{type(classifier).__name__} has no alpha to estimate; use an EIOLGFMM")
    table = classifier._read_training(X, y, upper)
    settings = classifier._settings_with("auto", table.schema)
    folds = _folds(table.labels, cv)
    ranges_for = partial(engine_ranges, classifier.feature_range, classifier.scale, table.schema)
    return alpha_for(table, settings, ranges_for, folds, scores_only=scores_only)


def alpha_for(
    table: TrainingTable,
    settings: EntropySettings,
    ranges_for: Callable[[Batch], list[Range]],
    folds: Iterable[Split] | None = None,
    *,
    scores_only: bool,
) -> float:
    """Do the work of `estimate_alpha` for a table that is read already."""
    n, r = len(table.schema.continuous), len(table.schema.categorical)
    if n == 0 or r == 0:
        return n / (n + r)
    by_numbers = by_categories = 0.0
    for train, test in _folds(table.labels) if folds is None else folds:
        numbers, categories = _scores(table, settings, ranges_for, train, test)
        by_numbers += numbers * (1 if scores_only else n)
        by_categories += categories * (1 if scores_only else r)
    total = by_numbers + by_categories
    return by_numbers / total if total > 0 else n / (n + r)


def _folds(labels: NDArray[np.int32], cv: Any = None) -> Iterator[Split]:
    known = np.flatnonzero(labels >= 0)
    if cv is not None:
        for train, test in check_cv(cv).split(known, labels[known]):
            yield known[train], known[test]
        return
    if np.bincount(labels[known], minlength=1).max() < FOLDS:
        raise ValueError(
            f"alpha cannot be estimated: no class has {FOLDS} rows, one for each fold; "
            "use alpha='auto' or a number"
        )
    splitter = StratifiedKFold(FOLDS)
    with warnings.catch_warnings():
        # A class of one or two rows is in some folds only, which does no harm here.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for train, test in splitter.split(known, labels[known]):
            yield known[train], known[test]


def _scores(
    table: TrainingTable,
    settings: EntropySettings,
    ranges_for: Callable[[Batch], list[Range]],
    train: NDArray[Any],
    test: NDArray[Any],
) -> list[float]:
    """Score a model of the numbers and a model of the categories."""
    classes, labels = _renumber(table.labels[train])
    learned, others = _rows(table.batch, train), _rows(table.batch, test)
    numbers = FoldRows(_numbers(learned), labels, ranges_for(learned), _numbers(others))
    categories = FoldRows(_categories(learned), labels, [], _categories(others))
    trials = [(settings, numbers), (replace(settings, gamma=[]), categories)]
    truth = table.labels[test].tolist()
    return [
        class_balanced_accuracy(truth, classes[outcome.predicted].tolist())
        for outcome in try_settings(trials)
    ]


def _renumber(labels: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the classes in order of first appearance, and the labels numbered by it."""
    classes, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return classes[order], np.argsort(order).astype(np.int32)[codes]


def _rows(batch: Batch, rows: NDArray[Any]) -> Batch:
    return Batch(batch.lower[rows], batch.upper[rows], batch.codes[rows], [])


def _numbers(batch: Batch) -> Batch:
    return Batch(batch.lower, batch.upper, np.empty((batch.n_rows, 0), np.int32), [])


def _categories(batch: Batch) -> Batch:
    none = np.empty((batch.n_rows, 0))
    return Batch(none, none, batch.codes, [])
