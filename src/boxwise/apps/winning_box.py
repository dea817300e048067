"""The box that decides a prediction."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.files import TypedChunk

MEMORY = 32 * 1024 * 1024  # bytes of memberships at a time


class WinningBoxes:
    """Finds, for rows and their predictions, the box of that class with the largest membership.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> rows = {"age": [20.0, 60.0], "job": ["cook", "smith"]}
    >>> clf = HyperboxClassifier().fit(rows, ["no", "yes"])
    >>> chunk = TypedChunk([1, 2], rows, [])
    >>> for box, membership, rule in WinningBoxes(clf).of(chunk, clf.predict(rows)):
    ...     print(box, membership, rule)
    0 1.0 no, 1 row: age 20; job is cook
    1 1.0 yes, 1 row: age 60; job is smith
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._boxes = model.boxes_
        labels = self._boxes.labels.tolist()
        self._of_class: dict[object, NDArray[np.intp]] = {
            label: np.array([i for i, other in enumerate(labels) if other == label])
            for label in set(labels)
        }
        self._describe = lru_cache(maxsize=10_000)(self._boxes.describe)

    def of(self, chunk: TypedChunk, predictions: NDArray[Any]) -> Iterator[tuple[int, float, str]]:
        """Yield the number of the box, the membership in it, and the box in words."""
        rows_at_a_time = max(1, MEMORY // (8 * max(1, len(self._boxes))))
        for begin in range(0, chunk.n_rows, rows_at_a_time):
            rows = slice(begin, begin + rows_at_a_time)
            degrees = self._model.membership(chunk.part(rows).columns)
            for row, label in zip(degrees, predictions[rows].tolist(), strict=True):
                boxes = self._of_class[label]
                winner = int(boxes[np.argmax(row[boxes])])
                yield winner, float(row[winner]), self._describe(winner)
