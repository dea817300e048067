"""The choice of the columns to draw: those asked for, or those that matter most."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.plot.distribution import rows_along
from boxwise.plot.held_values import HeldValues
from boxwise.plot.view import View

MOST_COLUMNS = 12
PAIRED = 6  # columns of which all pairs are tried
CELLS = 12  # along each column of a pair


def chosen_names(
    view: View, columns: Sequence[str | int] | None, most: int = MOST_COLUMNS
) -> list[int]:
    """Return the positions of the columns asked for, or else of the most informative."""
    if columns is None:
        return most_informative(view, most)
    if isinstance(columns, str):
        raise ValueError(f"columns must be a list of columns; write [{columns!r}]")
    chosen = [view.position(which) for which in columns]
    if not chosen:
        raise ValueError("columns is empty; name at least one")
    for k, j in enumerate(chosen):
        if j in chosen[:k]:
            raise ValueError(f"column {view.schema.names[j]!r} is given twice")
    return chosen


def choice_text(view: View, chosen: Sequence[int], columns: object) -> list[str]:
    """Say how columns were chosen, if they were not asked for and are not all."""
    if columns is not None or len(chosen) == view.schema.n_features:
        return []
    return [f"Columns: the {len(chosen)} most informative of {view.schema.n_features}"]


def most_informative(view: View, most: int) -> list[int]:
    """Return the columns whose values tell classes apart best, those first.

    What a column tells is the information, in nats, that its value gives on the class, by the rows
    of the boxes. Where it tells nothing, as with one class, the order is that of the columns.
    """
    seen = [j for j in view.schema.known if view.is_seen(j)]
    gain = [-round(information(view, j), 9) for j in seen]
    return [seen[k] for k in np.argsort(gain, kind="stable")[:most].tolist()]


def information(view: View, j: int) -> float:
    """Return how much column `j` tells of the class, less what it would seem to tell by chance."""
    scale = view.scale(j, rest=True)
    found = np.array(
        [rows_along(view, j, scale, view.class_of == code) for code in np.unique(view.class_of)]
    )
    n_rows = float(found.sum())
    n_classes, n_values = (int((found.sum(axis=k) > 0).sum()) for k in (1, 0))
    by_chance = (n_classes - 1) * (n_values - 1) / (2 * n_rows)
    joint, classes, values = found, found.sum(axis=1), found.sum(axis=0)
    gain = (_entropy(classes) + _entropy(values) - _entropy(joint.ravel())) - by_chance
    return max(gain, 0.0)


def deciding_pair(
    view: View, columns: Sequence[int], held: HeldValues | None = None, one: int | None = None
) -> tuple[int, int] | None:
    """Return the two columns over which predictions vary most, with the others held.

    Parameters
    ----------
    columns : sequence of int
        The columns to choose from, by position, the most important first; the first few count.
    held : HeldValues, optional
        The values of the other columns; the usual ones by default.
    one : int, optional
        A column that is one of the two, the first.
    """
    held = HeldValues(view, None) if held is None else held
    tried = [j for j in columns if j != one][:PAIRED]
    pairs = [*combinations(tried, 2)] if one is None else [(one, j) for j in tried]
    values = {j: _typical_values(view, j) for j in {j for pair in pairs for j in pair}}
    spread = {pair: _spread(held, pair, values[pair[0]], values[pair[1]]) for pair in pairs}
    return max(pairs, key=lambda pair: round(spread[pair], 3), default=None)


def _spread(held: HeldValues, pair: tuple[int, int], across: list[Any], up: list[Any]) -> float:
    """Return how much predictions vary along each of two columns, at each value of the other.

    That is the variance of the probabilities and of the predicted classes (0 or 1), both columns
    added: a pair of which only one column matters has less than one of which both do.
    """
    shares = held.probabilities(pair, across, up)
    predicted = np.eye(shares.shape[1])[shares.argmax(axis=1)]
    grid = np.hstack([shares, predicted]).reshape(len(up), len(across), -1)
    return float(sum(grid.var(axis=k).mean(axis=0).sum() for k in (0, 1)))


def _typical_values(view: View, j: int) -> list[Any]:
    """Return the most frequent categories, or quantiles of the middles of the boxes by rows."""
    if not view.is_number(j):
        return [value for value, _ in view.totals(j).most_common(CELLS)]
    lower, upper = view.interval(j)
    seen = np.flatnonzero(~np.isnan(lower))
    middle = (lower[seen] + upper[seen]) / 2
    order = np.argsort(middle, kind="stable")
    below = view.boxes.n_samples[seen][order].cumsum()
    wanted = (np.arange(CELLS) + 0.5) / CELLS * below[-1]
    found: list[Any] = middle[order][np.searchsorted(below, wanted)].tolist()
    return found


def _entropy(rows: NDArray[np.float64]) -> float:
    shares = rows[rows > 0] / rows.sum()
    return float(-(shares * np.log(shares)).sum())
