"""The additive layers of several models joined into one, by their information.

A filter of the layer is a normal distribution of weights; its information is the inverse of its
covariance. What the rows of several filters say adds up, and the first information, which every
filter starts with, counts once: ``L = L0 + sum(Li - L0)``, with the weights
``w0 + inv(L) sum(Li (wi - w0))``. For a linear model without drift that is exactly what one pass
over all rows comes to. Here it is an approximation: each filter has linearised about its own
weights and has read other boxes, and a hat has its place on each model's own quantiles.

Weights drift, so the first information fades: after n rows ``L0 / (1 + drift n)`` is left of it, as
of a random walk. Without that, weights whose variances have grown back to the first ones would
count as knowing nothing, and be summed instead of averaged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boxwise.core.settings import blank_layer
from boxwise.reference.additive import (
    DRIFTS,
    FIRST_OF_BOXES,
    FIRST_OF_HAT,
    FIRST_VARIANCE,
    HATS,
    MOST_COUPLED,
    OWN_VALUES,
)

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Slot: TypeAlias = tuple[int, int]  # a column and a place among its inputs

BIAS, BOXES = (-1, 0), (-1, 1)  # the first two inputs of every layer
LEAST_VARIANCE = 1e-8  # as a share of the first one; rounding may have left less
_DRIFTS = np.array(DRIFTS)


@dataclass(frozen=True)
class NewCodes:
    """The codes that the classes and values of a model have in the joined one, by old code."""

    labels: NDArray[np.int32]
    values: Sequence[NDArray[np.int32]]  # by categorical column


def join_layers(
    states: Sequence[Mapping[str, NDArray[Any]]],
    codes: Sequence[NewCodes],
    n_numeric: int,
    n_classes: int,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a layer that knows what those of all models know.

    Parameters
    ----------
    states : sequence of mappings
        The arrays of each model, of which those of its layer are read.
    codes : sequence of NewCodes
        The new codes for each model.
    n_numeric, n_classes : int
        The numeric columns, and the classes of the joined model.
    """
    parts = [
        _Part(state, own, n_numeric, n_classes)
        for state, own in zip(states, codes, strict=True)
        if state["layer"][0] > 1
    ]
    if not parts:
        return blank_layer()
    slots = [*dict.fromkeys(slot for part in parts for slot in part.slots)]
    n_filters = n_classes if n_classes > 2 else 1
    is_decoupled = any(part.is_decoupled for part in parts)
    is_decoupled |= n_filters * len(slots) ** 2 > MOST_COUPLED
    weights = np.zeros((len(DRIFTS), n_filters, len(slots)))
    weights[..., slots.index(BOXES)] = 1.0
    triangles = []
    for column, block in _blocks(slots, is_decoupled).items():
        moved, covariances = _joined(parts, column, [slots[i] for i in block], n_numeric, n_filters)
        weights[..., block] += moved
        triangles.append(covariances[..., *np.tril_indices(len(block))])
    return {
        "layer": np.array([n_classes, is_decoupled], np.uint64),
        "layer_slots": np.array(slots[2:], np.int32).reshape(-1, 2),
        "layer_rows": _total_rows(parts, slots),
        "layer_weights": weights.ravel(),
        "layer_covariances": np.concatenate(triangles, axis=-1).ravel(),
        "layer_losses": _mean_losses(parts),
    }


