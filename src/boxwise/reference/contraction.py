"""Contraction: two boxes of different classes that overlap are cut apart in one feature.

The eight cases of Khuat and Gabrys, "Accelerated learning algorithms of general fuzzy min-max
neural network using a novel hyperbox selection rule", which extend the four of Gabrys and Bargiela.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nextafter

from boxwise.reference.hyperbox import Box, intervals_meet

EPSILON = 1e-5  # what is left between two boxes that were cut apart, as a share of the range


def contract(a: Box, b: Box, epsilon: Sequence[float]) -> bool:
    """Cut box a, which has grown, and box b apart, epsilon from each other; whether it was done.

    It is done in the feature of smallest overlap, the first of several, measured in epsilons: a
    range is 1e5 of them. A feature in which both boxes are the same point cannot be cut. If all
    are, the boxes are left as they are.
    """
    if not intervals_meet(a, b):
        return False
    with_extent = [j for j in range(len(a.V)) if a.V[j] < a.W[j] or b.V[j] < b.W[j]]
    if not with_extent:
        return False
    j = min(with_extent, key=lambda j: overlap(a, b, j) / epsilon[j] if epsilon[j] else inf)
    if a.V[j] <= b.V[j] and a.W[j] <= b.W[j]:
        meet_halfway(a, b, j, epsilon[j])
    elif b.V[j] <= a.V[j] and b.W[j] <= a.W[j]:
        meet_halfway(b, a, j, epsilon[j])
    elif a.V[j] < b.V[j]:
        cut_back(a, b, j, epsilon[j], before=a.W[j] - b.V[j] < b.W[j] - a.V[j])
    else:
        cut_back(b, a, j, epsilon[j], before=b.W[j] - a.V[j] <= a.W[j] - b.V[j])
    return True


def overlap(a: Box, b: Box, j: int) -> float:
    """How much has to be cut off in feature j: for one inside the other, more than they share."""
    return min(a.W[j] - b.V[j], b.W[j] - a.V[j])


def meet_halfway(left: Box, right: Box, j: int, epsilon: float) -> None:
    """Cut at the middle of the overlap: left begins and ends no later than right.

    The gap is taken from the right one; from the left one if the right one ends there.
    """
    middle = (left.W[j] + right.V[j]) / 2
    if middle == right.W[j]:  # between neighbouring numbers there is none: it was rounded up
        middle = right.V[j]
    if middle < right.W[j]:
        left.W[j], right.V[j] = middle, beyond(middle, epsilon, right.W[j])
    else:
        left.W[j] = short_of(middle, epsilon, left.V[j])


def cut_back(outer: Box, inner: Box, j: int, epsilon: float, before: bool) -> None:
    """Cut the box that reaches further on both sides down to what is before inner, or beyond it."""
    if before:
        outer.W[j] = short_of(inner.V[j], epsilon, outer.V[j])
    else:
        outer.V[j] = beyond(inner.W[j], epsilon, outer.W[j])


# Where a whole epsilon does not fit into the box that gives way, that box shrinks to a point and
# the gap is smaller; where rounding would swallow epsilon, the gap is that to the next number.
# Thus no box is ever turned inside out, and the two never touch.


def beyond(x: float, epsilon: float, end: float) -> float:
    """Return the number epsilon above x, or less, but no more than end."""
    return min(max(x + epsilon, nextafter(x, inf)), end)


def short_of(x: float, epsilon: float, end: float) -> float:
    """Return the number epsilon below x, or less, but no less than end."""
    return max(min(x - epsilon, nextafter(x, -inf)), end)
