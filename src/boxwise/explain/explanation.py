"""The explanation of a prediction, as data."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from boxwise.schema import Kind

Decision: TypeAlias = Literal["evidence", "membership"]
DecidedBy: TypeAlias = Literal["class", "rows", "first seen"]


@dataclass(frozen=True)
class FeatureReason:
    """The contribution of one column to the score of a row in a box.

    Attributes
    ----------
    column, kind
        Its name, and whether it is "numeric" or "categorical".
    value
        The value of the row: a number, a pair of bounds, a category; None if it is missing.
    lower, upper : float or None
        The interval of the box, in the units of the input; None if all its values are missing.
    count : int, float or None
        How many rows of the box have this category; a float where weights were not whole.
    inside : bool or None
        Whether the number lies in the interval, or the category occurs in the box; None where
        there is nothing to compare.
    outside : float
        How far the number lies outside, in the units of the input.
    term : float
        What the column alone says, from 0 to 1: of a number how close it is to the box, of a
        category its share in the box.
    contribution : float
        By membership: 0, or minus what the column costs. By evidence: the logarithm of its factor.
    """

    column: str
    kind: Kind
    value: Any
    lower: float | None
    upper: float | None
    count: float | None
    inside: bool | None
    outside: float
    term: float
    contribution: float


@dataclass(frozen=True)
class BoxSupport:
    """A box and what it has to do with a row.

    Attributes
    ----------
    box, label, rows
        Its place in ``boxes_``, its class, and how many rows it holds: a float where weights
        were not whole.
    rule
        The box in words.
    membership : float
        Of the row in the box. By the formula of `Explanation`, it follows from the features.
    share : float or None
        By evidence: how much of the decision the box carried, as in ``responsibilities``.
    weight : float or None
        By evidence, with features: how many rows it counts for; fewer, the older it is beside the
        others of its class.
    log_evidence : float or None
        By evidence, with features: the logarithm of the weight, plus all contributions.
    features : tuple of FeatureReason
        By column, the largest contributions first; empty for boxes that are only mentioned.
    """

    box: int
    label: Any
    rows: float
    rule: str
    membership: float
    share: float | None = None
    weight: float | None = None
    log_evidence: float | None = None
    features: tuple[FeatureReason, ...] = ()


@dataclass(frozen=True)
class Rival:
    """Another class: its probability, by how much it was missed, and its best box.

    The margin is one of memberships, or of probabilities where all boxes decide.
    """

    label: Any
    probability: float
    margin: float
    box: BoxSupport


@dataclass(frozen=True)
class Comparison:
    """The columns that favour the prediction over the next class.

    Attributes
    ----------
    label
        The next class.
    columns : tuple of pairs
        Column and how much it speaks for the prediction, the most telling first; below 0 it speaks
        for the next class.
    rest : float
        By evidence: how many boxes there are, how large they are, and the sizes of the classes.
    total : float
        The sum of all. By membership it is the margin; by evidence the logarithm of the odds by
        the present boxes, before other experts are mixed in and before probabilities are drawn
        together where few rows speak for them.
    """

    label: Any
    columns: tuple[tuple[str, float], ...]
    rest: float
    total: float


@dataclass(frozen=True)
class ClassSum:
    """The terms of the logit of a class; the softmax over all classes is the probability.

    Attributes
    ----------
    label
        The class.
    curves : tuple of pairs
        Column and what its curve adds, in the order of the columns; empty without curves.
    constant : float
        What is added to every row.
    boxes : float
        What the boxes add: their log-probability, times the weight that it has learned.
    class_prior : float
        What is taken off for the size of the class, if ``class_prior`` says so.
    logit : float
        The sum of all.
    by_boxes : float
        The probability by the boxes alone.
    """

    label: Any
    curves: tuple[tuple[str, float], ...]
    constant: float
    boxes: float
    class_prior: float
    logit: float
    by_boxes: float


@dataclass(frozen=True)
class TiedClass:
    """A class that ties for the first place: its boxes that do, and the rows in these."""

    label: Any
    boxes: tuple[int, ...]
    rows: float


@dataclass(frozen=True)
class Tie:
    """Boxes, or by evidence classes, that are equally good, and what decided between them.

    Attributes
    ----------
    classes : tuple of TiedClass
        The winner first.
    decided_by : {"class", "rows", "first seen"}
        Nothing had to, for all are of one class; the most rows in the tied boxes; or, if that is
        equal too, or no box comes near at all, the class that was seen first.
    """

    classes: tuple[TiedClass, ...]
    decided_by: DecidedBy


@dataclass(frozen=True)
class Change:
    """One column, from its value to another; pairs are intervals, None is a missing value."""

    column: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Counterfactual:
    """A change that the model answers with another class.

    Attributes
    ----------
    changes : tuple of Change
        One or two.
    prediction, probability
        What the model says of the changed row.
    size : float
        How large the changes are together: for numbers the share of the column's range (of its
        rows, with ``scale="quantile"``), for a category, or a value that was missing, 1.
    support : float or None
        By evidence: how many learned rows speak for the decision on the changed row; the fewer, the
        less plausible is such a row.
    """

    changes: tuple[Change, ...]
    prediction: Any
    probability: float
    size: float
    support: float | None = None


@dataclass(frozen=True)
class Explanation:
    """The explanation of the prediction of one row.

    As text (``print``) and in a notebook it shows what matters most; everything is in the
    attributes, in `to_dict` and in `to_json`.

    Attributes
    ----------
    row : int
        The place of the row in the table, from 0.
    prediction, probability
        The class, and what ``predict_proba`` says of it.
    probabilities : tuple of pairs
        All classes and their probabilities, the largest first.
    decision : {"evidence", "membership"}
        Who decided: all boxes of a class together, as in `HyperboxClassifier`, or the best box
        alone, as in `EIOLGFMM`.
    settings : dict
        ``alpha``; by evidence the ``temperature`` that log-likelihoods of classes are divided by.
    winner : BoxSupport
        The box that decided, or of the present boxes the one that carried most, column by column.
    carried : tuple of BoxSupport
        By evidence: the boxes of the class that carried most, as many as carry 80 % of the
        probability, at most 12.
    background : float or None
        By evidence: how much of the probability the class as a whole carried; the rest is the
        boxes'.
    n_boxes : int
        How many boxes of the class there are at present.
    n_experts : int
        By evidence: how many sets of boxes predicted together: the present one, a challenger and
        retired ones. The terms of the columns are of the present one.
    support : float or None
        By evidence: how many learned rows speak for the decision.
    sums : tuple of ClassSum
        By evidence: what each class's logit adds up from, the most probable class first.
    rivals : tuple of Rival
        All other classes, the closest first.
    against : Comparison or None
        The prediction and the closest class, column by column.
    tie : Tie or None
        If there was one.
    counterfactual : Counterfactual or None
        The smallest change found that changes the prediction.
    no_counterfactual : str or None
        Why there is none, or fewer than were asked for.
    counterfactuals : tuple of Counterfactual
        All that were found, as many as were asked for at most: the smallest first, then others,
        which change other columns.

    Notes
    -----
    What adds up, by membership: with `n` the winner's rows and the terms of its features,
    ``alpha * min(numbers) + (1 - alpha) * sum(counts) / (n * categories)`` is the membership before
    it is rounded to whole units of 1e-12 (one half of it where there is one kind of column only);
    and 1 plus the contributions is the same, but for rounding. By evidence:
    ``log(weight)`` plus the contributions is the log-likelihood of the row in the box; the `sums`
    are logits, whose softmax is ``predict_proba`` to 1e-9.

    Examples
    --------
    >>> from boxwise import EIOLGFMM
    >>> rows = [{"age": 23, "job": "cook"}, {"age": 27, "job": "cook"}, {"age": 60, "job": "smith"}]
    >>> clf = EIOLGFMM().fit(rows, ["no", "no", "yes"])
    >>> (why,) = clf.explain([{"age": 35, "job": "cook"}])
    >>> why.prediction, why.winner.box, why.winner.rule
    ('no', 0, 'no, 2 rows: age 23 to 27; job is cook')
    >>> [(f.column, f.inside, f.outside) for f in why.winner.features]
    [('age', False, 8.0), ('job', True, 0.0)]
    >>> why.rivals[0].label, round(why.rivals[0].margin, 3)
    ('yes', 0.73)
    """

    row: int
    prediction: Any
    probability: float
    probabilities: tuple[tuple[Any, float], ...]
    decision: Decision
    settings: dict[str, float]
    winner: BoxSupport
    carried: tuple[BoxSupport, ...]
    background: float | None
    n_boxes: int
    n_experts: int
    support: float | None
    sums: tuple[ClassSum, ...]
    rivals: tuple[Rival, ...]
    against: Comparison | None
    tie: Tie | None
    counterfactual: Counterfactual | None
    no_counterfactual: str | None
    counterfactuals: tuple[Counterfactual, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dicts, lists, text, numbers and None, ready for JSON."""
        plain: dict[str, Any] = _plain(self)
        return plain

    def to_json(self, indent: int | None = None) -> str:
        """Return everything as JSON.

        Parameters
        ----------
        indent : int, optional
            As in ``json.dumps``; one line by default.
        """
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        from boxwise.explain.text import explanation_text

        return explanation_text(self)

    def _repr_html_(self) -> str:
        from boxwise.explain.html import to_html

        return to_html(self)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
