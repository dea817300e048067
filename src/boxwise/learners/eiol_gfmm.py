"""EIOL-GFMM: the paper's algorithm, versions 1 and 2."""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any

from boxwise.core import EntropySettings
from boxwise.learners.alpha import alpha_for
from boxwise.learners.base.explained_learner import ExplainedLearner
from boxwise.learners.base.hyperbox_learner import TrainingTable
from boxwise.learners.base.settings import engine_ranges, entropy_settings
from boxwise.schema import Schema, show

ESTIMATES = ("estimate", "estimate-scores")


class EIOLGFMM(ExplainedLearner):
    """EIOL-GFMM: exactly the paper's online learner for numeric and categorical columns.

    The model is a set of hyperboxes: an interval for each numeric column, counted values for each
    categorical one, and a class. Each row is added to a box that contains it, or to the box of its
    class with the largest membership that may grow to cover it (it stays within `theta`, its
    categories stay homogeneous within `delta`, it overlaps no box of another class), or becomes a
    new box.

    The prediction is the class of the box in which the row has the largest membership; if boxes of
    several classes tie, the class with most rows in them, then the class seen first.

    `HyperboxClassifier` predicts better; use this one to compare with the paper and its relatives.

    Parameters
    ----------
    theta : float, default=0.3
        The maximum side of a box, as a share of the column's range.
    delta : float from 0 to 1, default=0.3
        The maximum change of entropy that a row may cause in the categories of a box. With 0 a box
        has one value per column; with 1 no row is rejected because of its categories.
    version : {1, 2}, default=1
        Whether `delta` bounds the entropy change of each categorical column (EIOL-GFMM-v1) or the
        mean of them (EIOL-GFMM-v2).
    alpha : float from 0 to 1, or {"auto", "estimate", "estimate-scores"}, default="auto"
        The weight of the numeric columns in the membership. "auto" is n/(n+r), their share among
        the columns. "estimate" lets `fit` compute it from the score of each kind of column alone
        and the number of columns (Est-alpha-v1); "estimate-scores" from the scores only
        (Est-alpha-v2).
    gamma : float or sequence of float, default=1.0
        The slope of the membership outside a box, for all numeric columns or one value for each.
    categorical_features : "from_dtype" or array-like, default="from_dtype"
        The categorical columns, as names, positions or a mask. With "from_dtype", columns of text,
        objects, categories, enumerations and Boolean values are categorical.
    feature_range : "data", pair or mapping, default="data"
        The range of the numeric columns. "data": `fit` uses the range of the whole table;
        `partial_fit` extends the range with each row, as if all rows had been rescaled. A pair
        ``(low, high)`` for all columns, or a mapping from column to pair, fixes the range.
    scale : {"range", "quantile"}, default="range"
        The unit of distances and sizes in a numeric column: shares of its range, as in the paper,
        or of its rows, which is robust to outliers.
    max_boxes : int, default=None
        Not in the paper: the number of boxes at which only new classes get a new box; a row that no
        box accepts is then added to the box of its class with the largest membership.
    unlabelled : object, default=None
        The mark of rows without a label that are to be learned, for example -1 (NaN for missing
        labels). By default a missing label is an error.
    n_jobs : int, default=None
        The number of threads for predicting many rows: as in scikit-learn, None is 1 (or the
        setting of joblib), -1 the number of cores. The result does not depend on it.
    immutable : list of str or int, default=None
        The columns, by name or position, that a counterfactual of `explain` never changes: what a
        person cannot change, such as the age. The model file keeps them.
    dates : mapping of str to list of str, default=None
        The columns of dates, and what matters about each: "year", "month", "day", "weekday", "hour"
        and "minute", of the local time that a value shows. A column stands for each of these, such
        as "weekday of opened"; weekdays are categories, the others numbers.

    Attributes
    ----------
    boxes_ : Boxes
        The boxes, in order of creation.
    classes_ : array
        The classes seen so far (and those announced to `partial_fit`), sorted.
    schema_ : Schema
        The columns with their kinds, ranges and category values.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        The names of the columns, if they have names.
    alpha_ : float
        The alpha in use.

    See Also
    --------
    HyperboxClassifier : Our own learner, in which all boxes vote.
    ImprovedOnlineGFMM : The same for numeric columns only.
    estimate_alpha : The estimate of `alpha="estimate"`.

    Notes
    -----
    Memberships are compared in whole units of 1e-12, so that what ties on paper ties here. Where
    the paper leaves something open or contradicts itself, see :mod:`boxwise.reference`, the same
    algorithm in plain Python.

    References
    ----------
    T. T. Khuat and B. Gabrys, "An Online Learning Algorithm for a Neuro-Fuzzy Classifier with
    Mixed-Attribute Data", 2020, arXiv:2009.14670.

    Examples
    --------
    >>> from boxwise import EIOLGFMM
    >>> rows = [
    ...     {"age": 23, "job": "student"},
    ...     {"age": 25, "job": "student"},
    ...     {"age": 47, "job": "engineer"},
    ... ]
    >>> clf = EIOLGFMM(theta=0.3, delta=0.3).fit(rows, ["declined", "declined", "approved"])
    >>> clf.predict([{"age": 44, "job": "engineer"}])
    array(['approved'], dtype='<U8')
    >>> clf.membership([{"age": 44, "job": "engineer"}])
    array([[0.10416667, 0.9375    ]])
    """

    _found_by: str | None  # how fit has estimated alpha, if it has

    def __init__(
        self,
        theta: float = 0.3,
        delta: float = 0.3,
        version: int = 1,
        alpha: float | str = "auto",
        gamma: Any = 1.0,
        categorical_features: Any = "from_dtype",
        feature_range: Any = "data",
        scale: str = "range",
        max_boxes: int | None = None,
        unlabelled: Any = None,
        n_jobs: int | None = None,
        immutable: Any = None,
        dates: Any = None,
    ) -> None:
        self.theta = theta
        self.delta = delta
        self.version = version
        self.alpha = alpha
        self.gamma = gamma
        self.categorical_features = categorical_features
        self.feature_range = feature_range
        self.scale = scale
        self.max_boxes = max_boxes
        self.unlabelled = unlabelled
        self.n_jobs = n_jobs
        self.immutable = immutable
        self.dates = dates

    @property
    def alpha_(self) -> float:
        """The alpha in use."""
        settings = self._fitted().settings
        assert isinstance(settings, EntropySettings)
        return settings.alpha

    @property
    def _parameters_to_go_on_with(self) -> dict[str, Any]:
        return {"alpha": self.alpha_} if _is_estimate(self.alpha) else {}

    def _settings(self, schema: Schema) -> EntropySettings:
        if not _is_estimate(self.alpha):
            self._found_by = None
            return self._settings_with(self.alpha, schema)
        # A model from a file has found its alpha in the way that its parameters say.
        if not self.__sklearn_is_fitted__() or getattr(self, "_found_by", self.alpha) != self.alpha:
            raise ValueError(
                f"alpha={self.alpha!r} needs all rows: call fit first, and go on with partial_fit; "
                "or use alpha='auto'"
            )
        self._found_by = str(self.alpha)
        return self._settings_with(self.alpha_, schema)

    def _settings_for(self, table: TrainingTable) -> EntropySettings:
        if not _is_estimate(self.alpha):
            return self._settings(table.schema)
        settings = self._settings_with("auto", table.schema)
        scores_only = self.alpha == "estimate-scores"
        ranges_for = partial(engine_ranges, self.feature_range, self.scale, table.schema)
        alpha = alpha_for(table, settings, ranges_for, scores_only=scores_only)
        self._found_by = str(self.alpha)
        return self._settings_with(alpha, table.schema)

    def _settings_with(self, alpha: Any, schema: Schema) -> EntropySettings:
        if isinstance(alpha, str) and alpha != "auto":
            raise ValueError(
                "alpha must be 'auto', 'estimate', 'estimate-scores' or a number from 0 to 1, "
                f"not {alpha!r}"
            )
        whole = isinstance(self.version, Integral) and not isinstance(self.version, bool)
        if not whole or self.version not in (1, 2):
            raise ValueError(f"version must be 1 or 2, not {show(self.version)}")
        return entropy_settings(
            self.theta,
            self.delta,
            alpha,
            self.gamma,
            schema,
            mean=bool(self.version == 2),
            max_boxes=self.max_boxes,
        )


def _is_estimate(alpha: Any) -> bool:
    return isinstance(alpha, str) and alpha in ESTIMATES
