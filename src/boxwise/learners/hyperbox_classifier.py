"""The classifier of the library: boxes that decide together, by evidence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EvidenceSettings
from boxwise.learners.explained import ExplainedLearner
from boxwise.learners.settings import entropy_settings, evidence_settings
from boxwise.schema import Schema


class HyperboxClassifier(ExplainedLearner):
    """Online classifier for tables of numbers and categories, explained by boxes.

    The model is a set of hyperboxes: intervals over the continuous columns, counted sets of values
    over the categorical ones, a class. Each row is taken by a box that contains it, or by the
    closest box of its class that may grow (it stays within `theta`, its categories stay
    homogeneous within `delta`, it overlaps no box of another class), or becomes a new box. All
    boxes together decide on the class of a row, each by how likely the row is in it.

    Categories need no encoding, missing values no imputation. New categories and new classes may
    appear at any time. Learning all rows in one call or one row a call gives the same model.

    Parameters
    ----------
    theta : float, default=0.3
        The longest side of a box, as a share of the column's range.
    delta : float from 0 to 1, default=0.3
        The largest change of entropy, on average over the categorical columns, that a row may cause
        in a box. With 0 a box holds one value per column; with 1 the categories never keep a row
        out.
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
    bandwidth : float above 0, or "auto", default="auto"
        How fast the density of a box falls outside it, as a share of the column's
        range. "auto" tries a few on each row, and lets those speak that predicted best so far.
    backoff : float above 0, or "auto", default="auto"
        With how many rows the class as a whole speaks in the category shares of
        each box.
    temperature : float above 0, or "auto", default="auto"
        What the scores are divided by before they become probabilities. Above 1 it
        makes them less certain.
    class_prior : {"data", "balanced", "auto"}, default="data"
        Whether a class counts by its rows, or all classes alike, or as far in
        between as has given the best class balanced accuracy so far.
    forget : bool, default=True
        Whether boxes count less among those of their class, the longer ago they took
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
    bandwidth_, backoff_, temperature_ : float
        Those in use.
    reach_ : array
        What multiplies the bandwidth or the backoff of each column. The larger, the
        less it matters where in the column a row lies. NaN for a column without a value yet.
    memory_ : float
        How many rows older than the newest of its class a box is that counts a
        quarter, as a share of all rows so far.

    See Also
    --------
    EIOLGFMM : The paper's algorithm, in which the best box decides alone.
    boxwise.load : Read a model file.

    Notes
    -----
    The boxes are those of EIOL-GFMM, version 2. The decision is our own: see
    :mod:`boxwise.reference.evidence`, the same algorithm in plain Python.

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

    def __init__(
        self,
        theta: float = 0.3,
        delta: float = 0.3,
        categorical_features: Any = "from_dtype",
        feature_range: Any = "data",
        scale: str = "range",
        max_boxes: int | None = None,
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
        self.categorical_features = categorical_features
        self.feature_range = feature_range
        self.scale = scale
        self.max_boxes = max_boxes
        self.bandwidth = bandwidth
        self.backoff = backoff
        self.temperature = temperature
        self.class_prior = class_prior
        self.forget = forget
        self.unlabelled = unlabelled
        self.n_jobs = n_jobs

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
        model = self._fitted()
        *reach, _ = model.engine.reach
        order = [*model.schema.continuous, *model.schema.categorical]
        by_column = np.full(model.schema.n_features, np.nan)
        by_column[order] = reach
        return by_column

    @property
    def memory_(self) -> float:
        """How much older than the newest of its class a box is that counts a quarter."""
        model = self._fitted()
        assert isinstance(model.settings, EvidenceSettings)
        return float(model.engine.reach[-1]) if model.settings.forget else math.inf

    @property
    def _chosen(self) -> list[float]:
        chosen: list[float] = self._fitted().engine.chosen
        return chosen

    def responsibilities(self, X: Any, upper: Any = None) -> NDArray[np.float64]:
        """Return how much of each decision each box carries.

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
        model, batch = self._read(X, upper)
        return model.responsibilities(batch, self._threads())

    def _settings(self, schema: Schema) -> EvidenceSettings:
        # Which of the boxes that may take a row does: as in EIOL-GFMM-v2, both kinds of columns
        # counting by their number.
        learning = entropy_settings(
            self.theta, self.delta, "auto", 1.0, schema, mean=True, max_boxes=self.max_boxes
        )
        return evidence_settings(
            learning,
            self.bandwidth,
            self.backoff,
            self.temperature,
            self.class_prior,
            self.forget,
        )
