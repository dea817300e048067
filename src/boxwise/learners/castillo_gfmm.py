"""Onln-GFMM-M1: contraction over the numbers, bounds and distances over the categories."""

from __future__ import annotations

from typing import Any

from boxwise.core import BoundSettings
from boxwise.learners.base.batch_learner import BatchLearner
from boxwise.learners.base.settings import gammas, number
from boxwise.schema import Schema


class CastilloGFMM(BatchLearner):
    """Onln-GFMM-M1: Onln-GFMM with distances between category values.

    Two values of a column are near each other if the classes are about as frequent with the one
    as with the other; the two most different ones have distance 1. A box has one or two values as
    bounds in each categorical column. Each row is taken by a box of its class that contains it, or
    by the closest one that stays within `theta` and `eta` when it grows. A grown box that shares a
    bound in every categorical column with a box of another class gets other bounds in one of them
    or, if there are none, is contracted over the numeric columns. Else the row becomes a new
    box.

    A row's class is that of the box in which it has the largest membership; if boxes of several
    classes tie, that of the box whose centre is nearest (without numeric columns, the class
    with most rows in such boxes).

    Parameters
    ----------
    theta : float, default=0.2
        The longest side to which a box may grow, as a share of the column's range.
    eta : float from 0 to 1, default=0.1
        How far, in a categorical column, a new value may be from the nearest bound of a box that
        takes it in.
    gamma : float or sequence of float, default=1.0
        How fast the membership falls with the distance from a box, for all numeric columns or
        one number for each.
    categorical_features : "from_dtype" or array-like, default="from_dtype"
        The categorical columns, as names, positions or a mask. With "from_dtype", columns of text,
        objects, categories, enumerations and truth values are categorical.
    feature_range : "data", pair or mapping, default="data"
        What the numeric columns are scaled by: the range of the table, a pair ``(low, high)``
        for all columns, or a mapping from column to pair.
    unlabelled : object, default=None
        The mark of rows without a label, for example -1 (NaN for missing labels), from which
        to learn too. By default a missing label is an error.
    n_jobs : int, default=None
        Threads to predict many rows with: as in scikit-learn, None is 1 (or what joblib
        says), -1 as many as there are cores. It does not affect the result.

    Attributes
    ----------
    boxes_ : Boxes
        The boxes, in order of creation; ``boxes_.bounds`` has their bounds. A box need not contain
        the rows it has taken.
    classes_ : array
        The classes, sorted.
    schema_ : Schema
        The columns with their kinds, ranges and category values.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    HyperboxClassifier : Learns row by row, and takes values never seen before.
    ShindeGFMM : Contraction with sets of values.

    Notes
    -----
    The membership is the least over all columns; in a categorical one it is 1 for a bound and falls
    with the distance from the bound that is further away. A value that no labelled row of the table
    had has distance 1 to all others, so that such a row is in no box: all its memberships are 0.
    Counts are shown in `boxes_` but play no part in it.

    References
    ----------
    P. R. del Castillo and J. Cardeñosa, "Fuzzy Min-Max Neural Networks for Categorical Data:
    Application to Missing Data Imputation", Neural Computing and Applications 21, 2012.

    Examples
    --------
    >>> from boxwise import CastilloGFMM
    >>> rows = [
    ...     {"age": 23, "job": "student"},
    ...     {"age": 47, "job": "engineer"},
    ...     {"age": 26, "job": "trainee"},
    ... ]
    >>> clf = CastilloGFMM().fit(rows, ["declined", "approved", "declined"])
    >>> clf.boxes_.bounds
    [[('student', 'trainee')], [('engineer',)]]
    >>> clf.predict([{"age": 44, "job": "engineer"}])
    array(['approved'], dtype='<U8')
    """

    _why_batch = (
        "the distances between category values come from how often each occurs with each class in "
        "the whole training table"
    )

    def __init__(
        self,
        theta: float = 0.2,
        eta: float = 0.1,
        gamma: Any = 1.0,
        categorical_features: Any = "from_dtype",
        feature_range: Any = "data",
        unlabelled: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.theta = theta
        self.eta = eta
        self.gamma = gamma
        self.categorical_features = categorical_features
        self.feature_range = feature_range
        self.unlabelled = unlabelled
        self.n_jobs = n_jobs

    def _settings(self, schema: Schema) -> BoundSettings:
        return BoundSettings(
            theta=number("theta", self.theta, 0),
            gamma=gammas(self.gamma, schema),
            eta=number("eta", self.eta, 0, 1),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # On numbers alone this is Onln-GFMM, which scores poorly on the rounded ones with which
        # scikit-learn checks the score: rows of several classes are equal there.
        tags.classifier_tags.poor_score = True
        return tags
