"""The box that decides a prediction, or has the largest part in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boxwise.core import EvidenceSettings, Model
from boxwise.inputs import Batch

MEMORY = 32 * 1024 * 1024  # bytes of memberships or shares at a time


@dataclass(frozen=True)
class Decisions:
    """Some rows, with the decisions of the model.

    Attributes
    ----------
    begin : int
        The place of the first of them.
    batch : Batch
        The rows.
    codes : array
        The predicted classes, as positions in `Model.labels`.
    degrees : array of shape (rows, boxes)
        Memberships, or by evidence the shares of the decision.
    """

    begin: int
    batch: Batch
    codes: NDArray[np.int32]
    degrees: NDArray[np.float64]


def by_evidence(model: Model) -> bool:
    """Return whether all boxes of a class decide together."""
    return isinstance(model.settings, EvidenceSettings)


def decide(model: Model, batch: Batch, threads: int = 1) -> Iterator[Decisions]:
    """Yield the decisions of the model, as many rows at a time as memory allows."""
    degrees = model.responsibilities if by_evidence(model) else model.memberships
    rows_at_a_time = max(1, MEMORY // (8 * max(1, model.n_boxes)))
    for begin in range(0, batch.n_rows, rows_at_a_time):
        part = batch.part(slice(begin, begin + rows_at_a_time))
        yield Decisions(begin, part, model.predict(part, threads), degrees(part, threads))


def best_boxes(
    degrees: NDArray[np.float64], members: dict[int, NDArray[np.intp]]
) -> dict[int, NDArray[np.intp]]:
    """Return, for each class, the box with the largest part in each row; the oldest of several."""
    return {label: boxes[np.argmax(degrees[:, boxes], axis=1)] for label, boxes in members.items()}


def members_of(labels: NDArray[np.int32]) -> dict[int, NDArray[np.intp]]:
    """Return the boxes of each class; those without a class are of none."""
    return {int(k): np.flatnonzero(labels == k) for k in np.unique(labels) if k >= 0}


def winning_boxes(model: Model, batch: Batch, threads: int = 1) -> Iterator[tuple[int, float]]:
    """Yield the box of the predicted class with the largest part in each row, and that part.

    That is the one with the largest membership; by evidence, the one that carried the largest
    share of the decision. It works for models of every kind.
    """
    members = members_of(model.engine.snapshot()["label"])
    for part in decide(model, batch, threads):
        best = best_boxes(part.degrees, members)
        for i, code in enumerate(part.codes.tolist()):
            box = int(best[code][i])
            yield box, float(part.degrees[i, box])
