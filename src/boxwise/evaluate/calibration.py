"""Calibration: of the predictions made with probability 0.8, 8 in 10 should be right."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boxwise.evaluate.confusion import label_list

TOLERANCE = 1e-5  # what rounding, also in 32 bits, may add to a probability or to a row of them

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reliability:
    """Predictions by their confidence, as `reliability` gives it: one number for each bin.

    Parameters
    ----------
    edges : array of float
        Where the bins begin and end: one number more than there are bins. A bin holds what is
        above its first edge, up to and with its second.
    confidence, accuracy : array of float
        The mean confidence of the predictions in each bin, and the share that was right; nan
        where there are none.
    count : array of int
        The predictions in each bin.

    Examples
    --------
    Of two parts of a test set, the whole:

    >>> from boxwise.evaluate import reliability
    >>> one = reliability(["a", "a"], [[0.9, 0.1], [0.6, 0.4]], ["a", "b"], n_bins=2)
    >>> two = reliability(["b", "a"], [[0.8, 0.2], [0.3, 0.7]], ["a", "b"], n_bins=2)
    >>> both = one + two
    >>> both.count, both.confidence, both.accuracy
    (array([0, 4]), array([ nan, 0.75]), array([nan, 0.5]))
    >>> both.error
    0.25
    """

    edges: Floats
    confidence: Floats
    accuracy: Floats
    count: NDArray[np.int64]

    @property
    def error(self) -> float:
        """The expected calibration error."""
        held = self.count > 0
        gaps = np.abs(self.accuracy - self.confidence)[held]
        return float(np.average(gaps, weights=self.count[held]))

    def __add__(self, other: Reliability) -> Reliability:
        """Return that of all predictions of both, which must have the same bins."""
        if not isinstance(other, Reliability):
            return NotImplemented
        if not np.array_equal(self.edges, other.edges):
            raise ValueError(
                f"{len(self.count)} and {len(other.count)} bins cannot be added: take the same "
                "n_bins for both"
            )
        confidence, right = (
            np.nan_to_num(a) * self.count + np.nan_to_num(b) * other.count
            for a, b in ((self.confidence, other.confidence), (self.accuracy, other.accuracy))
        )
        return _from_sums(self.edges, confidence, right, self.count + other.count)


def reliability(
    y_true: Iterable[Hashable],
    probabilities: ArrayLike,
    classes: Iterable[Hashable],
    n_bins: int = 15,
) -> Reliability:
    """Sort predictions by their confidence and count how many are right.

    The prediction for a row is the class with the largest probability (the first of several), and
    that probability is its confidence.

    Parameters
    ----------
    y_true : iterable of hashable
        The classes the rows have. A label that is not among `classes` is allowed, since on a
        stream a class may be new: whatever was predicted for its row is wrong.
    probabilities : array-like of shape (n_rows, n_classes)
        As from ``predict_proba``.
    classes : iterable of hashable
        What the columns are, as in ``classes_``.
    n_bins : int, default=15
        The number of bins, all of the same width, from 0 to 1.

    Returns
    -------
    Reliability
        By bin: mean confidence, accuracy, count.

    See Also
    --------
    expected_calibration_error : The same in one number.
    plot_reliability : The same as a picture.

    Examples
    --------
    >>> from boxwise.evaluate import reliability
    >>> p = [[0.9, 0.1], [0.9, 0.1], [0.4, 0.6], [0.3, 0.7]]
    >>> found = reliability(["no", "yes", "yes", "yes"], p, ["no", "yes"], n_bins=4)
    >>> found.count
    array([0, 0, 2, 2])
    >>> found.confidence, found.accuracy
    (array([ nan,  nan, 0.65, 0.9 ]), array([nan, nan, 1. , 0.5]))
    """
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, not {n_bins}")
    names = label_list("classes", classes)
    truth = label_list("y_true", y_true)
    p = checked_probabilities(probabilities, truth, names)
    top = p.argmax(axis=1)
    confidence = np.clip(p[np.arange(len(p)), top], 0.0, 1.0)
    right = np.array([names[k] == label for k, label in zip(top, truth, strict=True)], float)
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    place = np.searchsorted(edges[1:-1], confidence)
    return _from_sums(
        edges,
        np.bincount(place, confidence, n_bins),
        np.bincount(place, right, n_bins),
        np.bincount(place, minlength=n_bins),
    )


def expected_calibration_error(
    y_true: Iterable[Hashable],
    probabilities: ArrayLike,
    classes: Iterable[Hashable],
    n_bins: int = 15,
) -> float:
    """Return how far confidence and accuracy are apart.

    Predictions are sorted by their confidence (the probability of the class predicted) into bins
    of the same width; the error is the mean over the bins of the distance between their mean
    confidence and their accuracy, each bin with the weight of its predictions. This is the error
    of the predicted class alone, also called top-label; it says nothing about how well classes are
    told apart: always predicting the shares of the classes has hardly any error.

    Parameters
    ----------
    y_true : iterable of hashable
        The classes the rows have. A label that is not among `classes` is allowed, since on a
        stream a class may be new: whatever was predicted for its row is wrong.
    probabilities : array-like of shape (n_rows, n_classes)
        As from ``predict_proba``.
    classes : iterable of hashable
        What the columns are, as in ``classes_``.
    n_bins : int, default=15
        The number of bins from 0 to 1. With few rows, the fewer bins the less is chance: a bin of
        one row is right or wrong, which is far from most confidences.

    Returns
    -------
    float
        0 when each bin is right as often as it says, 1 when all is said with certainty and wrong.

    See Also
    --------
    reliability : The bins themselves.
    plot_reliability : The same as a picture.

    References
    ----------
    M. P. Naeini, G. F. Cooper and M. Hauskrecht, "Obtaining well calibrated probabilities using
    Bayesian binning", AAAI 2015.

    C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, "On calibration of modern neural networks",
    ICML 2017.

    Examples
    --------
    Three of four are right, all said with 0.95:

    >>> from boxwise.evaluate import expected_calibration_error
    >>> p = [[0.95, 0.05]] * 4
    >>> round(expected_calibration_error(["no", "no", "no", "yes"], p, ["no", "yes"]), 3)
    0.2

    Of a classifier:

    >>> from boxwise import EIOLGFMM, HyperboxClassifier
    >>> from boxwise.datasets import loans
    >>> rows, labels = loans(2_000, function=7, noise=0.05, seed=7)
    >>> for clf in (EIOLGFMM(theta=0.3, delta=1.0), HyperboxClassifier(theta=0.3, delta=1.0)):
    ...     p = clf.fit(rows[:1_000], labels[:1_000]).predict_proba(rows[1_000:])
    ...     error = expected_calibration_error(labels[1_000:], p, clf.classes_)
    ...     print(f"{type(clf).__name__:18} {error:.2f}")
    EIOLGFMM           0.24
    HyperboxClassifier 0.06
    """
    return reliability(y_true, probabilities, classes, n_bins).error


def _from_sums(edges: Floats, confidence: Any, right: Any, count: Any) -> Reliability:
    def mean(total: Any) -> Floats:
        means: Floats = np.full(len(count), np.nan)
        np.divide(total, count, out=means, where=count > 0)
        return means

    return Reliability(edges, mean(confidence), mean(right), count)


def checked_probabilities(
    probabilities: ArrayLike, truth: Sequence[Hashable], classes: Sequence[Hashable]
) -> Floats:
    """Return probabilities as an array; complain unless they are a row for each true class."""
    p, n_rows = np.asarray(probabilities, dtype=np.float64), len(truth)
    if not n_rows:
        raise ValueError("there must be at least one row; y_true is empty")
    if p.ndim != 2:
        raise ValueError(
            "probabilities must be a table, a row for each of y_true and a column for each class, "
            f"not an array of {p.ndim} dimension{'s' * (p.ndim != 1)}"
        )
    if len(p) != n_rows:
        raise ValueError(f"y_true has {n_rows} rows, probabilities has {len(p)}")
    if p.shape[1] != len(classes):
        raise ValueError(
            f"probabilities has {p.shape[1]} columns, but there are {len(classes)} classes"
        )
    if len({*classes}) < len(classes):
        twice = next(k for i, k in enumerate(classes) if k in classes[:i])
        raise ValueError(f"the class {twice!r} occurs more than once in classes")
    outside = ~((p >= -TOLERANCE) & (p <= 1 + TOLERANCE))  # nan too
    if outside.any():
        i, k = np.argwhere(outside)[0]
        raise ValueError(f"row {i}, class {classes[k]!r}: {p[i, k]:g} is not a probability")
    sums = p.sum(axis=1)
    if (np.abs(sums - 1) > TOLERANCE).any():
        i = int(np.argmax(np.abs(sums - 1) > TOLERANCE))
        raise ValueError(f"the probabilities of row {i} sum to {sums[i]:g}, not to 1")
    _check_types(truth, classes)
    return p


def _check_types(truth: Sequence[Hashable], classes: Sequence[Hashable]) -> None:
    """Refuse 1 where the class is "1": it would pass for a new class, and all would be wrong."""
    as_text = {str(k): k for k in classes}
    for label in {*truth}.difference(classes):
        if str(label) in as_text:
            raise ValueError(
                f"y_true has the label {label!r}, which is not among the classes, but "
                f"{as_text[str(label)]!r} is: give both in the same type"
            )
