"""The quality of the predictions of one learner, with intervals."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from boxwise.evaluate.calibration import checked_probabilities
from boxwise.evaluate.confusion import Confusion, label_list
from boxwise.evaluate.quality.figures import BY_CLASS, OVERALL, Figures, figures, within_bounds
from boxwise.evaluate.quality.groups import GroupComparison, compare_groups
from boxwise.evaluate.quality.predictions import (
    GroupColumn,
    Predictions,
    sorted_labels,
)
from boxwise.evaluate.quality.resampling import Bootstrap, Figure, Folds, Resampling
from boxwise.evaluate.quality.rows import assessment_rows
from boxwise.evaluate.quality.text import assessment_text
from boxwise.evaluate.quality.thresholds import CostReport, Costs, cost_report

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Assessment:
    """The quality of the predictions of one learner, with intervals.

    Attributes
    ----------
    rows : int
        The rows with a label and a prediction.
    sampled : int
        The rows of which AUC, intervals, groups and costs are computed: all of them, or a uniform
        random sample of a long stream.
    figures : dict of str to Figure
        ``accuracy``, ``cba``, ``kappa``, ``balanced_accuracy``, ``macro_f1``, ``auc`` (each class
        against all others, mean over the classes), ``log_loss`` and ``brier``.
    by_class : dict of label to dict of str to Figure
        For each class ``precision``, ``recall``, ``f1``, ``auc``, ``selection_rate`` (the share of
        rows predicted as the class) and ``false_positive_rate``.
    confusion : Confusion
        The counts of true and predicted classes.
    positive : label or None
        The positive class, of which groups and costs speak; None if there are more than two
        classes and none was named.
    groups : dict of str to GroupComparison
        The same figures for groups of rows, by the column that divides them.
    cost : CostReport or None
        The costs of decisions by different thresholds, if costs were given.
    no_cost : str or None
        Why there are none although costs were given.
    intervals : str
        How intervals are found.
    level : float
        The share of an interval.
    """

    rows: int
    sampled: int
    figures: dict[str, Figure]
    by_class: dict[Hashable, dict[str, Figure]]
    confusion: Confusion
    positive: Hashable | None
    groups: dict[str, GroupComparison] = field(default_factory=dict)
    cost: CostReport | None = None
    no_cost: str | None = None
    intervals: str = ""
    level: float = LEVEL

    @property
    def labels(self) -> list[Hashable]:
        """The classes."""
        return [*self.by_class]

    def to_rows(self) -> list[dict[str, object]]:
        """Return every number as one row of a table.

        Returns
        -------
        list of dict
            With the keys ``by`` and ``group`` (the column and the value of a group; None for all
            rows), ``class``, ``predicted_as``, ``figure``, ``value``, ``low``, ``high``, ``rows``
            and ``note``.
        """
        return assessment_rows(self)

    def __repr__(self) -> str:
        return assessment_text(self)


@dataclass(frozen=True)
class Plan:
    """What to assess besides the scores.

    Attributes
    ----------
    costs : Costs or None
        The costs of errors.
    positive : label or None
        The positive class.
    level : float
        The share of an interval.
    """

    costs: Costs | None = None
    positive: Hashable | None = None
    level: float = LEVEL


def assess(
    y_true: Iterable[Hashable],
    probabilities: ArrayLike | None,
    classes: Iterable[Hashable],
    *,
    y_pred: Iterable[Hashable] | None = None,
    groups: Mapping[str, Iterable[Any]] | None = None,
    cost: Any = None,
    positive: Hashable | None = None,
    folds: ArrayLike | None = None,
    n_blocks: int | None = None,
    level: float = LEVEL,
    seed: int = 0,
) -> Assessment:
    """Assess predictions of rows with known labels: scores, intervals, groups, costs.

    Parameters
    ----------
    y_true : iterable of hashable
        The classes the rows have; also some that are not among `classes`, which then have
        probability 0.
    probabilities : array-like of shape (n_rows, n_classes), or None
        As from ``predict_proba``. Without them there is no AUC, log-loss, Brier score or cost, and
        `y_pred` is needed.
    classes : iterable of hashable
        What the columns are, as in ``classes_``.
    y_pred : iterable of hashable, optional
        The predicted classes; those with the largest probability by default.
    groups : mapping of str to iterable, optional
        Columns with a value for each row: the rows of a value are a group, for which the same
        figures are computed, with the differences between groups. None and NaN are the group
        ``"missing"``.
    cost : mapping, str or Costs, optional
        The cost of a false negative and of a false positive, as ``{"fn": 5, "fp": 1}`` or
        ``"fn=5,fp=1"``. Needs two classes or `positive`.
    positive : hashable, optional
        The positive class; of two classes the second in order by default. With more classes it is
        taken against all others.
    folds : array-like of int, optional
        The fold in which each row was predicted, from 0. Figures are then means over the folds,
        with corrected t-intervals (Nadeau and Bengio, 2003).
    n_blocks : int, optional
        Cut the rows, in their order, into so many blocks and draw blocks instead of rows in the
        bootstrap: for rows in order of time.
    level : float, default=0.95
        The share of the intervals.
    seed : int, default=0
        The random seed of the bootstrap.

    Returns
    -------
    Assessment
        Shown as text; as rows, with `Assessment.to_rows`.

    See Also
    --------
    prequential : Predict every row of a stream before it is learned, and assess the predictions.

    References
    ----------
    B. Efron, "Bootstrap methods: another look at the jackknife", The Annals of Statistics 7(1),
    1979.

    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> from boxwise.datasets import loans
    >>> from boxwise.evaluate import assess
    >>> rows, labels = loans(3_000, function=7, noise=0.05, seed=7)
    >>> clf = HyperboxClassifier().fit(rows[:2_000], labels[:2_000])
    >>> p = clf.predict_proba(rows[2_000:])
    >>> found = assess(labels[2_000:], p, clf.classes_, cost="fn=5,fp=1", positive="declined")
    >>> auc = found.figures["auc"]
    >>> print(f"{auc.value:.3f}, between {auc.low:.3f} and {auc.high:.3f}")
    0.947, between 0.931 and 0.963
    >>> for decision in found.cost.decisions[:2]:
    ...     print(decision.name, round(decision.threshold, 3), decision.cost)
    best 0.34 173.0
    0.5 0.5 240.0
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level!r}")
    truth, known = _labels("y_true", y_true), _labels("classes", classes)
    p = None
    if probabilities is not None:
        p = checked_probabilities(probabilities, truth, known)
    elif y_pred is None:
        raise ValueError("without probabilities, y_pred is needed")
    if not truth:
        raise ValueError("an assessment needs at least one row; y_true is empty")
    predicted = _predicted(p, known) if y_pred is None else _labels("y_pred", y_pred)
    if len(predicted) != len(truth):
        raise ValueError(f"y_true has {len(truth)} rows, y_pred has {len(predicted)}")
    predictions = predictions_of(truth, predicted, p, known, _group_columns(groups, len(truth)))
    plan = Plan(None if cost is None else Costs.read(cost), positive, level)
    if folds is None:
        return assessed(predictions, Bootstrap(n_blocks, seed), plan)
    return assessed(predictions, Folds(_fold_codes(folds, len(truth))), plan)


