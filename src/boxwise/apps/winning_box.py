"""The box that decides a prediction, or has the largest part in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EvidenceSettings
from boxwise.files import TypedChunk

MEMORY = 32 * 1024 * 1024  # bytes of memberships or shares at a time


class WinningBoxes:
    """Finds, for rows and their predictions, the box of that class that says most.

    That is the one with the largest membership; where all boxes decide together, the one that
    carried the largest share of the decision. `measure` says which of the two is told.

    Examples
    --------
    >>> from boxwise import HyperboxClassifier
    >>> rows = {"age": [20.0, 60.0], "job": ["cook", "smith"]}
    >>> clf = HyperboxClassifier().fit(rows, ["no", "yes"])
    >>> chunk = TypedChunk([1, 2], rows, [])
    >>> for box, share, rule in WinningBoxes(clf).of(chunk, clf.predict(rows)):
    ...     print(box, f"{share:.2f}", rule)
    0 1.00 no, 1 row: age 20; job is cook
    1 1.00 yes, 1 row: age 60; job is smith
    """

    def __init__(self, model: Any) -> None:
        by_evidence = isinstance(model._fitted().settings, EvidenceSettings)
        self.measure = "share" if by_evidence else "membership"
        self._degrees = model.responsibilities if by_evidence else model.membership
        self._boxes = model.boxes_
        labels = self._boxes.labels.tolist()
        self._of_class: dict[object, NDArray[np.intp]] = {
            label: np.array([i for i, other in enumerate(labels) if other == label])
            for label in set(labels)
        }
        self._describe = lru_cache(maxsize=10_000)(self._boxes.describe)

    def of(self, chunk: TypedChunk, predictions: NDArray[Any]) -> Iterator[tuple[int, float, str]]:
        """Yield the number of the box, its membership or share, and the box in words."""
        rows_at_a_time = max(1, MEMORY // (8 * max(1, len(self._boxes))))
        for begin in range(0, chunk.n_rows, rows_at_a_time):
            rows = slice(begin, begin + rows_at_a_time)
            degrees = self._degrees(chunk.part(rows).columns)
            for row, label in zip(degrees, predictions[rows].tolist(), strict=True):
                boxes = self._of_class[label]
                winner = int(boxes[np.argmax(row[boxes])])
                yield winner, float(row[winner]), self._describe(winner)
