"""Counts of true and predicted classes, and the scores they give."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable
from math import fsum


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
    >>> scores.balanced_accuracy, round(scores.kappa, 3)
    (0.75, 0.4)
    >>> recent.accuracy, recent.cba
    (1.0, 1.0)
    """

    def __init__(self, window: int | None = None) -> None:
        if window is not None and window < 1:
            raise ValueError(f"window must be at least 1 row, not {window}")
        self.window = window
        self._recent: deque[tuple[Hashable, Hashable]] = deque()
        self._counts: Counter[tuple[Hashable, Hashable]] = Counter()

    def add(self, y_true: Hashable, y_pred: Hashable) -> None:
        """Count one prediction: a row of class `y_true` that was taken for `y_pred`."""
        self._count([(y_true, y_pred)])

    def update(self, y_true: Iterable[Hashable], y_pred: Iterable[Hashable]) -> None:
        """Count many predictions, in order."""
        truth, predictions = label_list("y_true", y_true), label_list("y_pred", y_pred)
        if len(truth) != len(predictions):
            raise ValueError(f"y_true has {len(truth)} rows, y_pred has {len(predictions)}")
        self._count([*zip(truth, predictions, strict=True)])

    def copy(self) -> Confusion:
        """Return a copy, which goes on counting by itself."""
        other = Confusion(self.window)
        other._recent, other._counts = self._recent.copy(), self._counts.copy()
        return other

    def __len__(self) -> int:
        return self._counts.total()

    @property
    def counts(self) -> dict[tuple[Hashable, Hashable], int]:
        """How many rows of one class were taken for another: ``{(true, predicted): rows}``."""
        return {**self._counts}

    @property
    def accuracy(self) -> float:
        """The share of right predictions; nan before the first."""
        return self._right().total() / len(self) if self else float("nan")

    @property
    def cba(self) -> float:
        """The class balanced accuracy; nan before the first prediction."""
        right, true, predicted = self._right(), self._true(), self._predicted()
        classes = true.keys() | predicted.keys()
        return _mean([right[k] / max(true[k], predicted[k]) for k in classes])

    @property
    def balanced_accuracy(self) -> float:
        """The mean over the true classes of the share found; nan before the first prediction."""
        right, true = self._right(), self._true()
        return _mean([right[k] / n for k, n in true.items()])

    @property
    def macro_f1(self) -> float:
        """The mean over the classes of the F1 score; nan before the first prediction.

        F1 is the harmonic mean of precision and recall; 0 for a class of which none is right.
        """
        right, true, predicted = self._right(), self._true(), self._predicted()
        classes = true.keys() | predicted.keys()
        return _mean([2 * right[k] / (true[k] + predicted[k]) for k in classes])

    @property
    def kappa(self) -> float:
        """Cohen's kappa: how much of what chance leaves open is right.

        0 is no better than guessing with the same shares of classes, 1 is all right. It is nan
        where chance leaves nothing open: before the first prediction, and as long as there is only
        one class, in truth and predictions.
        """
        true, predicted, n = self._true(), self._predicted(), len(self)
        by_chance = sum(true[k] * predicted[k] for k in true)  # times n², so that it is exact
        if by_chance == n * n:
            return float("nan")
        return (self._right().total() * n - by_chance) / (n * n - by_chance)

    def _count(self, pairs: list[tuple[Hashable, Hashable]]) -> None:
        self._counts.update(pairs)
        if self.window is None:
            return
        self._recent.extend(pairs)
        while len(self._recent) > self.window:
            pair = self._recent.popleft()
            self._counts[pair] -= 1
            # A class that has left the window must not count as one that occurs.
            if not self._counts[pair]:
                del self._counts[pair]

    def _right(self) -> Counter[Hashable]:
        return _summed((t, n) for (t, p), n in self._counts.items() if t == p)

    def _true(self) -> Counter[Hashable]:
        return _summed((t, n) for (t, _), n in self._counts.items())

    def _predicted(self) -> Counter[Hashable]:
        return _summed((p, n) for (_, p), n in self._counts.items())


def _summed(counts: Iterable[tuple[Hashable, int]]) -> Counter[Hashable]:
    sums: Counter[Hashable] = Counter()
    for label, n in counts:
        sums[label] += n
    return sums


def _mean(shares: list[float]) -> float:
    # An exact sum: the order of the classes does not matter.
    return fsum(shares) / len(shares) if shares else float("nan")


def label_list(name: str, values: Iterable[Hashable]) -> list[Hashable]:
    """Return one column of labels as a list; `name` is what errors call it."""
    if isinstance(values, str):
        raise TypeError(f"{name} is one string, {values!r}; give a list of labels")
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(f"{name} must be one column of labels, not a table of them")
    return list(values)
