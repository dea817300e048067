"""The boxes that a rule stands for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from boxwise.core import Boxes
from boxwise.rules.condition import Between, Condition, OneOf
from boxwise.schema import Schema


def boxes_within(
    conditions: Sequence[Condition], label: object, boxes: Boxes, schema: Schema
) -> tuple[int, ...]:
    """Return the boxes of a class that lie, as a whole, where all conditions hold."""
    inside = np.array([own == label for own in boxes.labels.tolist()], bool)
    numbers = {name: k for k, name in enumerate(schema.numeric_names)}
    sets = {name: k for k, name in enumerate(schema.categorical_names)}
    for condition in conditions:
        if isinstance(condition, Between):
            k = numbers[condition.column]
            low, high = boxes.lower[:, k], boxes.upper[:, k]
            inside &= ~((low < condition.lower) | (high > condition.upper))
        else:
            k, listed = sets[condition.column], {*condition.values}
            wanted = isinstance(condition, OneOf)
            for i in np.flatnonzero(inside).tolist():
                seen = boxes.counts[i][k]
                inside[i] = all((value in listed) == wanted for value in seen)
    return tuple(np.flatnonzero(inside).tolist())
