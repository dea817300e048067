"""Ranks of methods on each data set, and their averages over data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from boxwise.evaluate.statistics.score_table import ScoreTable, read_scores


@dataclass(frozen=True, init=False)
class AverageRanks:
    """The average rank of each method over a number of data sets.

    This is all that the tests of Friedman and Nemenyi need, so ranks that someone else has printed
    can be tested without the scores behind them.

    Parameters
    ----------
    methods : sequence of str
        The names of the methods, 2 or more.
    ranks : sequence of float
        The average rank of each method; 1 is the best. Together they are M (M + 1) / 2 for M
        methods, but for rounding.
    n_datasets : int
        The number of data sets averaged over, 2 or more.

    See Also
    --------
    average_ranks : Makes one from scores.

    Examples
    --------
    >>> from boxwise.evaluate import AverageRanks
    >>> ranks = AverageRanks(["tree", "forest", "boxes"], [2.6, 1.9, 1.5], n_datasets=20)
    >>> print(ranks)
    average ranks over 20 data sets
    1.500  boxes
    1.900  forest
    2.600  tree
    >>> ranks.of("forest")
    1.9
    """

    methods: tuple[str, ...]
    ranks: tuple[float, ...]
    n_datasets: int

    def __init__(self, methods: Sequence[str], ranks: Sequence[float], n_datasets: int) -> None:
        object.__setattr__(self, "methods", tuple(map(str, methods)))
        object.__setattr__(self, "ranks", tuple(map(float, ranks)))
        object.__setattr__(self, "n_datasets", int(n_datasets))
        self._check()

    def __str__(self) -> str:
        lines = [f"{r:.3f}  {name}" for name, r in self.best_first()]
        return "\n".join([f"average ranks over {self.n_datasets} data sets", *lines])

    def of(self, method: str) -> float:
        """Return the average rank of one method."""
        try:
            return self.ranks[self.methods.index(method)]
        except ValueError:
            known = ", ".join(map(repr, self.methods))
            raise KeyError(f"no method {method!r}; there are {known}") from None

    def best_first(self) -> list[tuple[str, float]]:
        """Return pairs of method and average rank; equal ranks stay in the order given."""
        return sorted(zip(self.methods, self.ranks, strict=True), key=lambda pair: pair[1])

    def _check(self) -> None:
        m = len(self.methods)
        if m < 2:
            raise ValueError(f"there is nothing to compare with {m} method; give 2 or more")
        if len(self.ranks) != m:
            raise ValueError(f"{m} methods but {len(self.ranks)} ranks; give one for each")
        if len(set(self.methods)) < m:
            twice = next(name for name in self.methods if self.methods.count(name) > 1)
            raise ValueError(f"two methods are called {twice!r}; give each its own name")
        if self.n_datasets < 2:
            raise ValueError(
                f"ranks over {self.n_datasets} data set cannot be tested; score the methods on "
                "2 or more"
            )
        for name, r in zip(self.methods, self.ranks, strict=True):
            if not 1 <= r <= m:
                raise ValueError(f"method {name!r}: an average rank lies in 1 to {m}, not {r}")
        # Wide enough for ranks that were rounded to one decimal.
        if abs(math.fsum(self.ranks) - m * (m + 1) / 2) > 0.05 * m + 1e-9:
            raise ValueError(
                f"average ranks of {m} methods add up to {m * (m + 1) / 2:g}, "
                f"these to {math.fsum(self.ranks):g}; if they are scores, rank them first: "
                "average_ranks(scores)"
            )


def rank(scores: Any, *, larger_is_better: bool = True) -> Any:
    """Rank methods on each data set: 1 for the best; equal scores share the mean of their ranks.

    Parameters
    ----------
    scores : array or data frame
        One row per data set, one column per method; no gaps. In a frame (pandas, polars and others
        that narwhals reads), one column that is not numbers may name the data sets.
    larger_is_better : bool, default=True
        False for scores of which the smallest is the best, like errors or times.

    Returns
    -------
    array or data frame
        The ranks: an array for an array, a frame of the same kind and names for a frame.

    Examples
    --------
    >>> from boxwise.evaluate import rank
    >>> rank([[0.91, 0.87, 0.93], [0.70, 0.75, 0.75]])
    array([[2. , 3. , 1. ],
           [3. , 1.5, 1.5]])
    >>> rank([[12.5, 3.1, 40.2]], larger_is_better=False)
    array([[2., 1., 3.]])
    """
    table = read_scores(scores)
    return table.replaced_by(_ranks(table, larger_is_better))


def average_ranks(
    scores: Any, *, methods: Sequence[str] | None = None, larger_is_better: bool = True
) -> AverageRanks:
    """Average the ranks of methods over data sets.

    Parameters
    ----------
    scores : array or data frame
        One row per data set, one column per method; no gaps. In a frame (pandas, polars and others
        that narwhals reads), one column that is not numbers may name the data sets.
    methods : sequence of str, optional
        The names of the methods; the names of the frame's columns unless given.
    larger_is_better : bool, default=True
        False for scores of which the smallest is the best, like errors or times.

    Returns
    -------
    AverageRanks
        What `friedman_test`, `nemenyi_test` and `plot_cd_diagram` take.

    Examples
    --------
    >>> from boxwise.evaluate import average_ranks
    >>> scores = [[0.91, 0.87, 0.93], [0.70, 0.75, 0.75], [0.66, 0.61, 0.64]]
    >>> print(average_ranks(scores, methods=["tree", "bayes", "boxes"]))
    average ranks over 3 data sets
    1.500  boxes
    2.000  tree
    2.500  bayes
    """
    table = read_scores(scores)
    names = table.methods if methods is None else methods
    means = _ranks(table, larger_is_better).mean(axis=0)
    return AverageRanks(names, means.tolist(), len(table.values))


def _ranks(table: ScoreTable, larger_is_better: bool) -> NDArray[np.float64]:
    signed = -table.values if larger_is_better else table.values
    return np.asarray(rankdata(signed, axis=1), dtype=np.float64)
