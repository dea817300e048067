"""Onln-GFMM: the first online learner of the family, which contracts boxes that overlap."""

from __future__ import annotations

from typing import Any

from boxwise.core import ContractionSettings
from boxwise.learners.base.numeric_only import NumericOnly
from boxwise.learners.base.online_learner import OnlineLearner
from boxwise.learners.base.settings import gammas, number
from boxwise.schema import Schema


class OnlineGFMM(NumericOnly, OnlineLearner):
    """Onln-GFMM: online learning of boxes that grow and are then cut apart from other classes.

    Each row is taken by a box of its class that contains it, or by the closest one that stays
    within `theta` when it grows. If the grown box overlaps boxes of other classes, both are
    contracted: cut apart in the column in which they overlap least. Else the row becomes a new
    box. For tables of numbers.

    A row's class is that of the box in which it has the largest membership; if boxes of several
    classes tie, that of the box whose centre is nearest.

    Parameters
    ----------
    theta : float, default=0.2
        The longest side to which a box may grow, as a share of the column's range.
    gamma : float or sequence of float, default=1.0
        How fast the membership falls with the distance from a box, for all columns or one number
        for each.
    feature_range : "data", pair or mapping, default="data"
        What the columns are scaled by. "data": `fit` takes the range of the whole table and
        `partial_fit` lets ranges grow, deciding each row as if all had been rescaled. A pair
        ``(low, high)`` for all columns, or a mapping from column to pair, fixes it.
    unlabelled : object, default=None
        The mark of rows without a label, for example -1 (NaN for missing labels), from which
        to learn too. By default a missing label is an error.
    n_jobs : int, default=None
        Threads to predict many rows with: as in scikit-learn, None is 1 (or what joblib
        says), -1 as many as there are cores. It does not affect the result.

    Attributes
    ----------
    boxes_ : Boxes
        The boxes, in order of creation. A contracted box need not contain the rows it has taken.
    classes_ : array
        The classes seen so far (and those announced to `partial_fit`), sorted.
    schema_ : Schema
        The columns with their ranges.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    ImprovedOnlineGFMM : Does not let boxes grow into another class, so that none is contracted.
    ShindeGFMM : The same for numbers and categories.

    Notes
    -----
    Boxes are cut apart by 1e-5 of the range of the column, or by less where a box is smaller than
    that: none is ever turned inside out. See :mod:`boxwise.reference.contraction`.

    References
    ----------
    B. Gabrys and A. Bargiela, "General Fuzzy Min-Max Neural Network for Clustering and
    Classification", IEEE Transactions on Neural Networks 11 (3), 2000.

    Examples
    --------
    >>> from boxwise import OnlineGFMM
    >>> rows = [[1.0, 2.0], [5.0, 7.0], [4.0, 4.0], [3.0, 3.0], [6.0, 6.0]]
    >>> clf = OnlineGFMM(theta=0.8)
    >>> clf = clf.fit(rows, ["low", "high", "low", "high", "high"])
    >>> clf.predict([[1.5, 2.5], [5.5, 6.5]])
    array(['low', 'high'], dtype='<U4')

    The box of "low" reached to 4, that of "high" grew back to 3; they meet in the middle:

    >>> clf.boxes_.describe(0)
    'low, 2 rows: x0 1 to 3.5; x1 2 to 4'
    """

    def __init__(
        self,
        theta: float = 0.2,
        gamma: Any = 1.0,
        feature_range: Any = "data",
        unlabelled: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.theta = theta
        self.gamma = gamma
        self.feature_range = feature_range
        self.unlabelled = unlabelled
        self.n_jobs = n_jobs

    def _settings(self, schema: Schema) -> ContractionSettings:
        return ContractionSettings(
            theta=number("theta", self.theta, 0),
            gamma=gammas(self.gamma, schema),
            beta=1.0,
        )
