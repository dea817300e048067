"""Class balanced accuracy, for a table of predictions and for a stream of them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable
from math import fsum

from sklearn.metrics import make_scorer


def class_balanced_accuracy(y_true: Iterable[Hashable], y_pred: Iterable[Hashable]) -> float:
    """Return the class balanced accuracy of predictions.

    For each class, the rows that are rightly of it, divided by those that are of it or those that
    were predicted to be, whichever are more; then the mean over the classes that occur in either.
    A class is as important as any other however rare it is, and predicting it too often costs as
    much as missing it.

    Parameters
    ----------
    y_true : iterable of hashable
        The classes the rows have.
    y_pred : iterable of hashable
        The classes predicted for them.

    Returns
    -------
    float
        1 when every prediction is right, 0 when none is.

    See Also
    --------
    Confusion : The same for predictions that arrive one after another.
    cba_scorer : The same as a scorer for ``cross_val_score`` and ``GridSearchCV``.

    References
    ----------
    L. Mosley, "A balanced approach to the multi-class imbalance problem", PhD thesis, Iowa State
    University, 2013.

    Examples
    --------
    Nine of ten are right, yet the rare class was never found:

    >>> from boxwise.evaluate import class_balanced_accuracy
    >>> class_balanced_accuracy(["no"] * 9 + ["yes"], ["no"] * 10)
    0.45
    """
    table = Confusion()
    table.update(y_true, y_pred)
    if not table:
        raise ValueError("class_balanced_accuracy needs at least one row; y_true is empty")
    return table.cba


cba_scorer = make_scorer(class_balanced_accuracy)
"""Class balanced accuracy as a scorer: hand it to scikit-learn as ``scoring=cba_scorer``."""


class Confusion:
    """Counts of true and predicted classes as they arrive, and the scores they give.

    Parameters
    ----------
    window : int, optional
        Count the last `window` predictions only; without it, all of them.

    Examples
    --------
    >>> from boxwise.evaluate import Confusion
    >>> scores, recent = Confusion(), Confusion(window=2)
    >>> for truth, prediction in [("a", "b"), ("a", "a"), ("b", "b")]:
    ...     scores.add(truth, prediction)
    ...     recent.add(truth, prediction)
    >>> len(scores), round(scores.accuracy, 3), scores.cba
    (3, 0.667, 0.5)
    >>> recent.accuracy, recent.cba
    (1.0, 1.0)
    """

    def __init__(self, window: int | None = None) -> None:
        if window is not None and window < 1:
            raise ValueError(f"window must be at least 1 row, not {window}")
        self.window = window
        self._pairs: deque[tuple[Hashable, Hashable]] = deque()
        self._true: Counter[Hashable] = Counter()
        self._predicted: Counter[Hashable] = Counter()
        self._right: Counter[Hashable] = Counter()

    def add(self, y_true: Hashable, y_pred: Hashable) -> None:
        """Count one prediction: a row of class `y_true` that was taken for `y_pred`."""
        self._count(y_true, y_pred, 1)
        if self.window is not None:
            self._pairs.append((y_true, y_pred))
            if len(self._pairs) > self.window:
                self._count(*self._pairs.popleft(), -1)

    def update(self, y_true: Iterable[Hashable], y_pred: Iterable[Hashable]) -> None:
        """Count many predictions, in order."""
        truth, predictions = _labels("y_true", y_true), _labels("y_pred", y_pred)
        if len(truth) != len(predictions):
            raise ValueError(f"y_true has {len(truth)} rows, y_pred has {len(predictions)}")
        for one, other in zip(truth, predictions, strict=True):
            self.add(one, other)

    def __len__(self) -> int:
        return self._true.total()

    @property
    def accuracy(self) -> float:
        """The share of right predictions; nan before the first."""
        return self._right.total() / len(self) if self else float("nan")

    @property
    def cba(self) -> float:
        """The class balanced accuracy; nan before the first prediction."""
        classes = self._true.keys() | self._predicted.keys()
        if not classes:
            return float("nan")
        shares = (self._right[k] / max(self._true[k], self._predicted[k]) for k in classes)
        return fsum(shares) / len(classes)  # exact, so the order of the classes does not matter

    def _count(self, y_true: Hashable, y_pred: Hashable, by: int) -> None:
        changes = [(self._true, y_true), (self._predicted, y_pred)]
        if y_true == y_pred:
            changes.append((self._right, y_true))
        for counts, label in changes:
            counts[label] += by
            # A class that has left the window must not count as one that occurs.
            if not counts[label]:
                del counts[label]


def _labels(name: str, values: Iterable[Hashable]) -> list[Hashable]:
    if isinstance(values, str):
        raise TypeError(f"{name} is one string, {values!r}; give a list of labels")
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(f"{name} must be one column of labels, not a table of them")
    return list(values)