def scores_of(
    truth: list[Hashable], predicted: list[Hashable], p: Any, known: list[Hashable]
) -> dict[str, float]:
    """Return the figures of `Assessment.figures` alone, without intervals."""
    overall = figures(predictions_of(truth, predicted, p, known, {})).overall
    return dict(zip(OVERALL, overall.tolist(), strict=True))


def predictions_of(
    truth: list[Hashable],
    predicted: list[Hashable],
    p: Any,
    known: list[Hashable],
    groups: Mapping[str, GroupColumn],
) -> Predictions:
    """Return predictions as arrays, with the columns of `p` in the order of the labels."""
    labels = sorted_labels([*known, *truth, *predicted])
    place = {label: k for k, label in enumerate(labels)}
    shares = None
    if p is not None:
        shares = np.zeros((len(truth), len(labels)))
        shares[:, [place[label] for label in known]] = p
    true = np.array([place[label] for label in truth], np.int32)
    chosen = np.array([place[label] for label in predicted], np.int32)
    return Predictions(labels, true, chosen, shares, groups)


def assessed(
    predictions: Predictions,
    resampling: Resampling,
    plan: Plan,
    *,
    totals: Figures | None = None,
    confusion: Confusion | None = None,
) -> Assessment:
    """Return the assessment of predictions.

    Parameters
    ----------
    predictions : Predictions
        At least one.
    resampling : Resampling
        The way to find intervals.
    plan : Plan
        What to assess besides the scores.
    totals : Figures, optional
        The figures of all rows if the predictions are a sample of them.
    confusion : Confusion, optional
        The counts of all rows if the predictions are a sample of them.
    """
    labels = predictions.labels
    positive = positive_label(labels, plan.positive)
    values = totals or figures(predictions)
    weights = resampling.weights(len(predictions), len(labels))
    samples = np.array([figures(predictions, w).flat for w in weights])
    summary = resampling.summarise(values.flat, samples, plan.level)
    found = as_figures(within_bounds(summary, len(labels)))
    if confusion is None:
        confusion = _confusion(predictions)
    cost, no_cost = _cost(predictions, plan, positive, resampling)
    return Assessment(
        len(confusion),
        len(predictions),
        dict(zip(OVERALL, found, strict=False)),
        _by_class(labels, found[len(OVERALL) :]),
        confusion,
        positive,
        {
            name: compare_groups(predictions, name, positive, resampling, plan.level)
            for name in predictions.groups
        },
        cost,
        no_cost,
        resampling.description,
        plan.level,
    )


