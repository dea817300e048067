"""Values to try in a row: where boxes of other classes begin and end, categories they hold.

Where curves decide as well, those at which they bend too, and the categories with a weight of their
own.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boxwise.core import EvidenceSettings, Model
from boxwise.explain.box_arrays import BoxArrays
from boxwise.explain.counterfactuals.fixed import fixed_positions
from boxwise.explain.counterfactuals.moves import Move, MovedRow
from boxwise.reference.additive import HATS, OWN_VALUES

MOST, LEAST = 48, 4  # values to try of each column
IN_ALL = 4096  # of all columns together, unless that is less than the least of each


class Candidates:
    """The values worth trying in each column of a model that may be changed.

    Attributes
    ----------
    columns : list of int
        The columns that may be changed, numbers first.
    whole : list of bool
        Which numeric columns hold whole numbers only.
    """

    def __init__(self, model: Model, arrays: BoxArrays, fixed: Collection[str | int]) -> None:
        self._arrays = arrays
        self._vocabularies = model.schema.vocabularies
        settings = model.settings
        self._has_curves = isinstance(settings, EvidenceSettings) and settings.additive
        kept = fixed_positions(model.schema, fixed)
        places = [*model.schema.numeric, *model.schema.categorical]
        self.columns = [k for k, place in enumerate(places) if place not in kept]
        self.whole = [self._is_whole(k) for k in range(arrays.n_numbers)]
        self._most = min(MOST, max(LEAST, IN_ALL // max(1, len(self.columns))))
        self.edges = lru_cache(maxsize=1000)(self._edges)
        self.values = lru_cache(maxsize=1000)(self._values)

    def moves(self, row: MovedRow, won: int) -> list[Move]:
        """Return what to try of a row that is predicted as the class `won`."""
        n, found = self._arrays.n_numbers, []
        for k in self.columns:
            if k < n:
                low, high = row.row.lower[k], row.row.upper[k]
                edges = [x for x in self.edges(k, won) if not low <= x <= high]
                found += [row.number(k, x) for x in edges]
            else:
                own = int(row.row.codes[k - n])
                found += [Move(k, code, 1.0) for code in self.values(k - n, won) if code != own]
        return found

    def _is_whole(self, k: int) -> bool:
        """Return whether a column holds whole numbers only, as far as boxes or its scale tell."""
        bounds = np.concatenate([self._arrays.V[:, k], self._arrays.W[:, k]])
        if np.isnan(bounds).all():  # only curves see the column
            bounds = self._arrays.measures[k].points
        return bool(np.all((bounds == np.round(bounds)) | np.isnan(bounds)))

    def _edges(self, k: int, won: int) -> list[float]:
        """Return bounds of boxes of other classes and of the range, what is between, and bends."""
        measure = self._arrays.measures[k]
        if not measure.width > 0:
            return []  # a column with one value has no say
        V, W, label = self._arrays.V[:, k], self._arrays.W[:, k], self._arrays.label
        other = (label >= 0) & (label != won)
        every = _ordered(V, W, [measure.low, measure.high])
        # Far from all boxes another class may win, without a box of it there.
        between = (every[1:] + every[:-1]) / 2
        # A curve has its peaks there, whatever the boxes say.
        bends = measure.values_at(np.linspace(0, 1, HATS)) if self._has_curves else np.empty(0)
        if self.whole[k]:
            between, bends = np.round(between), np.round(bends)
        found = _ordered(V[other], W[other], [measure.low, measure.high], between)
        tried: list[float] = _ordered(_thinned(found, self._most), bends).tolist()
        return tried

    def _values(self, j: int, won: int) -> list[int]:
        """Return the categories in boxes of other classes, the most frequent first, and others.

        These are the values that curves tell apart, whatever box they are in.
        """
        other = (self._arrays.label >= 0) & (self._arrays.label != won)
        rows = {
            code: float(self._arrays.count(j, code)[other].sum())
            for code, value in enumerate(self._vocabularies[j].values)
            if value is not None  # to leave a value out is no change that one could advise
        }
        ranked = sorted((code for code in rows if rows[code]), key=lambda code: -rows[code])
        with_weight = [code for code in rows if code < OWN_VALUES] if self._has_curves else []
        return [*dict.fromkeys([*ranked[: self._most], *with_weight])]


def _ordered(*values: ArrayLike) -> NDArray[np.float64]:
    """Return numbers in order, each once."""
    every: NDArray[np.float64] = np.unique(np.concatenate([np.asarray(v, float) for v in values]))
    return every[~np.isnan(every)]


def _thinned(values: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).round().astype(np.intp)]
