"""Claims about average ranks: who is ahead, and whether by more than chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations

from boxwise.evaluate import AverageRanks, critical_difference, friedman_test
from boxwise.paper.report.claims.claim import Check, Claim, Finding
from boxwise.paper.report.view import View
from boxwise.paper.report.words import listed, name, number

Predicate = Callable[[AverageRanks], Finding]


def rank_claim(
    number: str,
    experiment: str,
    where: str,
    text: str,
    ranks: Callable[[View], AverageRanks],
    predicate: Predicate,
    printed: AverageRanks,
    readings: Mapping[str, Callable[[View], AverageRanks]] | None = None,
) -> Claim:
    """Make a claim that is decided by average ranks, ours and those the paper prints.

    `readings` are other average ranks of ours by which to decide it too.
    """
    return Claim(
        number, experiment, where, text,
        check=_by(ranks, predicate),
        printed=predicate(printed),
        readings={name: _by(ranks, predicate) for name, ranks in (readings or {}).items()},
    )  # fmt: skip


def _by(ranks: Callable[[View], AverageRanks], predicate: Predicate) -> Check:
    return lambda view: predicate(ranks(view))


def ahead(leaders: Iterable[str], others: Sequence[str]) -> Predicate:
    """Whether each of some methods has a better average rank than each of others."""
    leaders = [*leaders]

    def predicate(ranks: AverageRanks) -> Finding:
        last, first = max(map(ranks.of, leaders)), min(map(ranks.of, others))
        return Finding(last < first, _ranks(ranks, [*leaders, *others]))

    return predicate


def first_two(one: str, other: str) -> Predicate:
    """Whether no method has a better average rank than these two."""

    def predicate(ranks: AverageRanks) -> Finding:
        rest = [m for m in ranks.methods if m not in (one, other)]
        return ahead((one, other), rest)(ranks)

    return predicate


def best(method: str) -> Predicate:
    """Whether a method has the best average rank of all."""
    return lambda ranks: ahead([method], [m for m in ranks.methods if m != method])(ranks)


def worst(method: str) -> Predicate:
    """Whether a method has the worst average rank of all."""
    return lambda ranks: ahead([m for m in ranks.methods if m != method], [method])(ranks)


def rejects(ranks: AverageRanks) -> Finding:
    """Find whether Friedman's test says that the methods differ."""
    test = friedman_test(ranks)
    sign = ">" if test.rejected else "≤"
    a, b = test.degrees
    numbers = f"F_F = {test.f:.3f} {sign} F({a}, {b}) = {test.critical_value:.3f}"
    return Finding(test.rejected, numbers)


def significantly_better(leaders: Sequence[str], others: Sequence[str]) -> Predicate:
    """Whether each of some methods is better than each of others by more than chance."""

    def predicate(ranks: AverageRanks) -> Finding:
        pairs = [(one, other) for one in leaders for other in others]
        return Finding(all(_beats(ranks, *pair) for pair in pairs), _gaps(ranks, pairs, min))

    return predicate


def not_significantly_better(leaders: Sequence[str], others: Sequence[str]) -> Predicate:
    """Whether none of some methods is better than any of others by more than chance."""

    def predicate(ranks: AverageRanks) -> Finding:
        pairs = [(one, other) for one in leaders for other in others]
        return Finding(not any(_beats(ranks, *pair) for pair in pairs), _gaps(ranks, pairs, max))

    return predicate


def no_difference(methods: Sequence[str]) -> Predicate:
    """Whether no two of some methods differ by more than chance."""

    def predicate(ranks: AverageRanks) -> Finding:
        pairs = [*combinations(sorted(methods, key=ranks.of), 2)]
        return Finding(not any(_beats(ranks, *pair) for pair in pairs), _gaps(ranks, pairs, max))

    return predicate


def _beats(ranks: AverageRanks, one: str, other: str) -> bool:
    # Nemenyi's test is asked only after Friedman's has said that there are differences.
    apart = ranks.of(other) - ranks.of(one)
    return friedman_test(ranks).rejected and apart >= _critical(ranks)


def _critical(ranks: AverageRanks) -> float:
    return _critical_difference(len(ranks.methods), ranks.n_datasets)


_critical_difference = cache(critical_difference)  # hundreds are asked for, few differ


def _ranks(ranks: AverageRanks, methods: Sequence[str]) -> str:
    shown = sorted(methods, key=ranks.of)
    return "average ranks: " + listed([f"{name(m)} {ranks.of(m):.3f}" for m in shown])


def _gaps(
    ranks: AverageRanks, pairs: Sequence[tuple[str, str]], decisive: Callable[..., tuple[str, str]]
) -> str:
    """Say how far apart the ranks are: of all pairs if few, else of the one that decides."""

    def apart(pair: tuple[str, str]) -> float:
        return ranks.of(pair[1]) - ranks.of(pair[0])

    lead, shown = "ranks apart", pairs
    if len(pairs) > 4:
        extreme = "least" if decisive is min else "furthest"
        lead, shown = f"{extreme} apart of {len(pairs)} pairs", [decisive(pairs, key=apart)]
    gaps = [f"{name(other)} − {name(one)} = {number(apart((one, other)))}" for one, other in shown]
    rejected = "" if friedman_test(ranks).rejected else "; F_F does not reject"
    return f"{lead}: {', '.join(gaps)}; CD = {_critical(ranks):.4f}{rejected}"
