"""Rows of data to draw: where they are on each axis, and their classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.inputs import encode
from boxwise.inputs.labels import encode_labels
from boxwise.plot.scales import CategoryScale
from boxwise.plot.view import View
from boxwise.schema import Vocabulary


class Rows:
    """Rows as the model of a view reads them.

    Attributes
    ----------
    class_of : array
        The class of each row; -1 where it has none or one that the model does not know.
    """

    def __init__(self, view: View, X: Any, labels: Any = None, upper: Any = None) -> None:
        self._view = view
        self._batch = encode(X, view.schema, learn=False, upper=upper)
        self.labelled = labels is not None
        self.class_of = np.full(self._batch.n_rows, -1)
        if labels is not None:
            known = Vocabulary(view.classes)
            codes, _ = encode_labels(
                labels, known, n_rows=self._batch.n_rows, unlabelled=_mark(view.model)
            )
            self.class_of = np.where(codes < len(known), codes, -1)

    def __len__(self) -> int:
        return self._batch.n_rows

    def numbers(self, j: int) -> NDArray[np.float64]:
        """Return column `j`, of numbers: the middle of an interval, NaN where it is missing."""
        k = self._view.schema.numeric.index(j)
        middle: NDArray[np.float64] = (self._batch.lower[:, k] + self._batch.upper[:, k]) / 2
        return middle

    def slots(self, j: int, scale: CategoryScale) -> NDArray[np.float64]:
        """Return the slots of column `j`, of categories, NaN where there is none."""
        k = self._view.schema.categorical.index(j)
        found: NDArray[np.float64] = scale.slots(self._view.vocabulary(j).values)[
            self._batch.codes[:, k]
        ]
        return found


def _mark(model: Any) -> object:
    """Return the mark of rows without a label; without one, missing labels are taken for it."""
    return float("nan") if model.unlabelled is None else model.unlabelled
