"""Rows learned in parts: the scheme of Dask, Spark and ``boxwise learn --jobs``.

1. Each part withholds some of its rows (`quota`, `WithheldRows`) and learns the others. Balanced
   weights are those of the classes of all parts (`balanced_weights`).
2. The models are merged in the order of the parts, at most `FAN_IN` at a time, in a tree.
3. The last merge learns the withheld rows of all parts, in the order of `tuning_order`.

All of this depends on the numbers of the parts and on their rows, not on who does it and when.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.learners.merging import Learner, merge
from boxwise.learners.weights import MOST

FAN_IN = 64  # models merged at a time
MOST_WITHHELD = 5_000  # rows, of all parts
ONE_IN = 10  # rows are withheld, until there are too many
_BELOW_LIMIT = 1 - 2.0**-40  # the product with a weight must not be rounded to above the limit


def quota(part: int, n_parts: int, most: int = MOST_WITHHELD) -> int:
    """Return how many rows a part may withhold; none if it is the only one.

    Parameters
    ----------
    part : int
        Its number, from 0.
    n_parts : int
        How many parts there are.
    most : int
        How many rows all parts may withhold.

    Examples
    --------
    >>> [quota(part, 3, most=8) for part in range(3)]
    [2, 3, 3]
    """
    return (part + 1) * most // n_parts - part * most // n_parts if n_parts > 1 else 0


class WithheldRows:
    """Which rows of a part are withheld: one of every ten, at most so many, as the rows come.

    Where there are too many, every other one is given back to be learned, and from then on half as
    many are withheld. So the choice depends on the number of rows so far, and not on how they are
    cut into chunks. After any number of rows, at most a tenth of them is withheld.

    Parameters
    ----------
    part : int
        The number of the part, which seeds the choice.
    most : int
        How many rows may be withheld, at least 1.

    Attributes
    ----------
    places : list of int
        The rows that are withheld.
    """

    def __init__(self, part: int, most: int) -> None:
        self.places: list[int] = []
        self._most = most
        self._draw = np.random.RandomState(part)  # draws the same with every version of NumPy
        self._every = ONE_IN
        self._seen = 0  # rows
        self._block = ONE_IN - 1  # where the next block begins, one row of which is withheld
        self._next = self._place()

    def take(self, n_rows: int) -> Iterator[tuple[int, bool]]:
        """Take rows in, and yield the place of each that is withheld.

        With each comes whether every other one of those withheld so far, it included, is given
        back: the second, the fourth and so on.
        """
        self._seen += n_rows
        while self._next < self._seen:
            place = self._next
            self.places.append(place)
            too_many = len(self.places) > self._most
            if too_many:
                self.places = self.places[::2]
                self._every *= 2
            self._next = self._place()
            yield place, too_many

    def _place(self) -> int:
        place = self._block + int(self._draw.randint(self._every))
        self._block += self._every
        return place


def withheld_places(n_rows: int, part: int, most: int) -> NDArray[np.intp]:
    """Return which of the rows of a part are withheld, where all of them are there.

    Parameters
    ----------
    n_rows : int
        How many rows the part has.
    part : int
        Its number.
    most : int
        How many may be withheld; 0 is none.
    """
    if not most:
        return np.empty(0, np.intp)
    rows = WithheldRows(part, most)
    for _ in rows.take(n_rows):
        pass
    return np.array(rows.places, np.intp)


def tuning_order(n_rows: int) -> NDArray[np.intp]:
    """Return the order in which the withheld rows of all parts are learned.

    The first ones count most, and parts may follow each other by class.
    """
    return np.random.RandomState(0).permutation(n_rows).astype(np.intp)


def merged_parts(models: Sequence[Learner], tune: tuple[Any, ...] | None = None) -> Learner:
    """Return the models of some parts as one, in their order; one alone stays as it is.

    Parameters
    ----------
    models : sequence of estimators
        At least one.
    tune : tuple, optional
        The withheld rows, as in `merge`.
    """
    return models[0] if len(models) == 1 and tune is None else merge(models, tune=tune)


def balanced_weights(
    counts: Iterable[Mapping[object, tuple[float, float]]],
) -> dict[object, float]:
    """Return the weights with which the classes of all parts weigh the same, as "balanced" does.

    Parameters
    ----------
    counts : iterable of mappings
        For each part the sum of the weights and the largest weight of the rows of each class.
    """
    weights: dict[object, list[float]] = {}
    largest: dict[object, float] = {}
    for of_part in counts:
        for name, (weight, most) in of_part.items():
            weights.setdefault(name, []).append(weight)
            largest[name] = max(largest.get(name, 0.0), most)
    # Exact sums do not depend on the order of the parts.
    sums = {name: fsum(weights[name]) for name in sorted(weights, key=str) if largest[name] > 0}
    even = fsum(sums.values()) / max(len(sums), 1)
    balanced = {name: even / total for name, total in sums.items()}
    most = max((largest[name] * weight for name, weight in balanced.items()), default=0.0)
    scale = MOST / most * _BELOW_LIMIT if most > MOST else 1.0
    return {name: weight * scale for name, weight in balanced.items()}
