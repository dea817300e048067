"""The choice of the columns to draw: those asked for, or those that matter most."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from boxwise.plot.held_values import HeldValues
from boxwise.plot.view import View

MOST_COLUMNS = 12
FEWEST, MOST_ROWS = 60, 400  # typical rows to shuffle
WORK = 40_000_000  # rows × boxes × columns: about a second
PAIRED = 6  # columns of which all pairs are tried
CELLS = 12  # along each column of a pair


def chosen_names(
    view: View, columns: Sequence[str | int] | None, most: int = MOST_COLUMNS
) -> list[int]:
    """Return the positions of the columns asked for, or else of the most influential."""
    if columns is None:
        return most_influential(view, most)
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
    n = view.schema.n_features
    return [f"Columns: the {len(chosen)} of {n} that change predictions most"]


def most_influential(view: View, most: int) -> list[int]:
    """Return the columns that change predictions most, those first.

    The influence of a column is the mean change of the probabilities if its values are shuffled
    among typical rows of the boxes. Where nothing changes, as with one class, the order is that of
    the columns.
    """
    seen = [j for j in view.schema.known if view.is_seen(j)]
    if not view.classes:
        return seen[:most]
    random = np.random.default_rng(0)
    cells = _typical_rows(view, random)
    order = random.permutation(len(cells[0]))
    before = view.model.predict_proba(view.table(cells))
    change = []
    for j in seen:
        shuffled = [cells[j][i] for i in order]
        after = view.model.predict_proba(view.table([*cells[:j], shuffled, *cells[j + 1 :]]))
        change.append(-round(float(np.abs(after - before).mean()), 9))
    return [seen[k] for k in np.argsort(change, kind="stable")[:most].tolist()]


def _typical_rows(view: View, random: np.random.Generator) -> list[list[Any]]:
    """Return the cells, column by column, of the middles of boxes drawn by their rows."""
    boxes = np.flatnonzero(view.shown)
    n = int(np.clip(WORK / len(boxes) / view.schema.n_features, FEWEST, MOST_ROWS))
    rows = view.boxes.n_samples[boxes].astype(float)
    drawn = random.choice(boxes, n, p=rows / rows.sum())
    cells: list[list[Any]] = []
    for j in range(view.schema.n_features):
        if not view.is_seen(j):
            cells.append([None] * n)
        elif view.is_number(j):
            lower, upper = view.interval(j)
            cells.append(((lower[drawn] + upper[drawn]) / 2).tolist())
        else:
            k = view.schema.categorical.index(j)
            counts = [view.boxes.counts[i][k] for i in drawn.tolist()]
            cells.append([max(its, key=its.__getitem__) for its in counts])
    return cells


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
