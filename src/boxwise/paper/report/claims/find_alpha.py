"""Section IV.C.1: what the paper says of the ways to find alpha."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import fmean, median

from boxwise.paper.report.claims.by_rank import (
    Predicate,
    ahead,
    best,
    first_two,
    rank_claim,
    worst,
)
from boxwise.paper.report.claims.claim import Check, Claim, Finding, on_most
from boxwise.paper.report.curves import LARGE, SMALL, alpha_curve, share
from boxwise.paper.report.printed import TABLE_III
from boxwise.paper.report.ranking import SIZES, VERSIONS, way_columns, way_ranks
from boxwise.paper.report.view import View

WHERE = "IV.C.1"
WIDER = "the largest less the smallest α found, on more than half of the data sets"
NEAR = "no further than 0.15 from the best α of experiment alpha, on more than half"
NEARER = (
    "the median α found is nearer to the best α of experiment alpha, on more than half of the "
    "data sets; equally near counts as not"
)


def claims() -> Iterator[Claim]:
    """Return the claims, in the paper's order."""
    for number, text, predicate in (
        ("23", "Est-α-v1 has the best rank.", best("estimate")),
        ("24", "Est-α-v2 has the worst rank.", worst("estimate-scores")),
        ("25", "α = n/(n+r) ranks better than tuned α.", ahead(["fixed"], ["tuned"])),
    ):
        for letter, version in zip("ab", VERSIONS, strict=True):
            yield _ranked(f"{number}{letter}", version, SMALL, text, predicate)
    two = first_two("tuned", "estimate-scores")
    yield _ranked("26", "v1", LARGE, "tuned α and Est-α-v2 have the best ranks.", two)
    yield _ranked("27", "v1", LARGE, "Est-α-v1 has the worst rank.", worst("estimate"))
    for letter, version in zip("ab", VERSIONS, strict=True):
        yield Claim(
            f"42{letter}", "times", WHERE, f"{version}: estimating α is faster than tuning it.",
            estimating_is_faster(version),
            "less time of the processor, for both θ = δ = 0.1 and 1, on more than half of the data "
            "sets; the same inner folds, 33 models to tune and 6 of a part of the columns to "
            "estimate",
        )  # fmt: skip
    for letter, (version, size) in zip("abc", SIZES, strict=True):
        yield Claim(
            f"28{letter}", "find-alpha", WHERE,
            f"{_case(version, size)}: tuned α spreads widest.", tuned_spreads_widest(version, size),
            WIDER,
        )  # fmt: skip
    for letter, (version, size) in zip("def", SIZES, strict=True):
        yield Claim(
            f"28{letter}", "find-alpha", WHERE,
            f"{_case(version, size)}: the median of the tuned α lies near the best α.",
            tuned_lies_near(version, size), NEAR, others=("alpha",),
        )  # fmt: skip
    for letter, version in zip("ab", VERSIONS, strict=True):
        yield Claim(
            f"29{letter}", "find-alpha", WHERE,
            f"{_case(version, SMALL)}: Est-α-v2 spreads wider than Est-α-v1.",
            spreads_wider("estimate-scores", "estimate", version, SMALL), WIDER,
        )  # fmt: skip
    for letter, version, size, one, other in (
        ("c", "v1", SMALL, "estimate", "estimate-scores"),
        ("d", "v2", SMALL, "estimate", "estimate-scores"),
        ("e", "v1", LARGE, "estimate-scores", "estimate"),
    ):
        names = {"estimate": "Est-α-v1", "estimate-scores": "Est-α-v2"}
        yield Claim(
            f"29{letter}", "find-alpha", WHERE,
            f"{_case(version, size)}: {names[one]} lies nearer to the best α than {names[other]}.",
            lies_nearer(one, other, version, size), NEARER, others=("alpha",),
        )  # fmt: skip


def estimating_is_faster(version: str) -> Check:
    """Whether tuning alpha takes longer than estimating it."""

    def check(view: View) -> Finding:
        gauge = view.gauge("times")
        ratios = {
            d: [gauge.mean(d, version, f"{s:g}") for s in (SMALL, LARGE)] for d in gauge.datasets
        }
        finding = on_most({d: min(both) > 1 for d, both in ratios.items()})
        small, large = (median(pair[i] for pair in ratios.values()) for i in (0, 1))
        numbers = f"median ratio {small:.1f} with small boxes, {large:.1f} with large ones"
        return Finding(finding.holds, f"{finding.numbers}; {numbers}")

    return check


def tuned_spreads_widest(version: str, size: float) -> Check:
    """Whether tuned alphas spread wider than both estimates."""

    def check(view: View) -> Finding:
        spreads = _spreads(view, version, size)
        flags = {
            d: s["tuned"] > max(s["estimate"], s["estimate-scores"]) for d, s in spreads.items()
        }
        return on_most(flags)

    return check


def tuned_lies_near(version: str, size: float) -> Check:
    """Whether the median of the tuned alphas is near the alpha of the best score."""

    def check(view: View) -> Finding:
        flags = {}
        for dataset, found in _found(view, version, size).items():
            top = alpha_curve(view, dataset, version, size).best(share(dataset))
            flags[dataset] = abs(median(found["tuned"]) - top) <= 0.15 + 1e-9
        return on_most(flags)

    return check


def spreads_wider(one: str, other: str, version: str, size: float) -> Check:
    """Whether the alphas found in one way spread wider than those found in another."""

    def check(view: View) -> Finding:
        spreads = _spreads(view, version, size)
        finding = on_most({d: s[one] > s[other] for d, s in spreads.items()})
        a, b = (fmean(s[way] for s in spreads.values()) for way in (one, other))
        return Finding(finding.holds, f"{finding.numbers}; mean range {a:.3f} against {b:.3f}")

    return check


def lies_nearer(one: str, other: str, version: str, size: float) -> Check:
    """Whether the alphas found in one way are nearer to the best than those found in another."""

    def check(view: View) -> Finding:
        flags = {}
        for dataset, found in _found(view, version, size).items():
            top = alpha_curve(view, dataset, version, size).best(share(dataset))
            away = {way: round(abs(median(found[way]) - top), 9) for way in (one, other)}
            flags[dataset] = away[one] < away[other]
        return on_most(flags)

    return check


def _found(view: View, version: str, size: float) -> dict[str, dict[str, list[float]]]:
    results, columns = view.results("find-alpha"), way_columns(version, size)
    return {
        dataset: {
            way: [row.alpha or 0.0 for row in results.rows(dataset, setting)]
            for way, setting in columns.items()
        }
        for dataset in results.complete([*columns.values()])
    }


def _spreads(view: View, version: str, size: float) -> dict[str, dict[str, float]]:
    return {
        dataset: {way: max(alphas) - min(alphas) for way, alphas in found.items()}
        for dataset, found in _found(view, version, size).items()
    }


def _case(version: str, size: float) -> str:
    return "Large boxes" if size == LARGE else f"Small boxes, {version}"


def _ranked(number: str, version: str, size: float, text: str, predicate: Predicate) -> Claim:
    return rank_claim(
        number, "find-alpha", WHERE, f"{_case(version, size)}: {text}",
        partial(way_ranks, version=version, size=size), predicate, TABLE_III[version, size],
    )  # fmt: skip
