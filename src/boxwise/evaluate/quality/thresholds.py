"""The threshold of a probability at which decisions cost least."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.evaluate.quality.predictions import Floats
from boxwise.evaluate.quality.text import cost_text

KINDS = ("fn", "fp")


@dataclass(frozen=True)
class Costs:
    """The costs of errors of two kinds.

    Attributes
    ----------
    fn : float
        The cost of a false negative: a row of the positive class that is taken for another.
    fp : float
        The cost of a false positive: a row of another class that is taken for the positive one.

    Examples
    --------
    >>> from boxwise.evaluate import Costs
    >>> costs = Costs(fn=5, fp=1)
    >>> round(costs.calibrated_threshold, 3)  # the best one if probabilities are calibrated
    0.167
    """

    fn: float
    fp: float

    def __post_init__(self) -> None:
        for kind in KINDS:
            cost = getattr(self, kind)
            is_number = isinstance(cost, int | float) and not isinstance(cost, bool)
            if not (is_number and 0 <= cost < math.inf):
                raise ValueError(f"the cost {kind} must be a number, at least 0, not {cost!r}")
        if self.fn == self.fp == 0:
            raise ValueError("fn and fp are both 0: then every threshold costs the same")

    @classmethod
    def read(cls, costs: Any) -> Costs:
        """Return the costs that a mapping or a text such as ``"fn=5,fp=1"`` gives."""
        if isinstance(costs, Costs):
            return costs
        if isinstance(costs, str):
            costs = _parsed(costs)
        if not isinstance(costs, Mapping):
            raise TypeError(f"costs are a mapping or a text such as 'fn=5,fp=1', not {costs!r}")
        unknown = [kind for kind in costs if kind not in KINDS]
        if unknown:
            raise ValueError(
                f"there is no cost {unknown[0]!r}; there are fn (a positive row that is missed) "
                "and fp (a false alarm), as in fn=5,fp=1"
            )
        lacking = [kind for kind in KINDS if kind not in costs]
        if lacking:
            raise ValueError(f"the cost {lacking[0]} is not given; give both, as in fn=5,fp=1")
        return cls(**costs)

    @property
    def calibrated_threshold(self) -> float:
        """The threshold that costs least if the probabilities are calibrated: fp/(fn+fp)."""
        return self.fp / (self.fn + self.fp)

    def __str__(self) -> str:
        return f"fn={self.fn:g}, fp={self.fp:g}"


def _parsed(text: str) -> dict[str, float]:
    costs: dict[str, float] = {}
    for part in text.split(","):
        kind, equals, number = (piece.strip() for piece in part.partition("="))
        if not equals or not kind:
            raise ValueError(f"{part.strip()!r} is no cost; costs are given as in fn=5,fp=1")
        if kind in costs:
            raise ValueError(f"the cost {kind!r} is given twice")
        try:
            costs[kind] = float(number)
        except ValueError:
            raise ValueError(f"the cost {kind} is {number!r}, which is not a number") from None
    return costs


@dataclass(frozen=True)
class Decision:
    """A way to decide, and the cost of its errors.

    Attributes
    ----------
    name : str
        ``"best"``, ``"0.5"``, ``"calibrated"``, ``"always"`` or ``"never"``.
    threshold : float
        A row is taken for positive if its probability is at least this. 0 is always, infinity
        never.
    false_negatives, false_positives : int
        The errors.
    cost : float
        Their cost.
    """

    name: str
    threshold: float
    false_negatives: int
    false_positives: int
    cost: float


@dataclass(frozen=True, repr=False)
class CostReport:
    """The cost of decisions by different thresholds.

    Attributes
    ----------
    costs : Costs
        The cost of each kind of error.
    positive : hashable
        The positive class.
    rows, positives : int
        The rows, and how many of them are of the positive class.
    decisions : list of Decision
        The best threshold, 0.5, the one that is best if the probabilities are calibrated, always
        and never positive.
    held_out : tuple of float, or None
        The cost per row of the threshold that is best on other rows, on rows that did not choose
        it, and the cost per row of 0.5 on these rows.
    chosen_on : str
        Which rows choose it.
    """

    costs: Costs
    positive: Hashable
    rows: int
    positives: int
    decisions: list[Decision]
    held_out: tuple[float, float] | None
    chosen_on: str

    @property
    def best(self) -> Decision:
        """The threshold with the least cost."""
        return self.decisions[0]

    def __repr__(self) -> str:
        return cost_text(self)


def best_threshold(p: Floats, positive: NDArray[np.bool_], costs: Costs) -> float:
    """Return the threshold at which the errors cost least; 0 is always, infinity never.

    Of all thresholds that give the same decisions it is the shortest decimal number; of several
    that cost the same, the one nearest to `Costs.calibrated_threshold`.

    Parameters
    ----------
    p : array
        The probability of the positive class of each row.
    positive : array of bool
        Whether each row is of the positive class.
    costs : Costs
        The costs of errors.

    Examples
    --------
    >>> import numpy as np
    >>> from boxwise.evaluate import Costs, best_threshold
    >>> p, positive = np.array([0.1, 0.3, 0.42, 0.9]), np.array([False, True, False, True])
    >>> best_threshold(p, positive, Costs(fn=1, fp=1))
    0.5
    >>> best_threshold(p, positive, Costs(fn=3, fp=2))
    0.3
    """
    values, rank = np.unique(p, return_inverse=True)
    true = np.bincount(rank, positive, len(values))
    false = np.bincount(rank, ~positive, len(values))
    # Cost with the values from the i-th on taken for positive; the last: never positive.
    missed = np.concatenate([[0.0], np.cumsum(true)])
    alarms = false.sum() - np.concatenate([[0.0], np.cumsum(false)])
    cost = costs.fn * missed + costs.fp * alarms
    least = np.flatnonzero(cost <= cost.min() * (1 + 1e-12))
    ends: list[float] = [-math.inf, *values.tolist(), math.inf]
    wanted = costs.calibrated_threshold
    nearest = [_in_gap(ends[i], ends[i + 1], wanted) for i in least.tolist()]
    return float(min(nearest, key=lambda t: (abs(t - wanted), t)))


def _in_gap(low: float, high: float, wanted: float) -> float:
    """Return a threshold above `low`, at most `high`: the wanted one or a short one near it."""
    if low < wanted <= high:
        return wanted
    if low >= 1:
        return math.inf
    for digits in range(1, 17):
        scale = 10.0**digits
        # The multiple next to the end that is nearer to the wanted threshold.
        short = (math.floor(low * scale) + 1 if wanted <= low else math.floor(high * scale)) / scale
        if low < short <= high:
            return short
    return high


def cost_of(
    p: Floats, positive: NDArray[np.bool_], threshold: float, costs: Costs
) -> tuple[int, int, float]:
    """Return the false negatives, the false positives and their cost at a threshold."""
    taken = p >= threshold
    missed, alarms = int((positive & ~taken).sum()), int((taken & ~positive).sum())
    return missed, alarms, costs.fn * missed + costs.fp * alarms


def cost_report(
    p: Floats,
    positive: NDArray[np.bool_],
    costs: Costs,
    label: Hashable,
    parts: NDArray[np.int32] | None = None,
) -> CostReport:
    """Return the costs of decisions by different thresholds.

    Parameters
    ----------
    p, positive, costs
        As in `best_threshold`.
    label : hashable
        The positive class.
    parts : array of int, optional
        The fold of each row, from 0: the rows of a fold are decided by the threshold that is best
        on the other folds. Without it, the second half of the rows by the one of the first half.
    """
    thresholds = {
        "best": best_threshold(p, positive, costs),
        "0.5": 0.5,
        "calibrated": costs.calibrated_threshold,
        "always": 0.0,
        "never": math.inf,
    }
    decisions = [
        Decision(name, t, *cost_of(p, positive, t, costs)) for name, t in thresholds.items()
    ]
    if parts is None:
        half = np.arange(len(p)) >= len(p) // 2
        chosen_on, tests = "the first half", [half]
    else:
        chosen_on = "the other folds"
        tests = [parts == part for part in range(int(parts.max()) + 1)]
    held_out = _held_out(p, positive, costs, tests)
    return CostReport(costs, label, len(p), int(positive.sum()), decisions, held_out, chosen_on)


def _held_out(
    p: Floats, positive: NDArray[np.bool_], costs: Costs, tests: list[NDArray[np.bool_]]
) -> tuple[float, float] | None:
    """Return the cost per row of thresholds chosen on other rows, and of 0.5 on the same rows."""
    chosen_cost = plain_cost = rows = 0.0
    for test in tests:
        if test.all() or not test.any():
            return None
        t = best_threshold(p[~test], positive[~test], costs)
        chosen_cost += cost_of(p[test], positive[test], t, costs)[2]
        plain_cost += cost_of(p[test], positive[test], 0.5, costs)[2]
        rows += test.sum()
    return (chosen_cost / rows, plain_cost / rows) if rows else None
