"""From an estimator's parameters to what the engine asks for, with errors for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from boxwise.core import EntropySettings, EvidenceSettings, Range, Settings, survey
from boxwise.inputs import Batch
from boxwise.inputs.numbers import LIMIT
from boxwise.schema import Schema, show

SCALES = ("range", "quantile")
MOST_JOBS = 2**20  # more threads than any machine starts
LARGEST_GAMMA = 1e6  # so that a distance times gamma, over a narrow range, is still a number
# To what power the rows of a class are taken out of its probability.
PRIORS = {"data": [0.0], "balanced": [1.0], "auto": [0.0, 0.25, 0.5, 0.75, 1.0]}


def entropy_settings(
    theta: Any,
    delta: Any,
    alpha: Any,
    gamma: Any,
    schema: Schema,
    *,
    mean: bool,
    max_boxes: Any = None,
) -> EntropySettings:
    """Check the parameters against the columns."""
    share = _alpha(alpha, schema)
    most = _max_boxes(max_boxes)
    return EntropySettings(
        theta=number("theta", theta, 0),
        delta=number("delta", delta, 0, 1),
        alpha=share,
        gamma=gammas(gamma, schema),
        mean=mean,
        max_boxes=most,
    )


def _max_boxes(max_boxes: Any) -> int:
    if max_boxes is None:
        return 0
    whole = isinstance(max_boxes, Integral) and not isinstance(max_boxes, bool)
    if not (whole and 1 <= max_boxes < 2**53):
        raise ValueError(
            f"max_boxes must be None or a whole number from 1 up, not {show(max_boxes)}"
        )
    return int(max_boxes)


def for_columns(settings: Settings, alpha: Any, gamma: Any, schema: Schema) -> Settings:
    """Return settings that were made for other columns, of the same parameters, for these."""
    if isinstance(settings, EvidenceSettings):
        return settings
    fitting = {"alpha": _alpha(alpha, schema), "gamma": gammas(gamma, schema)}
    return type(settings)(**{**vars(settings), **fitting})


def _alpha(alpha: Any, schema: Schema) -> float:
    if not isinstance(alpha, str):
        return number("alpha", alpha, 0, 1)
    if alpha != "auto":
        raise ValueError(f"alpha must be 'auto' or a number from 0 to 1, not {alpha!r}")
    return len(schema.numeric) / (len(schema.numeric) + len(schema.categorical))


def evidence_settings(
    theta: Any,
    delta: Any,
    max_boxes: Any,
    adapt: Any,
    class_prior: Any,
    additive: Any,
    monotone: list[list[Any]],
) -> EvidenceSettings:
    """Check the parameters of the learner that decides by evidence."""
    if not isinstance(class_prior, str) or class_prior not in PRIORS:
        raise ValueError(
            f"class_prior must be 'data', 'balanced' or 'auto', not {show(class_prior)}"
        )
    for name, switch in (("adapt", adapt), ("additive", additive)):
        if type(switch) is not bool and not isinstance(switch, np.bool_):
            raise ValueError(f"{name} must be True or False, not {show(switch)}")
    if monotone and not additive:
        raise ValueError(
            "monotonic_cst constrains curves, which there are none of with additive=False; leave "
            "additive at True, or monotonic_cst at None"
        )
    return EvidenceSettings(
        theta=number("theta", theta, 0),
        delta=number("delta", delta, 0, 1),
        max_boxes=_max_boxes(max_boxes),
        adapt=bool(adapt),
        priors=PRIORS[class_prior],
        additive=bool(additive),
        monotone=monotone,
    )


def gammas(gamma: Any, schema: Schema) -> list[float]:
    """Return one gamma per numeric column."""
    n = len(schema.numeric)
    if isinstance(gamma, np.ndarray) and gamma.ndim == 0:
        gamma = gamma.item()
    if isinstance(gamma, float | int | str) or not isinstance(gamma, Sequence | np.ndarray):
        return [number("gamma", gamma, 0, LARGEST_GAMMA, above=True)] * n
    if len(gamma) != n:
        raise ValueError(
            f"gamma has {len(gamma)} numbers, but there are {n} numeric columns "
            f"({', '.join(schema.numeric_names[:5])}{', ...' * (n > 5)})"
        )
    return [number("gamma", g, 0, LARGEST_GAMMA, above=True) for g in gamma]


def check_n_jobs(n_jobs: Any) -> None:
    """Raise ValueError unless it says with how many threads to predict."""
    if n_jobs is None:
        return
    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if not whole or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a whole number other than 0, not {show(n_jobs)}")
    if not -MOST_JOBS <= n_jobs <= MOST_JOBS:
        raise ValueError(f"n_jobs must be at most {MOST_JOBS}, not {show(n_jobs)}")


def check_ranges(feature_range: Any, scale: Any) -> None:
    """Check the parameters by themselves: a range may be that of a column which is yet to come."""
    _check_scale(scale)
    if isinstance(feature_range, Mapping):
        for column, pair in feature_range.items():
            _to_range(pair, f"feature_range of column {show(column)}")
    elif isinstance(feature_range, Sequence) and not isinstance(feature_range, str):
        _to_range(feature_range, "feature_range")
    elif not (isinstance(feature_range, str) and feature_range == "data"):
        raise _no_range(feature_range)


def engine_ranges(
    feature_range: Any, scale: Any, schema: Schema, batch: Batch | None
) -> list[Range]:
    """Return the range of each numeric column, with its scale if there is to be one.

    Parameters
    ----------
    feature_range : "data", a pair, or a mapping from column to pair
        As the estimators take it.
    scale : "range" or "quantile"
        As the estimators take it.
    schema : Schema
        The columns.
    batch : Batch or None
        The rows whose ranges are known from the start; None lets the ranges grow from nothing.
    """
    _check_scale(scale)
    ranges = _ranges(feature_range, schema, batch)
    if scale == "range":
        return ranges
    if not all(r.growing for r in ranges):
        raise ValueError(
            "with scale='quantile' columns are measured by the ranks of their values, so no range "
            "can be fixed: leave feature_range at 'data', or use scale='range'"
        )
    nothing = np.empty((0, len(ranges)))
    lower, upper = (nothing, nothing) if batch is None else (batch.lower, batch.upper)
    return [
        r._replace(scale=survey(*map(np.ascontiguousarray, (lower[:, j], upper[:, j]))))
        for j, r in enumerate(ranges)
    ]


def _check_scale(scale: Any) -> None:
    if not isinstance(scale, str) or scale not in SCALES:
        raise ValueError(f"scale must be 'range' or 'quantile', not {show(scale)}")


def _no_range(feature_range: Any) -> ValueError:
    return ValueError(
        "feature_range must be 'data', a pair (low, high) or a mapping from column to such a "
        f"pair, not {show(feature_range)}"
    )


def _ranges(feature_range: Any, schema: Schema, batch: Batch | None) -> list[Range]:
    if isinstance(feature_range, str) and feature_range == "data":
        given: dict[int, Range] = {}
    elif isinstance(feature_range, Mapping):
        given = dict(_fixed_range(column, pair, schema) for column, pair in feature_range.items())
    elif isinstance(feature_range, Sequence) and not isinstance(feature_range, str):
        fixed = _to_range(feature_range, "feature_range")
        given = dict.fromkeys(schema.numeric, fixed)
    else:
        raise _no_range(feature_range)
    if not given and batch is None:
        return [Range()] * len(schema.numeric)
    return [
        given.get(column) or (Range() if batch is None else _data_range(batch, j))
        for j, column in enumerate(schema.numeric)
    ]


def _data_range(batch: Batch, j: int) -> Range:
    seen = ~np.isnan(batch.lower[:, j])
    if not seen.any():
        return Range()
    return Range(float(batch.lower[seen, j].min()), float(batch.upper[seen, j].max()))


def _fixed_range(column: Any, pair: Any, schema: Schema) -> tuple[int, Range]:
    if isinstance(column, Integral):
        position = int(column) if column in range(schema.n_features) else None
    else:
        position = schema.names.index(str(column)) if str(column) in schema.names else None
    if position not in (*schema.numeric, *schema.unknown):
        raise ValueError(
            f"feature_range names {column!r}, which is not a numeric column; the numeric "
            f"columns are {', '.join(schema.numeric_names) or 'none'}"
        )
    return position, _to_range(pair, f"feature_range of column {column!r}")


def _to_range(pair: Any, what: str) -> Range:
    try:
        low, high = (float(bound + 0) for bound in pair)  # not text, even if it looks like a number
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} must be a pair (low, high), not {show(pair)}") from None
    if not -LIMIT <= low < high <= LIMIT:
        raise ValueError(
            f"{what} must have a low end below its high end, both within ±{LIMIT:g}, "
            f"not {show(pair)}"
        )
    return Range(low, high, growing=False)


def number(
    name: str, value: Any, low: float, high: float = math.inf, *, above: bool = False
) -> float:
    """Return a parameter as a float, or raise ValueError with the bounds in words."""
    # The type first: this runs for every row learned on its own, and Real is slow to ask.
    is_number = type(value) is float or (isinstance(value, Real) and not isinstance(value, bool))
    try:
        x = float(value) if is_number else math.nan
    except OverflowError:  # an integer beyond all floats
        x = math.inf
    if (low < x if above else low <= x) and x <= high and x < math.inf:
        return x
    bounds = f"above {low:g}" if above else f"from {low:g}"
    bounds += f" to {high:g}" if high < math.inf else " up"
    raise ValueError(f"{name} must be a number {bounds}, not {show(value)}")
