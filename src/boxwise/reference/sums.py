"""Sums and products of numbers of which the logarithms are known, repeatable to the last bit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, inf, log, prod
from typing import TypeVar

FACTORS = 8  # so many are multiplied before the logarithm is taken
NEGLIGIBLE = -23  # what is e^23 times less than another adds nothing
GRAINS = 2.0**32  # sums are counted in grains: in whole numbers, and so in any order the same

T = TypeVar("T")


def portions(all_of_them: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield so many of them at a time."""
    for begin in range(0, len(all_of_them), size):
        yield all_of_them[begin : begin + size]


def log_product(factors: Sequence[float]) -> float:
    """Return the logarithm of a product of numbers above 0, of however many."""
    total = 0.0
    for begin in range(0, len(factors), FACTORS):
        some = factors[begin : begin + FACTORS]
        if 0 < prod(some) < inf:
            total += log(prod(some))
        else:
            for factor in some:
                total += log(factor)
    return total


def softmax(scores: Sequence[float], temperature: float) -> list[float]:
    """Return the probabilities that belong to the scores."""
    parts = [exp((score - max(scores)) / temperature) for score in scores]
    total = 0.0
    for part in parts:
        total += part
    return [part / total for part in parts]


def grains(logs: Sequence[float]) -> list[int]:
    """Return what the logarithms stand for in grains, of which the largest has 2**32."""
    most = max(logs, default=0.0)
    return [int(exp(one - most) * GRAINS) if one - most > NEGLIGIBLE else 0 for one in logs]


def log_sum(logs: Sequence[float]) -> float:
    """Return the logarithm of the sum, what is negligible beside the largest left out."""
    if max(logs) == -inf:
        return -inf
    return max(logs) + log(sum(grains(logs)) / GRAINS)


def log_total(sums: Sequence[float]) -> float:
    """Return the logarithm of the sum of what portions say."""
    most, total = max(sums, default=-inf), 0.0
    if most == -inf:
        return -inf
    for one in sums:
        total += exp(one - most)
    return most + log(total)
