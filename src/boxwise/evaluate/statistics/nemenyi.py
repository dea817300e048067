"""Nemenyi's test of which of several methods differ."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import studentized_range

from boxwise.evaluate.statistics.friedman import check_level, check_ranks
from boxwise.evaluate.statistics.ranks import AverageRanks


@dataclass(frozen=True)
class NemenyiTest:
    """The result of Nemenyi's test.

    Parameters
    ----------
    ranks : AverageRanks
        The average ranks.
    level : float
        The level of significance.
    critical_difference : float
        Two methods differ if their average ranks are at least so far apart.
    """

    ranks: AverageRanks
    level: float
    critical_difference: float

    def differ(self, one: str, other: str) -> bool:
        """Whether two methods differ."""
        return self._far(self.ranks.of(one), self.ranks.of(other))

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The largest groups of methods of which no two differ, best first.

        A group has 2 methods or more. A method may be in several of them: that A need not differ
        from B, nor B from C, says nothing of A and C.
        """
        ordered = self.ranks.best_first()
        groups: list[tuple[str, ...]] = []
        end = 0
        for start, (_, first) in enumerate(ordered):
            reach = next(
                (i for i in range(start, len(ordered)) if self._far(first, ordered[i][1])),
                len(ordered),
            )
            # One that ends where the last one ended is a part of it.
            if reach > max(end, start + 1):
                groups.append(tuple(name for name, _ in ordered[start:reach]))
            end = max(end, reach)
        return tuple(groups)

    @property
    def p_values(self) -> NDArray[np.float64]:
        """For each pair of methods, the probability of such a difference if there is none."""
        r = np.array(self.ranks.ranks)
        unit = _standard_error(len(r), self.ranks.n_datasets)
        apart = np.abs(r[:, None] - r[None, :]) / unit
        p = np.asarray(studentized_range.sf(apart * math.sqrt(2), len(r), math.inf))
        np.fill_diagonal(p, 1.0)
        return p

    def __str__(self) -> str:
        lines = [", ".join(group) for group in self.groups] or ["none"]
        head = f"CD = {self.critical_difference:.4f} at {self.level:g}; groups that need not differ"
        return "\n  ".join([f"{head}:", *lines])

    def _far(self, one: float, other: float) -> bool:
        return abs(one - other) >= self.critical_difference


def nemenyi_test(ranks: AverageRanks, level: float = 0.05) -> NemenyiTest:
    """Tell which methods differ, from their average ranks over data sets.

    Every method is compared with every other, and the more methods there are, the larger a
    difference must be. Use it when `friedman_test` has rejected that all are alike.

    Parameters
    ----------
    ranks : AverageRanks
        From `average_ranks`, or as printed in a paper.
    level : float, default=0.05
        The level of significance: the risk to be taken of finding any difference that is not there.

    Returns
    -------
    NemenyiTest
        The critical difference, the groups of methods that need not differ, and p-values.

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine
    Learning Research 7, 2006.

    Examples
    --------
    >>> from boxwise.evaluate import AverageRanks, nemenyi_test
    >>> ranks = AverageRanks(["M1", "M2", "v1", "v2"], [3, 3.214, 1.893, 1.893], n_datasets=14)
    >>> test = nemenyi_test(ranks)
    >>> print(test)
    CD = 1.2536 at 0.05; groups that need not differ:
      v1, v2, M1
      M1, M2
    >>> test.differ("v1", "M2")
    True
    """
    check_ranks(ranks)
    return NemenyiTest(ranks, level, critical_difference(len(ranks.ranks), ranks.n_datasets, level))


def critical_difference(n_methods: int, n_datasets: int, level: float = 0.05) -> float:
    """Return how far apart the average ranks of two methods must be, at least, to differ.

    Parameters
    ----------
    n_methods, n_datasets : int
        How many methods were ranked, 2 or more, and on how many data sets.
    level : float, default=0.05
        The level of significance.

    Returns
    -------
    float
        q √(M (M + 1) / 6Z) for M methods and Z data sets, where q is the quantile of the
        studentised range of M values divided by √2.

    Examples
    --------
    >>> from boxwise.evaluate import critical_difference
    >>> round(critical_difference(4, 14), 4), round(critical_difference(4, 14, level=0.1), 4)
    (1.2536, 1.1181)
    """
    check_level(level)
    if n_methods < 2:
        raise ValueError(f"there is nothing to compare with {n_methods} method; give 2 or more")
    if n_datasets < 1:
        raise ValueError(f"n_datasets must be at least 1, not {n_datasets}")
    q = float(studentized_range.isf(level, n_methods, math.inf)) / math.sqrt(2)
    return q * _standard_error(n_methods, n_datasets)


def _standard_error(n_methods: int, n_datasets: int) -> float:
    return math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))
