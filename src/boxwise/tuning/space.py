"""The search space: ranges and choices, given or by default."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from boxwise.learners.base.hyperbox_learner import HyperboxLearner
from boxwise.schema import Schema, show

SHARE = (0.0, 1.0)
WHOLE = ("max_boxes",)  # parameters that are whole numbers


def default_space(classifier: HyperboxLearner, schema: Schema) -> dict[str, Any]:
    """Return a range or choices for each parameter that plays a part with these columns."""
    n, r = len(schema.numeric), len(schema.categorical)
    known: dict[str, tuple[bool, Any]] = {
        "theta": (n > 0, (0.01, 1.0)),
        "delta": (r > 0, SHARE),
        "beta": (r > 0, SHARE),
        "eta": (r > 0, SHARE),
        "alpha": (n > 0 and r > 0, SHARE),
        "version": (r > 1, [1, 2]),
        "condition": (r > 1, ["each", "mean"]),
        "similarity": (n > 0, ["short", "long", "mid"]),
        "min_similarity": (True, SHARE),
    }
    own = classifier.get_params()
    space = {name: values for name, (plays, values) in known.items() if plays and name in own}
    if not space:
        raise ValueError(
            f"there is no default space for {type(classifier).__name__}; give one, such as "
            "space={'theta': (0.01, 1)}"
        )
    return space


def as_range(name: str, given: tuple[Any, ...]) -> tuple[float, float]:
    """Check a range of numbers."""
    if len(given) != 2 or not all(isinstance(end, Real) and math.isfinite(end) for end in given):
        raise ValueError(
            f"the space of {name} must be a range (low, high) of numbers, not {show(given)}; "
            "choices are given as a list"
        )
    low, high = (float(end) for end in given)
    if name in WHOLE and not (low.is_integer() and high.is_integer()):
        raise ValueError(f"the range of {name} must be of whole numbers, not {show(given)}")
    if not low < high:
        raise ValueError(
            f"the range of {name} is empty: {low:g} is not below {high:g}; a single value is "
            f"given as a list, [{low:g}]"
        )
    return low, high


def as_choices(name: str, given: Any) -> list[Any]:
    """Check a list of choices; NumPy's numbers become Python's."""
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str):
        raise ValueError(
            f"the space of {name} must be a range (low, high), a list of choices or an Optuna "
            f"distribution, not {show(given)}"
        )
    if not len(given):
        raise ValueError(f"the space of {name} is empty: it has no choices")
    return [choice.item() if isinstance(choice, np.generic) else choice for choice in given]


def are_plain(choices: list[Any]) -> bool:
    """Say whether Optuna can take the choices as they are."""
    return all(isinstance(choice, bool | int | float | str | None) for choice in choices)
