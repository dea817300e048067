"""Class balanced accuracy of a table of predictions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from sklearn.metrics import make_scorer

from boxwise.evaluate.confusion import Confusion


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
