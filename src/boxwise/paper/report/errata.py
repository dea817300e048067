"""The paper's numbers, computed again from the tables it prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from boxwise.evaluate import AverageRanks, average_ranks, friedman_test, nemenyi_test
from boxwise.paper.report.printed import (
    METHODS,
    TABLE_I,
    TABLE_I_F,
    TABLE_II,
    TABLE_II_F,
    TABLE_III,
    TABLE_IV,
    TABLE_IV_F,
    TABLE_S8,
    TABLE_S9,
)


@dataclass(frozen=True)
class Statistic:
    """F_F as printed, and computed from the ranks as printed and as they were before rounding."""

    table: str
    case: str
    printed: float | None
    rounded: float
    exact: float
    critical_value: float
    critical_difference: float


def statistics() -> list[Statistic]:
    """Return F_F of every table of average ranks."""
    return [
        *(_statistic("I", f"θ = {t:g}", TABLE_I[t], TABLE_I_F[t]) for t in TABLE_I),
        *(_statistic("II", f"θ = δ = {t:g}", TABLE_II[t], TABLE_II_F[t]) for t in TABLE_II),
        *(_statistic("III", f"{v}, θ = δ = {s:g}", TABLE_III[v, s], None) for v, s in TABLE_III),
        _statistic("IV", "tuned", TABLE_IV, TABLE_IV_F),
    ]


def unrounded(ranks: AverageRanks) -> AverageRanks:
    """Return the averages that were rounded: ranks are halves, so their sums are."""
    halves = 2 * ranks.n_datasets
    return AverageRanks(
        ranks.methods, [round(r * halves) / halves for r in ranks.ranks], ranks.n_datasets
    )


def ranks_of_s8() -> AverageRanks:
    """Return the average ranks that the scores of Table S.VIII give."""
    return average_ranks([*TABLE_S8.values()], methods=METHODS)


def ranks_of_s9() -> AverageRanks:
    """Return the average ranks of Table S.IX, before rounding."""
    averages = np.mean([*TABLE_S9.values()], axis=0)
    return AverageRanks(METHODS, averages.tolist(), len(TABLE_S9))


def scores_with_a_digit_lost(dataset: str, method: str) -> list[str]:
    """Return how a score of Table S.VIII may read with one digit more, so that S.IX is right."""
    j = METHODS.index(method)
    scores, ranks = TABLE_S8[dataset], TABLE_S9[dataset]
    text = f"{scores[j]}"
    longer = {
        text[:i] + digit + text[i:] for i in range(2, len(text) + 1) for digit in "0123456789"
    }

    def is_ranked_as_printed(score: str) -> bool:
        changed = [float(score) if k == j else s for k, s in enumerate(scores)]
        return average_ranks([changed, changed], methods=METHODS).ranks == tuple(ranks)

    return sorted(score for score in longer if is_ranked_as_printed(score))


def wrongly_ranked() -> Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    """Return the data sets whose ranks in S.IX are not those of S.VIII: printed and right ones."""
    found = {}
    for dataset, scores in TABLE_S8.items():
        right = average_ranks([scores, scores], methods=METHODS).ranks
        if right != tuple(TABLE_S9[dataset]):
            found[dataset] = (tuple(TABLE_S9[dataset]), right)
    return found


def gap(ranks: AverageRanks, one: str, other: str) -> float:
    """Return by how much one method ranks ahead of another."""
    return ranks.of(other) - ranks.of(one)


def _statistic(table: str, case: str, ranks: AverageRanks, printed: float | None) -> Statistic:
    test = friedman_test(ranks)
    return Statistic(
        table, case, printed, test.f, friedman_test(unrounded(ranks)).f, test.critical_value,
        nemenyi_test(ranks).critical_difference,
    )  # fmt: skip
