"""Figures of predictions, in which each row has a weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boxwise.evaluate.quality.predictions import Floats, Predictions

OVERALL = (
    "accuracy",
    "cba",
    "kappa",
    "balanced_accuracy",
    "macro_f1",
    "auc",
    "log_loss",
    "brier",
)
LOWEST = {"kappa": -1.0}  # all others: 0
HIGHEST = {"log_loss": np.inf, "brier": 2.0}  # all others: 1
BY_CLASS = ("precision", "recall", "f1", "auc", "selection_rate", "false_positive_rate")


@dataclass(frozen=True)
class Figures:
    """The figures of predictions.

    Attributes
    ----------
    overall : array
        A number for each of `OVERALL`; NaN where it is not defined.
    by_class : array of shape (classes, figures)
        For each class a number for each of `BY_CLASS`.
    """

    overall: Floats
    by_class: Floats

    @property
    def flat(self) -> Floats:
        """All of them in one row: overall, then class by class."""
        return np.concatenate([self.overall, self.by_class.ravel()])


def within_bounds(found: Floats, n_classes: int) -> Floats:
    """Return flat figures (columns) cut to what they can be, such as 1 for an accuracy.

    An interval over folds is symmetric, and may reach beyond.
    """
    names = (*OVERALL, *(BY_CLASS * n_classes))
    low = np.array([LOWEST.get(name, 0.0) for name in names])
    high = np.array([HIGHEST.get(name, 1.0) for name in names])
    return np.clip(found, low, high)


def figures(predictions: Predictions, weights: Floats | None = None) -> Figures:
    """Return the figures of predictions.

    Parameters
    ----------
    predictions : Predictions
        At least one row.
    weights : array, optional
        How often each row counts.
    """
    w = np.ones(len(predictions)) if weights is None else weights
    n = w.sum()
    if not n:
        nothing = np.full((len(predictions.labels), len(BY_CLASS)), np.nan)
        return Figures(np.full(len(OVERALL), np.nan), nothing)
    return from_counts(
        confusion_matrix(predictions, w),
        class_aucs(predictions, w),
        # Not a product of BLAS, whose threads cost more than they save on a busy machine.
        float((w * predictions.losses).sum() / n),
        float((w * predictions.brier_scores).sum() / n),
    )


def from_counts(counts: Floats, aucs: Floats, log_loss: float, squared_error: float) -> Figures:
    """Return figures from the confusion matrix, the AUC of each class and two means over rows."""
    n, right = counts.sum(), np.diag(counts)
    true, predicted = counts.sum(axis=1), counts.sum(axis=0)
    there = (true > 0) | (predicted > 0)
    recall = _ratio(right, true)
    f1 = _ratio(2 * right, true + predicted)
    by_class = [
        _ratio(right, predicted),
        recall,
        f1,
        aucs,
        predicted / n,
        _ratio(predicted - right, n - true),
    ]
    chance = (true * predicted).sum()
    overall = [
        right.sum() / n,
        _mean(_ratio(right, np.maximum(true, predicted)), there),
        (right.sum() * n - chance) / (n * n - chance) if chance < n * n else np.nan,
        _mean(recall, true > 0),
        _mean(f1, there),
        _mean(aucs, ~np.isnan(aucs)),
        log_loss,
        # With two classes it is that of either, as in scikit-learn's brier_score_loss.
        squared_error / 2 if len(counts) <= 2 else squared_error,
    ]
    return Figures(np.array(overall, np.float64), np.column_stack(by_class))


def confusion_matrix(predictions: Predictions, weights: Floats) -> Floats:
    """Return the weight of each pair of true (row) and predicted class (column)."""
    k = len(predictions.labels)
    cells = predictions.truth.astype(np.int64) * k + predictions.predicted
    counts = np.bincount(cells, weights, k * k).reshape(k, k)
    return np.asarray(counts, dtype=np.float64)


def class_aucs(predictions: Predictions, weights: Floats) -> Floats:
    """Return the AUC of each class against all others; NaN where one of the two has no row."""
    if predictions.p is None:
        return np.full(len(predictions.labels), np.nan)
    aucs = [
        auc(rank, n_ranks, predictions.truth == k, weights)
        for k, (rank, n_ranks) in enumerate(predictions.ranks)
    ]
    return np.array(aucs, np.float64)


def auc(
    rank: NDArray[np.int32], n_ranks: int, positive: NDArray[np.bool_], weights: Floats
) -> float:
    """Return the probability that a positive row ranks above a negative one; ties count half."""
    every = np.bincount(rank, weights, n_ranks)
    above = np.bincount(rank[positive], weights[positive], n_ranks)
    below = every - above
    pairs = above.sum() * below.sum()
    if not pairs > 0:
        return float("nan")
    return float((above * (np.cumsum(below) - below / 2)).sum() / pairs)


def _ratio(part: Floats, whole: Floats) -> Floats:
    ratios = np.full(len(part), np.nan)
    np.divide(part, whole, out=ratios, where=whole > 0)
    return ratios


def _mean(values: Floats, chosen: NDArray[np.bool_]) -> float:
    return float(values[chosen].mean()) if chosen.any() else float("nan")
