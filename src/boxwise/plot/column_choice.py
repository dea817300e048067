"""The choice of the columns to draw: those asked for, or the most informative."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boxwise.plot.distribution import rows_along
from boxwise.plot.view import View

MOST_COLUMNS = 12


def chosen_names(view: View, columns: Sequence[str | int] | None) -> list[int]:
    """Return the positions of the columns asked for, or else of the most informative."""
    if columns is None:
        return most_informative(view, MOST_COLUMNS)
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


def _entropy(rows: NDArray[np.float64]) -> float:
    shares = rows[rows > 0] / rows.sum()
    return float(-(shares * np.log(shares)).sum())
