"""The conditions, taken together, under which rows are worth the most: a beam search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boxwise.rules.candidates import Bits, Candidates, Pick

WIDTH = 5  # conjunctions that go on after each step
STEPS = 4 * WIDTH  # of each kind that are looked at
DEPTH = 5  # picks in one; two may be on the same column
PER_VALUE = 0.2  # what a further value in a set costs, beside a condition


@dataclass(frozen=True)
class Conjunction:
    """Picks, the rows that meet them all, what these are worth, and what the picks cost."""

    picks: tuple[Pick, ...]
    rows: Bits
    worth: float
    cost: float

    @property
    def value(self) -> float:
        """What is left of the worth."""
        return self.worth - self.cost


@dataclass(frozen=True)
class _Step:
    value: float
    beam: int
    pick: Pick
    place: int | None
    cost: float


def best_conjunction(
    candidates: Candidates, worth: NDArray[np.float64], price: float
) -> Conjunction | None:
    """Return the picks whose rows are worth the most, less their price; None if nothing gains.

    Parameters
    ----------
    worth : array of float
        What it is worth to cover each row; below 0 it does harm.
    price : float
        What a condition costs.
    """
    matter = np.flatnonzero(worth)  # the others change no sum
    if not len(matter) or not len(candidates.picks):
        return None
    numbers = candidates.numbers[matter]
    beams = [Conjunction((), np.ones(len(worth), bool), 0.0, 0.0)]
    best: Conjunction | None = None
    seen: set[bytes] = set()
    for _ in range(DEPTH):
        gains = np.stack([worth[matter] * beam.rows[matter] for beam in beams])
        sums = np.ascontiguousarray((gains.astype(np.float32) @ numbers).T)
        steps = _single_picks(candidates, beams, sums, price)
        steps += _sets_of_values(candidates, beams, sums, price)
        steps.sort(key=lambda step: -step.value)
        beams = _taken(candidates, steps, beams, worth, seen)
        if not beams:
            break
        top = max(beams, key=lambda beam: beam.value)
        if top.value > 0 and (best is None or top.value > best.value):
            best = top
    return best


def _single_picks(
    candidates: Candidates, beams: list[Conjunction], sums: NDArray[np.float32], price: float
) -> list[_Step]:
    """Return the best steps that add one pick as it stands."""
    costs = _costs(beams, candidates.column, price)
    values = sums - costs
    steps = []
    for i, b in _largest(values):
        pick = candidates.picks[i]
        steps.append(_Step(float(values[i, b]), b, pick, i, float(costs[i, b])))
    return steps


def _sets_of_values(
    candidates: Candidates, beams: list[Conjunction], sums: NDArray[np.float32], price: float
) -> list[_Step]:
    """Return the best steps that add a set: the values that gain, or all but those that harm.

    What a set is worth is the sum of its values, so the best one need not be searched for.
    """
    if not candidates.starts.size:
        return []
    per_value = PER_VALUE * price
    first = int(candidates.starts[0])  # from here on all picks are single values
    of_values, starts = sums[first:], candidates.starts - first
    whole = np.add.reduceat(of_values, starts)
    worst = np.repeat(np.minimum.reduceat(of_values, starts), candidates.sizes, axis=0)
    costs = _costs(beams, candidates.column[candidates.starts], price) - per_value
    steps: list[_Step] = []
    for negated, chosen in (
        (False, of_values > per_value),
        (True, of_values < -per_value),
        (True, of_values == worst),
    ):
        n = np.add.reduceat(chosen.astype(np.int64), starts)
        part = np.add.reduceat(np.where(chosen, of_values, 0), starts)
        paid = costs + n * per_value
        values = (whole - part if negated else part) - paid
        values[(n == 0) | (n == candidates.sizes[:, None])] = -np.inf
        for g, b in _largest(values):
            if values[g, b] == -np.inf:
                continue
            places = np.arange(starts[g], starts[g] + candidates.sizes[g])
            codes = (candidates.picks[first + i].values for i in places[chosen[places, b]])
            column = int(candidates.column[candidates.starts[g]])
            pick = Pick(column, values=frozenset[int]().union(*codes), negated=negated)
            steps.append(_Step(float(values[g, b]), b, pick, None, float(paid[g, b])))
    return steps


def _costs(
    beams: list[Conjunction], columns: NDArray[np.int64], price: float
) -> NDArray[np.float64]:
    """Return what each beam costs with one more condition, none if it is on a column it has."""
    width = int(columns.max()) + 1
    used = np.zeros((width, len(beams)), bool)
    for b, beam in enumerate(beams):
        used[[pick.column for pick in beam.picks if pick.column < width], b] = True
    paid = np.array([beam.cost for beam in beams])
    return paid + np.where(used[columns], 0.0, price)


def _largest(values: NDArray[np.float64]) -> list[tuple[int, int]]:
    # A stable sort: which of equal ones comes first must not depend on the machine.
    top = np.argsort(-values, axis=None, kind="stable")[:STEPS]
    return [divmod(int(i), values.shape[1]) for i in top]


def _taken(
    candidates: Candidates,
    steps: list[_Step],
    beams: list[Conjunction],
    worth: NDArray[np.float64],
    seen: set[bytes],
) -> list[Conjunction]:
    """Return the best of what the steps lead to, no two of the same rows."""
    taken: list[Conjunction] = []
    for step in steps:
        before = beams[step.beam]
        rows = before.rows & candidates.rows_of(step.pick, step.place)
        key = rows.tobytes()
        if key in seen or not rows.any():
            continue
        seen.add(key)
        picks = (*before.picks, step.pick)
        if _empty(picks, step.pick.column):
            continue
        taken.append(Conjunction(picks, rows, float(worth[rows].sum()), step.cost))
        if len(taken) == WIDTH:
            break
    return taken


def _empty(picks: tuple[Pick, ...], column: int) -> bool:
    """Return whether no number can meet these: rows without one met both."""
    of_column = [pick for pick in picks if pick.column == column]
    return max(p.lower for p in of_column) > min(p.upper for p in of_column)
