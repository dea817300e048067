"""The conditions of a box that bind, and the columns that matter most.

In: a model and its boxes. Out: the columns in order of relevance, and whether a condition on one is
lifted, so that it hardly keeps rows out. Models that do not decide by evidence have no relevance:
their columns stay in the order of the input, and no condition is lifted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from math import e, sqrt

import numpy as np
from numpy.typing import NDArray

from boxwise.core import Boxes, EvidenceSettings, Model

NEARLY_ALL = 0.9  # of all rows: values that make up so many say nothing of a box
MOST_MULTIPLIER = e  # of a categorical column whose values keep hardly any row out of a box
MOST_CONDITIONS = 5  # of a rule, where columns have a relevance to choose by


class Binding:
    """The relevance of columns and the limits that are lifted, at one moment.

    Attributes
    ----------
    present : array of bool
        By box: whether it belongs to the current expert; retired and challenging ones do not.
    """

    def __init__(self, model: Model, boxes: Boxes) -> None:
        self._boxes = boxes
        self._positions = [*model.schema.numeric, *model.schema.categorical]
        self._first_categorical = len(model.schema.numeric)
        self._multipliers: list[float] | None = None
        self.present: NDArray[np.bool_] = np.ones(len(boxes), bool)
        if isinstance(model.settings, EvidenceSettings):
            self._theta = model.settings.theta
            self._multipliers = model.engine.multipliers[: len(self._positions)]
            self.present = model.engine.snapshot()["place"][:, 0] == 0
        self._totals = cache(self._count_values)

    def order(self, columns: Iterable[int]) -> list[int]:
        """Return columns, by position, the most relevant first."""
        if self._multipliers is None:
            return [*columns]
        of_column = dict(zip(self._positions, self._multipliers, strict=True))
        return sorted(columns, key=lambda j: of_column[j])

    @property
    def most_conditions(self) -> int | None:
        """How many conditions a rule keeps, those on the most relevant columns; None: all."""
        return None if self._multipliers is None else MOST_CONDITIONS

    def is_lifted(self, j: int, values: Iterable[object] = ()) -> bool:
        """Say whether a condition on column `j` hardly keeps rows out of a box.

        For a numeric column: a box may be as long as the scale. For a categorical one: entropy
        hardly counts, or the values make up nearly all rows.
        """
        if self._multipliers is None:
            return False
        place = self._positions.index(j)
        multiplier = self._multipliers[place]
        if place < self._first_categorical:
            return self._theta * sqrt(multiplier) >= 1
        totals = self._totals(place - self._first_categorical)
        held = sum(totals[value] for value in {*values})
        return multiplier > MOST_MULTIPLIER or held >= NEARLY_ALL * totals.total()

    def _count_values(self, k: int) -> Counter[object]:
        totals: Counter[object] = Counter()
        for i in np.flatnonzero(self.present).tolist():
            totals.update(self._boxes.counts[i][k])
        return totals