class _Part:
    """The layer of one model, with its inputs and filters named as in the joined one.

    Attributes
    ----------
    slots : list of pairs of int
        By input. Several values may share an input of the joined model: their weights are tied, and
        their information adds up as if their rows had had that input from the start. Rows of values
        that share an input here cannot be told apart any more, so they keep to it.
    filters : array of int
        The filters of the joined model that it knows.
    moved : array of shape (rates, filters, inputs)
        The weights less the first ones.
    rows : array
        By input: the sum of its values; that of the first, the bias, is `n_rows`.
    faded : array
        By rate: what the first information has been divided by. No variance has grown beyond the
        first one, and so none of a combination beyond the number of inputs.
    """

    def __init__(
        self, state: Mapping[str, NDArray[Any]], codes: NewCodes, n_numeric: int, n_classes: int
    ) -> None:
        old: list[Slot] = [BIAS, BOXES, *((int(j), int(i)) for j, i in state["layer_slots"])]
        self.slots = [_new_slot(slot, codes, n_numeric) for slot in old]
        self.is_decoupled = bool(state["layer"][1])
        self.rows: Floats = state["layer_rows"]
        self.losses: Floats = state["layer_losses"]
        self.n_rows = max(float(self.rows[0]), 0.0)
        self.faded: Floats = np.minimum(1 + _DRIFTS * self.n_rows, len(old))
        self.filters, source, signs = _matched(int(state["layer"][0]), codes.labels, n_classes)
        self._signs = np.repeat(signs[:, None], len(old), axis=1)
        self._signs[:, old.index(BOXES)] = 1.0  # a mirrored filter keeps that of the boxes
        weights = state["layer_weights"].reshape(len(DRIFTS), -1, len(old))[:, source]
        self.moved: Floats = weights * self._signs
        self.moved[..., old.index(BOXES)] -= 1.0
        self._blocks = _blocks(old, self.is_decoupled)
        self._covariances = {
            column: matrix[:, source]
            for column, matrix in _matrices(state["layer_covariances"], self._blocks).items()
        }

    def block(self, column: int | None) -> tuple[Indices, Floats]:
        """Return its inputs of a column, or all, and the covariances of their weights."""
        if column in self._blocks:
            own, covariances = self._blocks[column], self._covariances[column]
        else:
            own = np.flatnonzero([j == column for j, _ in self.slots])
            every = np.zeros((len(DRIFTS), len(self.filters), 0, 0))
            covariances = self._covariances.get(None, every)[..., own[:, None], own]
        signs = self._signs[:, own]
        return own, covariances * signs[:, :, None] * signs[:, None, :]


def _new_slot(slot: Slot, codes: NewCodes, n_numeric: int) -> Slot:
    column, place = slot
    if column < n_numeric:
        return slot
    new = codes.values[column - n_numeric]
    is_own = place < min(OWN_VALUES, len(new) - 1)  # the last entry is for no value
    return column, min(int(new[place]), OWN_VALUES) if is_own else OWN_VALUES


def _matched(n_old: int, labels: NDArray[np.int32], n_new: int) -> tuple[Indices, Indices, Floats]:
    """Return the filters of the joined model, those they come from, and -1 for mirrored ones.

    Two classes share the filter of the second.
    """
    if n_old > 2:
        filters = np.arange(n_old)
        return labels[filters].astype(np.intp), filters, np.ones(n_old)
    if n_new > 2:
        return labels[[0, 1]].astype(np.intp), np.array([0, 0]), np.array([-1.0, 1.0])
    return np.array([0]), np.array([0]), np.array([1.0 if labels[1] == 1 else -1.0])


def _blocks(slots: Sequence[Slot], is_decoupled: bool) -> dict[int | None, Indices]:
    """Return the inputs of each block by its column; None for the only one of all columns."""
    if not is_decoupled:
        return {None: np.arange(len(slots))}
    columns = np.array([column for column, _ in slots])
    return {int(j): np.flatnonzero(columns == j) for j in np.unique(columns)}


