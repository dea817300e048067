"""HyperboxClassifier with River's interface."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from boxwise import learners
from boxwise.learners.base.settings import number
from boxwise.learners.weights import MOST
from boxwise.river.base import RiverClassifier, Row


class HyperboxClassifier(RiverClassifier):
    """Online classifier for rows of numbers and categories, explained by boxes.

    The same algorithm and the same boxes as :class:`boxwise.HyperboxClassifier`, for rows that are
    dicts. Features may appear, vanish and come in any order: one that a row lacks is missing in
    it, and one that is new counts as missing in all rows before. The first value of a feature that
    is not missing decides its kind: a number makes it numeric, text or a truth value
    categorical. None and NaN are missing values. A label of None is none: the row is learned
    without it.

    Parameters
    ----------
    theta
        The longest side of a box in a feature of average relevance, as a share of its rows or of
        its range (`scale`).
    delta
        The largest change of entropy that a row may cause in a box, on average over the
        categorical features, from 0 to 1.
    categorical_features
        Names of features that are categorical although their values are numbers.
    feature_range
        What the numeric features are scaled by: "data" lets each range grow with the rows; a
        pair ``(low, high)`` for all features or a mapping from feature to pair fixes it.
    scale
        How the numeric features are measured: as shares of their "range", or by "quantile", as
        shares of their rows so far.
    max_boxes
        The most boxes at any time; None is no limit.
    adapt, additive, class_prior
        As in :class:`boxwise.HyperboxClassifier`.
    immutable
        Names of features that a counterfactual of `explain_one` never changes.
    dates
        Features that are dates, and the parts of each that matter, as in
        :class:`boxwise.HyperboxClassifier`.
    monotonic_cst
        Features that the probability of a class rises (1) or falls (-1) with, such as
        ``{"income": {"approved": 1}}``; a stream names the class.

    Examples
    --------
    >>> from boxwise.datasets import LoanStream
    >>> from boxwise.river import HyperboxClassifier
    >>> from river import evaluate, metrics
    >>> model = HyperboxClassifier(theta=0.3, delta=1.0)
    >>> evaluate.progressive_val_score(LoanStream(2000, function=7), model, metrics.Accuracy())
    Accuracy: 96.00%
    >>> model.predict_one({"salary": 30_000, "loan": 400_000, "shoe_size": 44})
    'declined'
    >>> model.learn_one({"salary": 30_000, "shoe_size": 44, "pet": None}, "referred")
    >>> print(model.boxes.describe(len(model.boxes) - 1))  # doctest: +ELLIPSIS
    referred, 1 row: salary 30,000; commission is missing; ... shoe_size 44; education is ...
    """

    _estimator = learners.HyperboxClassifier

    def __init__(
        self,
        theta: float = 0.5,
        delta: float = 0.15,
        categorical_features: Iterable[Hashable] | None = None,
        feature_range: Any = "data",
        scale: str = "quantile",
        max_boxes: int | None = 1000,
        adapt: bool = True,
        additive: bool = True,
        class_prior: str = "data",
        immutable: Iterable[Hashable] | None = None,
        dates: Mapping[Hashable, Iterable[str]] | None = None,
        monotonic_cst: Mapping[Hashable, Mapping[Any, int]] | None = None,
    ) -> None:
        self.theta = theta
        self.delta = delta
        self.categorical_features = categorical_features
        self.feature_range = feature_range
        self.scale = scale
        self.max_boxes = max_boxes
        self.adapt = adapt
        self.additive = additive
        self.class_prior = class_prior
        self.immutable = immutable
        self.dates = dates
        self.monotonic_cst = monotonic_cst
        self._begin()

    def learn_one(self, x: Row, y: Any, w: float = 1.0) -> None:
        """Learn a row.

        Parameters
        ----------
        x
            The features. A row without a single value, before any feature is known, teaches
            nothing.
        y
            The label: text, a whole number or a truth value; None if there is none.
        w
            How often the row counts: a whole number does what so many calls do, 0 nothing.
        """
        if w == 1 and type(w) in (float, int):  # not True, which is refused
            super().learn_one(x, y)
            return
        weight = number("w", w, 0, MOST)
        if weight > 0:
            self._learn_any(self._taken_apart(x), y, sample_weight=[weight])

    @property
    def drift_detected(self) -> bool:
        """Whether the last row learned, of whatever weight, made the model give way to another.

        Right after loading, a row of weight above 1 counts as the last of the rows it stands for.
        """
        return self._model is not None and bool(self._model.engine.drift)

    @property
    def warning_detected(self) -> bool:
        """Whether errors have risen and a challenger is on trial."""
        return self._model is not None and bool(self._model.engine.warning)
