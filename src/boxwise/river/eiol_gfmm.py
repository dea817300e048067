"""EIOL-GFMM with River's interface."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from boxwise import learners
from boxwise.river.base import RiverClassifier


class EIOLGFMM(RiverClassifier):
    """EIOL-GFMM, the paper's algorithm, for rows that are dicts.

    The same boxes and predictions as :class:`boxwise.EIOLGFMM`. Features may come and go, as in
    :class:`HyperboxClassifier`.

    Parameters
    ----------
    theta
        The longest side of a box, as a share of the feature's range.
    delta
        The largest change of entropy that a row may cause in the categories of a box, from 0 to 1.
    version
        Whether `delta` bounds the entropy change of each categorical feature (1) or their mean (2).
    alpha
        The weight of the numeric features in the membership, from 0 to 1; "auto" is their share
        among the features known so far.
    gamma
        How fast the membership falls with the distance from a box.
    categorical_features
        Names of features that are categorical although their values are numbers.
    feature_range, scale, max_boxes
        As in :class:`HyperboxClassifier`.
    immutable
        Names of features that a counterfactual of `explain_one` never changes.
    dates
        Features that are dates, and the parts of each that matter, as in
        :class:`boxwise.HyperboxClassifier`.

    Examples
    --------
    >>> from boxwise.datasets import LoanStream
    >>> from boxwise.river import EIOLGFMM
    >>> from river import evaluate, metrics
    >>> model = EIOLGFMM(theta=0.3, delta=1.0)
    >>> evaluate.progressive_val_score(LoanStream(2000, function=7), model, metrics.Accuracy())
    Accuracy: 86.04%
    """

    _estimator = learners.EIOLGFMM

    def __init__(
        self,
        theta: float = 0.3,
        delta: float = 0.3,
        version: int = 1,
        alpha: float | str = "auto",
        gamma: float = 1.0,
        categorical_features: Iterable[Hashable] | None = None,
        feature_range: Any = "data",
        scale: str = "range",
        max_boxes: int | None = None,
        immutable: Iterable[Hashable] | None = None,
        dates: Mapping[Hashable, Iterable[str]] | None = None,
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
        self.immutable = immutable
        self.dates = dates
        self._begin()