def positive_label(labels: Any, wanted: Hashable | None) -> Hashable | None:
    """Return the positive class: the wanted one, of two classes the second, of more none."""
    if wanted is None:
        positive: Hashable | None = labels[1] if len(labels) == 2 else None
        return positive
    if wanted not in labels:
        shown = ", ".join(map(repr, labels[:10])) + (", ..." if len(labels) > 10 else "")
        raise ValueError(f"there is no class {wanted!r} to be the positive one; there are {shown}")
    return wanted


def as_figures(found: Any) -> list[Figure]:
    """Return the columns of value, low and high."""
    return [Figure(*column) for column in found.T.tolist()]


def _by_class(labels: Any, found: list[Figure]) -> dict[Hashable, dict[str, Figure]]:
    width = len(BY_CLASS)
    return {
        label: dict(zip(BY_CLASS, found[k * width : (k + 1) * width], strict=True))
        for k, label in enumerate(labels)
    }


def _confusion(predictions: Predictions) -> Confusion:
    labels, confusion = predictions.labels, Confusion()
    confusion.update(
        [labels[k] for k in predictions.truth.tolist()],
        [labels[k] for k in predictions.predicted.tolist()],
    )
    return confusion


def _cost(
    predictions: Predictions, plan: Plan, positive: Hashable | None, resampling: Resampling
) -> tuple[CostReport | None, str | None]:
    if plan.costs is None:
        return None, None
    if predictions.p is None:
        return None, "costs need probabilities, and this learner gives none"
    labels = predictions.labels
    if len(labels) < 2:
        return None, f"costs need two classes, and all rows are {labels[0]!r}"
    if positive is None:
        return None, (
            f"there are {len(labels)} classes, and costs need two; name the positive one, which is "
            "then taken against all others"
        )
    k = labels.index(positive)
    parts = resampling.fold_of if isinstance(resampling, Folds) else None
    is_positive = predictions.truth == k
    return cost_report(predictions.p[:, k], is_positive, plan.costs, positive, parts), None


def _labels(name: str, values: Any) -> list[Hashable]:
    """Return one column of labels as a list of Python's own values."""
    labels = label_list(name, values)
    return values.tolist() if hasattr(values, "tolist") else labels


def _predicted(p: Any, known: list[Hashable]) -> list[Hashable]:
    return [known[k] for k in p.argmax(axis=1).tolist()]


def _group_columns(
    groups: Mapping[str, Iterable[Any]] | None, n_rows: int
) -> dict[str, GroupColumn]:
    columns = {str(name): GroupColumn.of(column) for name, column in (groups or {}).items()}
    for name, column in columns.items():
        if len(column.codes) != n_rows:
            raise ValueError(
                f"the group column {name!r} has {len(column.codes)} rows, y_true has {n_rows}"
            )
    return columns


def _fold_codes(folds: ArrayLike, n_rows: int) -> Any:
    codes = np.asarray(folds)
    if codes.shape != (n_rows,) or codes.dtype.kind not in "iu":
        raise ValueError("folds must be whole numbers from 0, one for each row")
    if set(np.unique(codes).tolist()) != set(range(int(codes.max()) + 1)) or codes.max() < 1:
        raise ValueError("folds must be numbered 0, 1, ..., with rows in each, and at least two")
    return codes.astype(np.int32)
