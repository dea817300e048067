"""Which columns to draw: those asked for, or those to which the boxes keep most closely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boxwise.plot.scales import CategoryScale
from boxwise.plot.view import View

MOST_COLUMNS = 12


def chosen_columns(view: View, columns: Sequence[str | int] | None) -> list[int]:
    """Return the positions of the columns asked for, or else of the most constrained."""
    if columns is None:
        return most_constrained(view, MOST_COLUMNS)
    if isinstance(columns, str):
        raise ValueError(f"columns must be a list of columns; write [{columns!r}]")
    chosen = [view.position(which) for which in columns]
    if not chosen:
        raise ValueError("columns is empty; name at least one")
    for k, j in enumerate(chosen):
        if j in chosen[:k]:
            raise ValueError(f"column {view.schema.names[j]!r} is given twice")
    return chosen


def choice_in_words(view: View, chosen: Sequence[int], columns: object) -> list[str]:
    """Say how columns were chosen, if they were not asked for and are not all."""
    if columns is not None or len(chosen) == view.schema.n_features:
        return []
    of = view.schema.n_features
    return [f"Columns: the {len(chosen)} of {of} to which boxes keep most closely"]


def most_constrained(view: View, most: int) -> list[int]:
    """Return the columns to which boxes keep most closely, those first.

    Of numbers it is how much shorter the boxes are than the range; of categories how much less
    entropy they have than all rows; on average over the rows. Ties keep the order of the columns.
    """
    seen = [j for j in range(view.schema.n_features) if view.is_seen(j)]
    kept = [-constraint(view, j) for j in seen]
    return [seen[k] for k in np.argsort(kept, kind="stable")[:most].tolist()]


def constraint(view: View, j: int) -> float:
    """Return from 0 (boxes hold all that there is) to 1 (each holds one value)."""
    rows = view.boxes.n_samples
    if view.is_number(j):
        lower, upper = view.interval(j)
        spread = float(np.nanmax(upper) - np.nanmin(lower))
        if spread == 0:
            return 0.0
        length = np.where(np.isnan(lower), spread, upper - lower)
        return float(1 - np.average(length / spread, weights=rows))
    totals = view.totals(j)
    scale = CategoryScale.over(view.schema.names[j], totals, rest=True)
    shares = view.shares(j, scale, np.arange(len(rows)))
    whole = float(_entropy(np.average(shares, axis=0, weights=rows)[None])[0])
    return float(1 - np.average(_entropy(shares), weights=rows) / whole) if whole > 0 else 0.0


def _entropy(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    logs = np.log(np.where(shares > 0, shares, 1.0))
    entropy: NDArray[np.float64] = -(shares * logs).sum(axis=1)
    return entropy
