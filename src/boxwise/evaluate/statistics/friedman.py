"""Friedman's test of whether the differences between several methods are more than chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import stats

from boxwise.evaluate.statistics.ranks import AverageRanks


@dataclass(frozen=True)
class FriedmanTest:
    """The result of Friedman's test.

    Parameters
    ----------
    chi2 : float
        Friedman's χ².
    chi2_p_value : float
        The probability of so large a χ² if the methods do not differ.
    f : float
        The statistic F_F of Iman and Davenport; infinite when every data set ranks the methods
        alike.
    f_p_value : float
        The probability of so large an F_F if the methods do not differ.
    degrees : tuple of int
        The degrees of freedom of F_F: M − 1 and (M − 1)(Z − 1) for M methods and Z data sets.
    level : float
        The level of significance.
    critical_value : float
        What F_F must exceed.
    """

    chi2: float
    chi2_p_value: float
    f: float
    f_p_value: float
    degrees: tuple[int, int]
    level: float
    critical_value: float

    @property
    def rejected(self) -> bool:
        """Whether F_F is larger than its critical value, so that the methods do differ."""
        return self.f > self.critical_value

    def __str__(self) -> str:
        sign, verdict = (">", "differ") if self.rejected else ("≤", "need not differ")
        return (
            f"F_F = {self.f:.4f} {sign} F{self.degrees} = {self.critical_value:.4f} "
            f"at {self.level:g} (p = {self.f_p_value:.2g}): the methods {verdict}"
        )


def friedman_test(ranks: AverageRanks, level: float = 0.05) -> FriedmanTest:
    """Test whether methods differ, from their average ranks over data sets.

    The null hypothesis is that they do not. It is rejected when the statistic F_F of Iman and
    Davenport, which is less timid than Friedman's own χ², is larger than its critical value. Then
    `nemenyi_test` tells which methods differ.

    Parameters
    ----------
    ranks : AverageRanks
        From `average_ranks`, or as printed in a paper.
    level : float, default=0.05
        The level of significance: the risk to be taken of finding a difference that is not there.

    Returns
    -------
    FriedmanTest
        Both statistics, their p-values, the critical value and the verdict.

    Notes
    -----
    For Z data sets and M methods of average ranks R_j::

        χ² = 12 Z / (M (M + 1)) · (Σ R_j² − M (M + 1)² / 4)
        F_F = (Z − 1) χ² / (Z (M − 1) − χ²)

    Ties are not corrected for: that needs more than average ranks. SciPy's ``friedmanchisquare``
    does, so where scores are tied its χ² is the larger.

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine
    Learning Research 7, 2006.

    Examples
    --------
    >>> from boxwise.evaluate import AverageRanks, friedman_test
    >>> ranks = AverageRanks(["M1", "M2", "v1", "v2"], [3, 3.214, 1.893, 1.893], n_datasets=14)
    >>> test = friedman_test(ranks)
    >>> print(test)
    F_F = 5.5539 > F(3, 39) = 2.8451 at 0.05 (p = 0.0028): the methods differ
    >>> test.rejected, round(test.chi2, 3)
    (True, 12.572)
    """
    check_ranks(ranks)
    check_level(level)
    m, z = len(ranks.ranks), ranks.n_datasets
    # χ² as a share of its maximum Z (M − 1). Whole ranks give exactly 1 there, so that F_F is
    # infinite and not merely large. Rounded ranks may lie a little outside 0 to 1.
    square = math.fsum(r * r for r in ranks.ranks)
    share = (square - m * (m + 1) ** 2 / 4) / (m * (m * m - 1) / 12)
    share = min(max(share, 0.0), 1.0)
    chi2 = z * (m - 1) * share
    f = (z - 1) * share / (1 - share) if share < 1 else math.inf
    degrees = m - 1, (m - 1) * (z - 1)
    return FriedmanTest(
        chi2=chi2,
        chi2_p_value=float(stats.chi2.sf(chi2, m - 1)),
        f=f,
        f_p_value=float(stats.f.sf(f, *degrees)),
        degrees=degrees,
        level=level,
        critical_value=float(stats.f.isf(level, *degrees)),
    )


def check_ranks(ranks: object) -> None:
    """Complain about scores where average ranks are wanted."""
    if not isinstance(ranks, AverageRanks):
        raise TypeError(
            f"ranks must be AverageRanks, not {type(ranks).__name__}; "
            "make them with average_ranks(scores)"
        )


def check_level(level: float) -> None:
    """Complain about a level of significance that is none."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, like 0.05, not {level!r}")
