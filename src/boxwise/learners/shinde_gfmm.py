"""Onln-GFMM-M2: contraction over the numbers, sets of values over the categories."""

from __future__ import annotations

from typing import Any

from boxwise.core import ContractionSettings
from boxwise.learners.base.online_learner import OnlineLearner
from boxwise.learners.base.settings import gammas, number
from boxwise.schema import Schema


class ShindeGFMM(OnlineLearner):
    """Onln-GFMM-M2: Onln-GFMM with a set of values for each categorical column.

    A box knows the categories of the rows it has taken. Each row is taken by a box of its class
    that contains it (it knows all its categories), or by the closest one that stays within
    `theta` when it grows and knows the share `beta` of its categories already. The grown box is
    contracted, over the numeric columns, against boxes of other classes that it overlaps,
    whatever their categories. Else the row becomes a new box.

    A row's class is that of the box in which it has the largest membership; if boxes of several
    classes tie, that of the box whose centre is nearest (without numeric columns, the class
    with most rows in such boxes).

    Parameters
    ----------
    theta : float, default=0.2
        The longest side to which a box may grow, as a share of the column's range.
    beta : float from 0 to 1, default=0.75
        The share of the categorical columns, rounded down but at least one, whose value a box must
        know already to take a row.
    gamma : float or sequence of float, default=1.0
        How fast the membership falls with the distance from a box, for all numeric columns or
        one number for each.
    categorical_features : "from_dtype" or array-like, default="from_dtype"
        The categorical columns, as names, positions or a mask. With "from_dtype", columns of text,
        objects, categories, enumerations and truth values are categorical.
    feature_range : "data", pair or mapping, default="data"
        What the numeric columns are scaled by. "data": `fit` takes the range of the whole table
        and `partial_fit` lets ranges grow, deciding each row as if all had been rescaled. A pair
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
        The columns with their kinds, ranges and category values.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.

    See Also
    --------
    HyperboxClassifier : Counts the categories, and never contracts.
    OnlineGFMM : The same for numbers only.

    Notes
    -----
    The membership is the mean of that over the numeric columns and the share of the categorical
    columns whose value the box knows. Counts are shown in `boxes_` but play no part in it. The
    published algorithm must know all categories before it learns; this one need not.

    References
    ----------
    S. Shinde and U. Kulkarni, "Extracting Classification Rules from Modified Fuzzy Min-Max Neural
    Network for Data with Mixed Attributes", Applied Soft Computing 40, 2016.

    Examples
    --------
    >>> from boxwise import ShindeGFMM
    >>> rows = [
    ...     {"age": 23, "job": "student", "city": "Lyon"},
    ...     {"age": 25, "job": "student", "city": "Nice"},
    ...     {"age": 47, "job": "engineer", "city": "Nice"},
    ... ]
    >>> clf = ShindeGFMM().fit(rows, ["declined", "declined", "approved"])
    >>> clf.predict([{"age": 44, "job": "engineer", "city": "Lyon"}])
    array(['approved'], dtype='<U8')
    >>> clf.boxes_.describe(0)
    'declined, 2 rows: age 23 to 25; job is student; city is Lyon (50%), Nice (50%)'
    """

    def __init__(
        self,
        theta: float = 0.2,
        beta: float = 0.75,
        gamma: Any = 1.0,
        categorical_features: Any = "from_dtype",
        feature_range: Any = "data",
        unlabelled: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.theta = theta
        self.beta = beta
        self.gamma = gamma
        self.categorical_features = categorical_features
        self.feature_range = feature_range
        self.unlabelled = unlabelled
        self.n_jobs = n_jobs

    def _settings(self, schema: Schema) -> ContractionSettings:
        return ContractionSettings(
            theta=number("theta", self.theta, 0),
            gamma=gammas(self.gamma, schema),
            beta=number("beta", self.beta, 0, 1),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Equal rows of several classes, as in the rounded numbers with which scikit-learn checks
        # the score, make contraction and ties that do not count rows cost too much.
        tags.classifier_tags.poor_score = True
        return tags
