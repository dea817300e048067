"""AGGLO-2 and AGGLO-SM behind scikit-learn's interface."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from boxwise.core import AgglomerativeSettings
from boxwise.learners.base.batch_learner import BatchLearner
from boxwise.learners.base.settings import entropy_settings, number
from boxwise.schema import Schema, show

CONDITIONS = ("each", "mean")
METHODS = ("agglo2", "agglosm")
SIMILARITIES = ("short", "long", "mid")


class AgglomerativeGFMM(BatchLearner):
    """Batch classifier for tables of numbers and categories that merges similar boxes.

    Every row starts as a box. Boxes of a class are then merged, the most similar first, as long as
    the merged box stays within `theta`, its categories stay homogeneous within `delta` and it
    overlaps no box of another class. All rows must be there from the start.

    Parameters
    ----------
    theta : float, default=0.2
        The longest side of a box, as a share of the column's range.
    delta : float from 0 to 1, default=0.5
        The largest change of entropy that a merge may cause in the categories of a box.
    alpha : "auto" or float from 0 to 1, default="auto"
        The weight of the numeric columns in similarity and membership. "auto" is their share
        among the columns.
    gamma : float or sequence of float, default=1.0
        How fast similarity and membership fall with the distance from a box, for all numeric
        columns or one number for each.
    condition : {"each", "mean"}, default="each"
        Whether `delta` bounds the entropy change of each categorical column or the mean of them.
    method : {"agglo2", "agglosm"}, default="agglo2"
        "agglosm" merges the most similar pair of all boxes each time. "agglo2" goes from box to box
        and merges each with its most similar partner, until nothing changes; it is faster.
    similarity : {"short", "long", "mid"}, default="mid"
        Which distance of two boxes counts in a numeric column: the gap between them, that of
        their far sides, or that of their corresponding corners.
    min_similarity : float from 0 to 1, default=0.0
        Boxes less similar than this are not merged.
    categorical_features, feature_range, unlabelled
        As in :class:`HyperboxClassifier`; the range "data" is that of the whole table.
    n_jobs : int, default=None
        Threads to look for partners in and to predict many rows with: as in scikit-learn, None is 1
        (or what joblib says), -1 as many as there are cores. It does not affect the result.

    Attributes
    ----------
    boxes_ : Boxes
        The boxes, in order of their oldest row.
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
    HyperboxClassifier : Learns row by row.
    boxwise.merge : Joins models by the same means.

    Notes
    -----
    Time grows with the square of the number of boxes at least, memory with their number.

    References
    ----------
    B. Gabrys, "Agglomerative learning algorithms for general fuzzy min-max neural network", Journal
    of VLSI Signal Processing 32, 2002, 67-82.

    Examples
    --------
    >>> from boxwise import AgglomerativeGFMM
    >>> rows = [
    ...     {"age": 23, "job": "student"},
    ...     {"age": 47, "job": "engineer"},
    ...     {"age": 26, "job": "student"},
    ... ]
    >>> clf = AgglomerativeGFMM().fit(rows, ["declined", "approved", "declined"])
    >>> clf.boxes_.describe(0)
    'declined, 2 rows: age 23 to 26; job is student'
    >>> clf.predict([{"age": 44, "job": "engineer"}])
    array(['approved'], dtype='<U8')
    """

    _why_batch = "which boxes are the most similar is known only when all of them are there"

    def __init__(
        self,
        theta: float = 0.2,
        delta: float = 0.5,
        alpha: float | str = "auto",
        gamma: Any = 1.0,
        condition: str = "each",
        method: str = "agglo2",
        similarity: str = "mid",
        min_similarity: float = 0.0,
        categorical_features: Any = "from_dtype",
        feature_range: Any = "data",
        unlabelled: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.theta = theta
        self.delta = delta
        self.alpha = alpha
        self.gamma = gamma
        self.condition = condition
        self.method = method
        self.similarity = similarity
        self.min_similarity = min_similarity
        self.categorical_features = categorical_features
        self.feature_range = feature_range
        self.unlabelled = unlabelled
        self.n_jobs = n_jobs

    def _settings(self, schema: Schema) -> AgglomerativeSettings:
        if isinstance(self.alpha, str) and self.alpha != "auto":
            raise ValueError(f"alpha must be 'auto' or a number from 0 to 1, not {self.alpha!r}")
        condition = _one_of("condition", self.condition, CONDITIONS)
        entropy = entropy_settings(
            self.theta, self.delta, self.alpha, self.gamma, schema, mean=condition == "mean"
        )
        return AgglomerativeSettings(
            **asdict(entropy),
            method=_one_of("method", self.method, METHODS),
            similarity=_one_of("similarity", self.similarity, SIMILARITIES),
            min_similarity=number("min_similarity", self.min_similarity, 0, 1),
        )


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in allowed:
        return value
    *first, last = (repr(item) for item in allowed)
    raise ValueError(f"{name} must be {', '.join(first)} or {last}, not {show(value)}")
