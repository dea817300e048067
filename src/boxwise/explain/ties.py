"""Ties between classes, and how they are broken: equation (6) of the paper."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.explain.box_arrays import BoxArrays
from boxwise.explain.explanation import DecidedBy, Tie, TiedClass


def tied_boxes(
    degrees: NDArray[np.float64], won: int, labels: list[Any], arrays: BoxArrays
) -> Tie | None:
    """Return the boxes that have the largest membership, if there are several.

    (6) gives their class to the one with most rows in them. The membership is the same in all, so
    the rows alone decide; where it is 0, or they are equal, the class seen first does.
    """
    known = np.flatnonzero(arrays.label >= 0)
    best = degrees[known].max()
    winners = known[degrees[known] == best]
    if len(winners) == 1:
        return None
    of_class = {
        int(k): winners[arrays.label[winners] == k] for k in np.unique(arrays.label[winners])
    }
    tied = _winner_first(of_class, won, labels, arrays)
    return Tie(tied, _decided_by(tied, float(best)))


def _decided_by(tied: tuple[TiedClass, ...], best: float) -> DecidedBy:
    winner, *others = tied
    if not others:
        return "class"
    if best > 0 and all(winner.rows > other.rows for other in others):
        return "rows"
    return "first seen"


def tied_classes(
    probabilities: NDArray[np.float64], won: int, labels: list[Any], arrays: BoxArrays
) -> Tie | None:
    """Return the classes that are equally probable, if there are several."""
    # The engine adds the least there is to the winner of a tie, so that it is the largest.
    level = np.nextafter(probabilities[won], 0.0)
    tied = [k for k in np.flatnonzero(probabilities >= level).tolist() if k in arrays.members]
    if len(tied) < 2:
        return None
    of_class = {k: arrays.present_of(k) for k in tied}
    return Tie(_winner_first(of_class, won, labels, arrays), "first seen")


def _winner_first(
    of_class: dict[int, NDArray[np.intp]], won: int, labels: list[Any], arrays: BoxArrays
) -> tuple[TiedClass, ...]:
    return tuple(
        TiedClass(labels[k], tuple(boxes.tolist()), arrays.n[boxes].sum().item())
        for k, boxes in sorted(of_class.items(), key=lambda item: item[0] != won)
    )
