"""The classifier of the library: EIOL-GFMM behind scikit-learn's interface."""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EntropySettings, EvidenceSettings, Model
from boxwise.explain import Explanation, explain
from boxwise.learners.alpha import alpha_for
from boxwise.learners.hyperbox_learner import TrainingTable
from boxwise.learners.online_learner import OnlineLearner
from boxwise.learners.settings import engine_ranges, entropy_settings, evidence_settings
from boxwise.schema import Schema, show


class HyperboxClassifier(OnlineLearner):
    """Online classifier for tables of numbers and categories, explained by boxes.

    The model is a set of hyperboxes: intervals over the continuous columns, counted sets of values
    over the categorical ones, a class. Each row is taken by a box that contains it, or by the
    closest box of its class that may grow (it stays within `theta`, its categories stay
    homogeneous within `delta`, it overlaps no box of another class), or becomes a new box. All
    boxes together decide on the class of a row; or the one in which it has the largest membership.

    Categories need no encoding, missing values no imputation. New categories and new classes may
    appear at any time. Learning all rows in one call or one row a call gives the same model.

    Parameters
    ----------
    theta : float, default=0.3
        The longest side of a box, as a share of the column's range.
    delta : float from 0 to 1, default=0.3
        The largest change of entropy that a row may cause in the categories of a box. With 0 a box
        holds one value per column; with 1 the categories never keep a row out.
    alpha : float from 0 to 1, or {"auto", "estimate", "estimate-scores"}, default="auto"
        The weight of the continuous columns in the membership. "auto" is their share among the
        columns. "estimate" lets `fit` find it, by how well each kind of column predicts alone and
        how many there are (Est-alpha-v1); "estimate-scores" by the former only (Est-alpha-v2).
    gamma : float or sequence of float, default=1.0
        How fast the membership falls with the distance from a box, for all continuous columns or
        one number for each.
    condition : {"each", "mean"}, default="mean"
        Whether `delta` bounds the entropy change of each categorical column (EIOL-GFMM-v1) or the
        mean of them (EIOL-GFMM-v2).
    categorical_features : "from_dtype" or array-like, default="from_dtype"
        The categorical columns, as names, positions or a mask. With "from_dtype", columns of text,
        objects, categories, enumerations and truth values are categorical.
    feature_range : "data", pair or mapping, default="data"
        What the continuous columns are scaled by. "data": `fit` takes the range of the whole table
        and `partial_fit` lets ranges grow, deciding each row as if all had been rescaled. A pair
        ``(low, high)`` for all columns, or a mapping from column to pair, fixes it.
    scale : {"range", "quantile"}, default="range"
        How distances and sizes are measured in a continuous column: as shares of its range, or of
        its rows, so that a few extreme values do not flatten all others. `fit` takes the ranks of
        the whole table and `partial_fit` lets them follow the rows.
    max_boxes : int, default=None
        The number of boxes from which on there is a new one only for a new class; a row that no
        box may take then goes to the box of its class in which its membership is largest,
        whatever `theta`, `delta` and the boxes of other classes say.
    decision : {"evidence", "membership"}, default="evidence"
        Who decides on the class of a row: all boxes of a class together, each by how likely the
        row is in it; or the box in which its membership is largest, as in the paper.
    bandwidth : float above 0, or "auto", default="auto"
        For evidence: how fast the density of a box falls outside it, as a share of the column's
        range. "auto" tries a few on each row, and lets those speak that predicted best so far.
    backoff : float above 0, or "auto", default="auto"
        For evidence: with how many rows the class as a whole speaks in the category shares of
        each box.
    temperature : float above 0, or "auto", default="auto"
        For evidence: what the scores are divided by before they become probabilities. Above 1 it
        makes them less certain.
    class_prior : {"data", "balanced", "auto"}, default="data"
        For evidence: whether a class counts by its rows, or all classes alike, or as far in
        between as has given the best class balanced accuracy so far.
    forget : bool, default=True
        For evidence: whether boxes count less among those of their class, the longer ago they took
        a row; how much less follows from how well that has predicted so far.
    unlabelled : object, default=None
        The mark of rows without a label, for example -1 (NaN for missing labels), from which
        to learn too. By default a missing label is an error.
    n_jobs : int, default=None
        Threads to predict many rows with: as in scikit-learn, None is 1 (or what joblib
        says), -1 as many as there are cores. What comes out does not depend on it.

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
    bandwidth_, backoff_, temperature_ : float
        Those in use, if the decision is by evidence.
    reach_ : array
        For evidence: what multiplies the bandwidth or the backoff of each column. The larger, the
        less it matters where in the column a row lies.
    memory_ : float
        For evidence: how many rows older than the newest of its class a box is that counts a
        quarter, as a share of all rows so far.

    See Also
    --------
    estimate_alpha : What `alpha="estimate"` does.
    boxwise.load : Read a model file.

    Notes
    -----
    Memberships, sizes and ranges are computed as in the paper; where it leaves something open or
    contradicts itself, see :mod:`boxwise.reference`, the same algorithm in plain Python.

    References
    ----------
    T. T. Khuat and B. Gabrys, "An Online Learning Algorithm for a Neuro-Fuzzy Classifier with
    Mixed-Attribute Data", 2020, arXiv:2009.14670.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> rows = [
    ...     {"age": 23, "job": "student"},
    ...     {"age": 25, "job": "student"},
    ...     {"age": 47, "job": "engineer"},
    ... ]
    >>> clf = HyperboxClassifier()
    >>> clf = clf.fit(rows, ["declined", "declined", "approved"])
    >>> clf.predict([{"age": 44, "job": "engineer"}])
    array(['approved'], dtype='<U8')
    >>> clf.boxes_.describe(0)
    'declined, 2 rows: age 23 to 25; job is student'

    New categories and classes may come at any time:

    >>> clf = clf.partial_fit([{"age": 81, "job": "retired"}], ["referred"])
    >>> clf.classes_
    array(['approved', 'declined', 'referred'], dtype='<U8')
    """

    _found_by: str | None  # how fit has estimated alpha, if it has

    def __init__(
        self,
        theta: float = 0.3,
        delta: float = 0.3,
        alpha: float | str = "auto",
        gamma: Any = 1.0,
        condition: str = "mean",
        categorical_features: Any = "from_dtype",
        feature_range: Any = "data",
        scale: str = "range",
        max_boxes: int | None = None,
        decision: str = "evidence",
        bandwidth: float | str = "auto",
        backoff: float | str = "auto",
        temperature: float | str = "auto",
        class_prior: str = "data",
        forget: bool = True,
        unlabelled: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.theta = theta
        self.delta = delta
        self.alpha = alpha
        self.gamma = gamma
        self.condition = condition
        self.categorical_features = categorical_features
        self.feature_range = feature_range
        self.scale = scale
        self.max_boxes = max_boxes
        self.decision = decision
        self.bandwidth = bandwidth
        self.backoff = backoff
        self.temperature = temperature
        self.class_prior = class_prior
        self.forget = forget
        self.unlabelled = unlabelled
        self.n_jobs = n_jobs

    @property
    def alpha_(self) -> float:
        """The alpha in use."""
        settings = self._fitted().settings
        assert isinstance(settings, EntropySettings)
        return settings.alpha

    @property
    def bandwidth_(self) -> float:
        """The bandwidth in use."""
        return self._chosen[0]

    @property
    def backoff_(self) -> float:
        """The backoff in use."""
        return self._chosen[1]

    @property
    def temperature_(self) -> float:
        """The temperature in use."""
        return self._chosen[2]

    @property
    def reach_(self) -> NDArray[np.float64]:
        """What multiplies the bandwidth or the backoff of each column."""
        model = self._by_evidence()
        *reach, _ = model.engine.reach
        order = [*model.schema.continuous, *model.schema.categorical]
        by_column = np.empty(len(order))
        by_column[order] = reach
        return by_column

    @property
    def memory_(self) -> float:
        """How much older than the newest of its class a box is that counts a quarter."""
        settings = self._by_evidence().settings
        forgets = isinstance(settings, EvidenceSettings) and settings.forget
        return float(self._model.engine.reach[-1]) if forgets else math.inf

    @property
    def _chosen(self) -> list[float]:
        chosen: list[float] = self._by_evidence().engine.chosen
        return chosen

    def _by_evidence(self) -> Model:
        model = self._fitted()
        if not isinstance(model.settings, EvidenceSettings):
            raise AttributeError(
                "the decision is by membership, not by evidence; use decision='evidence'"
            )
        return model

    def responsibilities(self, X: Any, upper: Any = None) -> NDArray[np.float64]:
        """Return how much of each decision by evidence each box carries.

        The probability of a class is divided among its boxes, in proportion to what each says.

        Parameters
        ----------
        X, upper
            As in `fit`.

        Returns
        -------
        array of shape (rows, boxes)
            Boxes in the order of `boxes_`; those of a class sum to its probability in
            `predict_proba`, all of them to one. A box without a class has 0.
        """
        self._by_evidence()
        model, batch = self._read(X, upper)
        return model.responsibilities(batch, self._threads())

    def explain(
        self,
        X: Any,
        upper: Any = None,
        *,
        counterfactual: bool = True,
        fixed: Collection[str | int] = (),
    ) -> list[Explanation]:
        """Say of each row why it is predicted as it is.

        Parameters
        ----------
        X, upper
            As in `fit`.
        counterfactual : bool, default=True
            Whether to look for the smallest change of one or two columns that would change the
            prediction. It takes most of the time: without it many rows are explained quickly.
        fixed : collection of str or int, default=()
            The columns, by name or position, that such a change leaves alone: what a person
            cannot change, for example.

        Returns
        -------
        list of Explanation
            One for each row. Print it, show it in a notebook, or take it apart.

        Examples
        --------
        >>> from boxwise import HyperboxClassifier
        >>> rows = [{"age": 23, "job": "cook"}, {"age": 27, "job": "cook"}]
        >>> rows += [{"age": 60, "job": "smith"}, {"age": 66, "job": "smith"}]
        >>> clf = HyperboxClassifier().fit(rows, ["no", "no", "yes", "yes"])
        >>> (why,) = clf.explain([{"age": 35, "job": "cook"}], fixed=["job"])
        >>> why.prediction, why.counterfactual.prediction, why.counterfactual.changes
        ('no', 'yes', (Change(column='age', old=35.0, new=45.0),))
        """
        model = self._fitted().copy()  # another thread may go on learning
        batch = self._encode(X, model.schema, upper, learn=True)
        found = explain(
            model, batch, counterfactual=counterfactual, fixed=fixed, threads=self._threads()
        )
        return [*found]

    @property
    def _alpha_to_go_on_with(self) -> Any:
        """The parameter alpha, or what was estimated."""
        return self.alpha_ if _is_estimate(self.alpha) else self.alpha

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
        return self._settings_with(self.alpha_, schema)

    def _settings_for(self, table: TrainingTable) -> EntropySettings:
        if not _is_estimate(self.alpha):
            return self._settings(table.schema)
        settings = self._learning("auto", table.schema)
        scores_only = self.alpha == "estimate-scores"
        ranges_for = partial(engine_ranges, self.feature_range, self.scale, table.schema)
        alpha = alpha_for(table, settings, ranges_for, scores_only=scores_only)
        self._found_by = str(self.alpha)
        return self._settings_with(alpha, table.schema)

    def _settings_with(self, alpha: Any, schema: Schema) -> EntropySettings:
        learning = self._learning(alpha, schema)
        if self.decision == "membership":
            return learning
        if self.decision != "evidence":
            raise ValueError(
                f"decision must be 'membership' or 'evidence', not {show(self.decision)}"
            )
        return evidence_settings(
            learning,
            self.bandwidth,
            self.backoff,
            self.temperature,
            self.class_prior,
            self.forget,
        )

    def _learning(self, alpha: Any, schema: Schema) -> EntropySettings:
        if isinstance(alpha, str) and alpha != "auto":
            raise ValueError(
                "alpha must be 'auto', 'estimate', 'estimate-scores' or a number from 0 to 1, "
                f"not {alpha!r}"
            )
        return entropy_settings(
            self.theta, self.delta, alpha, self.gamma, self.condition, schema, self.max_boxes
        )


def _is_estimate(alpha: Any) -> bool:
    return isinstance(alpha, str) and alpha in ("estimate", "estimate-scores")
