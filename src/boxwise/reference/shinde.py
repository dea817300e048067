"""Onln-GFMM-M2 in plain Python: Onln-GFMM with a set of values per categorical feature.

Shinde and Kulkarni, "Extracting classification rules from modified fuzzy min-max neural network
for data with mixed attributes" (2016). The keys of ``D`` are the sets; the counts are kept because
every box of the family has them.
"""

from __future__ import annotations

from collections.abc import Sequence

from boxwise.reference.hyperbox import Box, Numbers, Values, covers, in_units
from boxwise.reference.online import Online


class Shinde(Online):
    """Onln-GFMM in which a box grows only where enough categories are in its sets already."""

    def __init__(
        self,
        theta: float,
        beta: float,
        gamma: Sequence[float],
        ranges: Sequence[tuple[float, float] | None] | None = None,
        growing: bool = True,
    ) -> None:
        super().__init__(theta, gamma, ranges, growing)
        self.beta = beta

    def membership(self, box: Box, lower: Numbers, upper: Numbers, values: Values) -> float:
        """Return the mean of both kinds of features, or the one there is; in whole units."""
        b_num = self.b_num(box, lower, upper)
        if not box.D:
            return in_units(b_num)
        b_cat = matched(box, values) / len(box.D)
        return in_units((b_num + b_cat) / 2 if box.V else b_cat)

    def contains(self, box: Box, lower: Numbers, upper: Numbers, values: Values) -> bool:
        """Whether the membership is one, decided without rounding."""
        return covers(box, lower, upper) and matched(box, values) == len(box.D)

    def may_take(self, box: Box, lower: Numbers, upper: Numbers, values: Values) -> bool:
        """Whether the box stays small and knows enough of the categories."""
        return self.fits(box, lower, upper) and (
            not box.D or matched(box, values) >= needed(self.beta, len(box.D))
        )


def matched(box: Box, values: Values) -> int:
    """In how many features the box has seen the value."""
    return sum(value in d for d, value in zip(box.D, values, strict=True))


def needed(beta: float, r: int) -> int:
    """Return how many of the r categories a box must know to take a sample: at least one.

    A share like 0.29 is a little less in binary; 29 of 100 must not become 28, so what is within
    1e-9 of a whole number counts as that number.
    """
    return max(int(beta * r + 1e-9), 1)