def _matrices(triangles: Floats, blocks: Mapping[int | None, Indices]) -> dict[int | None, Floats]:
    """Return the covariances of each block from their lower triangles, filter by filter."""
    sizes = {column: len(block) for column, block in blocks.items()}
    whole = sum(size * (size + 1) // 2 for size in sizes.values())
    left = triangles.reshape(len(DRIFTS), -1, whole)
    matrices = {}
    for column, size in sizes.items():
        rows, columns = np.tril_indices(size)
        own, left = np.split(left, [len(rows)], axis=-1)
        matrix = np.empty((*own.shape[:2], size, size))
        matrix[..., rows, columns] = matrix[..., columns, rows] = own
        matrices[column] = matrix
    return matrices


def _joined(
    parts: Sequence[_Part],
    column: int | None,
    slots: Sequence[Slot],
    n_numeric: int,
    n_filters: int,
) -> tuple[Floats, Floats]:
    """Return how far the weights of a block have moved, and their covariances.

    Weights are measured by their first standard deviations, so that the first information is 1.
    """
    place = {slot: i for i, slot in enumerate(slots)}
    units = np.sqrt([_first_variance(slot, n_numeric) for slot in slots])
    precision = np.zeros((len(DRIFTS), n_filters, len(slots), len(slots)))
    pull = np.zeros((len(DRIFTS), n_filters, len(slots)))
    faded = np.ones_like(pull)
    for part in parts:
        own, covariances = part.block(column)
        at = np.array([place[part.slots[i]] for i in own], np.intp)
        spread = np.eye(len(slots))[at]  # from inputs of the part to those of the joined model
        unit, share = units[at], part.faded[:, None, None]
        information = _inverse(covariances / np.outer(unit, unit), share)
        gained = information - np.eye(len(own)) / share[..., None]
        precision[:, part.filters] += spread.T @ gained @ spread
        moved = part.moved[..., own] / unit
        pull[:, part.filters] += np.einsum("efij,efj->efi", information, moved) @ spread
        known = np.where(spread.any(axis=0), share, 1.0)
        faded[:, part.filters] = np.maximum(faded[:, part.filters], known)
    covariances = _covariance(precision + np.eye(len(slots)) / faded[..., None])
    moved = np.einsum("efij,efj->efi", covariances, pull)
    return moved * units, covariances * np.outer(units, units)


def _first_variance(slot: Slot, n_numeric: int) -> float:
    column, place = slot
    if slot == BOXES:
        return FIRST_OF_BOXES
    return FIRST_OF_HAT if 0 <= column < n_numeric and 1 <= place <= HATS else FIRST_VARIANCE


def _inverse(covariances: Floats, most: Floats) -> Floats:
    """Return the information, at least ``1 / most`` in all directions, whatever rounding did."""
    variances, axes = np.linalg.eigh(covariances)
    variances = np.clip(variances, LEAST_VARIANCE, most)
    inverse: Floats = (axes / variances[..., None, :]) @ axes.swapaxes(-1, -2)
    return inverse


def _covariance(precision: Floats) -> Floats:
    """Return the inverse, with variances at most one step of drift above the first ones.

    Drift lets none grow further. Here one may, as when values come to share an input: it is scaled
    down, which leaves the correlations.
    """
    half = np.linalg.inv(np.linalg.cholesky(precision))
    covariances: Floats = half.swapaxes(-1, -2) @ half
    variances = np.diagonal(covariances, axis1=-2, axis2=-1)
    scale = 1 / np.sqrt(np.maximum(variances / (1 + _DRIFTS[:, None, None]), 1.0))
    covariances *= scale[..., :, None] * scale[..., None, :]
    return covariances


def _total_rows(parts: Sequence[_Part], slots: Sequence[Slot]) -> Floats:
    place = {slot: i for i, slot in enumerate(slots)}
    rows = np.zeros(len(slots))
    for part in parts:
        np.add.at(rows, [place[slot] for slot in part.slots], part.rows)
    return rows


def _mean_losses(parts: Sequence[_Part]) -> Floats:
    """Return the losses of the experts, those of models with more rows counting more."""
    rows = np.array([part.n_rows for part in parts])
    weights = rows if rows.sum() > 0 else np.ones(len(parts))
    losses: Floats = np.average([part.losses for part in parts], axis=0, weights=weights)
    return losses
