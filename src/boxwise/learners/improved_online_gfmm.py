"""IOL-GFMM: the online learner for numbers that EIOL-GFMM extends."""

from __future__ import annotations

from typing import Any

from boxwise.core import EntropySettings
from boxwise.learners.base.numeric_only import NumericOnly
from boxwise.learners.base.online_learner import OnlineLearner
from boxwise.learners.base.settings import gammas, number
from boxwise.schema import Schema


class ImprovedOnlineGFMM(NumericOnly, OnlineLearner):
    """IOL-GFMM: online learning of boxes that never overlap a box of another class.

    Each row is taken by a box of its class that contains it, or by the closest one that may grow:
    it stays within `theta` and, grown, overlaps no box of another class. Else the row becomes a new
    box. This is EIOL-GFMM, `EIOLGFMM`, for tables of numbers.

    Parameters
    ----------
    theta : float, default=0.2
        The longest side of a box, as a share of the column's range.
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
        The boxes, in order of creation.
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
    HyperboxClassifier : The same for numbers and categories.
    OnlineGFMM : Lets boxes grow into each other and then contracts them.

    References
    ----------
    T. T. Khuat, F. Chen and B. Gabrys, "An Improved Online Learning Algorithm for General Fuzzy
    Min-Max Neural Network", International Joint Conference on Neural Networks, 2020.

    Examples
    --------
    >>> from boxwise import ImprovedOnlineGFMM
    >>> clf = ImprovedOnlineGFMM(theta=0.3)
    >>> clf = clf.fit([[1.0, 2.0], [1.2, 2.1], [5.0, 7.0]], ["low", "low", "high"])
    >>> clf.predict([[4.0, 6.5]])
    array(['high'], dtype='<U4')
    >>> clf.boxes_.describe(0)
    'low, 2 rows: x0 1 to 1.2; x1 2 to 2.1'
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

    def _settings(self, schema: Schema) -> EntropySettings:
        return EntropySettings(
            theta=number("theta", self.theta, 0),
            gamma=gammas(self.gamma, schema),
            delta=1.0,
            alpha=1.0,
            mean=False,
        )
