"""Section IV.A.1: what the paper says of alpha."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from boxwise.paper.report.claims.claim import Check, Claim, Finding, both, on_most
from boxwise.paper.report.claims.oscillation import MEASURES, moves_more
from boxwise.paper.report.curves import LARGE, SMALL, Curve, alpha_curve, share
from boxwise.paper.report.view import MissingError, View

WHERE = "IV.A.1"
NEAR, ALIKE = 0.15, 0.9
CASES = (("a", "v1", LARGE), ("b", "v1", SMALL), ("c", "v2", SMALL))


def claims() -> Iterator[Claim]:
    """Return the claims, in the paper's order."""
    for letter, version, size in CASES:
        yield Claim(
            f"1{letter}", "alpha", WHERE,
            f"{_case(version, size)}: with one kind of columns alone (α = 0, α = 1) the CBA is "
            "usually lower than with both.",
            one_kind_is_worse(version, size),
            "lower than at the grid value between 0 and 1 nearest to n/(n+r), on more than half "
            "of the data sets, at either end",
        )  # fmt: skip
    yield Claim(
        "2", "alpha", WHERE, "v1 and v2 respond to α alike on many data sets.",
        versions_respond_alike,
        f"small boxes; the two curves correlate by more than {ALIKE} on more than half",
    )  # fmt: skip
    for letter, version in (("a", "v1"), ("b", "v2")):
        yield Claim(
            f"3{letter}", "alpha", WHERE,
            f"{version}: α has more influence with small boxes than with large ones.",
            small_boxes_depend_more(version, "range"),
            "the range of the CBA over α is larger, on more than half of the data sets; the paper "
            "speaks of a degree of oscillation and names no measure",
            readings={
                f"{measure} over {alphas}": small_boxes_depend_more(version, measure, chosen)
                for alphas, chosen in (("all α", _any), ("0 < α < 1", _inside))
                for measure in MEASURES
                if (measure, chosen) != ("range", _any)
            },
        )  # fmt: skip
    for letter, version, size in CASES:
        yield Claim(
            f"4{letter}", "alpha", WHERE,
            f"{_case(version, size)}: the highest CBA is usually at an α near n/(n+r).",
            best_is_near_share(version, size),
            f"no further than {NEAR} from it on more than half of the data sets",
        )  # fmt: skip
    yield Claim(
        "5", "alpha", WHERE, "With δ = 1, v1 and v2 are identical.", versions_are_identical,
        "the same CBA and number of boxes in every fold, exactly",
    )  # fmt: skip


def one_kind_is_worse(version: str, size: float) -> Check:
    """Whether alpha = 0 and alpha = 1 are worse than an alpha that uses all columns."""

    def check(view: View) -> Finding:
        curves = _curves(view, version, size)
        return both(
            *(
                on_most({d: c.at(end) < _inner(c, d) for d, c in curves.items()}, f"α = {end:g}")
                for end in (0.0, 1.0)
            )
        )

    return check


def versions_respond_alike(view: View) -> Finding:
    """Find whether the curves of both versions run in parallel."""
    one, other = (_curves(view, version, SMALL) for version in ("v1", "v2"))
    return on_most({d: _correlation(one[d].cba, other[d].cba) > ALIKE for d in one})


def _any(alpha: float) -> bool:
    return True


def _inside(alpha: float) -> bool:
    return 0 < alpha < 1


def small_boxes_depend_more(
    version: str, measure: str, chosen: Callable[[float], bool] = _any
) -> Check:
    """Whether the score moves more over alpha with small boxes, by a measure of oscillation."""

    def check(view: View) -> Finding:
        small, large = (
            {d: c.where(chosen) for d, c in _curves(view, version, size).items()}
            for size in (SMALL, LARGE)
        )
        return moves_more(small, large, measure)

    return check


def best_is_near_share(version: str, size: float) -> Check:
    """Whether the best alpha is near n/(n+r)."""

    def check(view: View) -> Finding:
        curves = _curves(view, version, size)
        away = {d: abs(c.best(share(d)) - share(d)) for d, c in curves.items()}
        return on_most({d: far <= NEAR + 1e-9 for d, far in away.items()})

    return check


def versions_are_identical(view: View) -> Finding:
    """Find whether the two versions agree fold by fold with the largest boxes."""
    results = view.results("alpha")
    settings = [s for s in results.settings if s.method == "v1" and s.theta == LARGE]
    pairs = [
        (one, other)
        for dataset in results.datasets
        for s in settings
        for one, other in zip(
            results.rows(dataset, s), results.rows(dataset, s._replace(method="v2")), strict=False
        )
    ]
    if not pairs:
        raise MissingError("no results of experiment alpha")
    same = sum((one.cba, one.boxes) == (other.cba, other.boxes) for one, other in pairs)
    return Finding(same == len(pairs), f"the same in {same} of {len(pairs)} runs")


def _case(version: str, size: float) -> str:
    return "Large boxes" if size == LARGE else f"Small boxes, {version}"


def _curves(view: View, version: str, size: float) -> dict[str, Curve]:
    datasets = view.results("alpha").datasets
    if not datasets:
        raise MissingError("no results of experiment alpha")
    return {d: alpha_curve(view, d, version, size) for d in datasets}


def _inner(curve: Curve, dataset: str) -> float:
    inside = curve.x[(curve.x > 0) & (curve.x < 1)]
    if not len(inside):
        raise MissingError("the grid of α has no value between 0 and 1")
    return curve.at(float(inside[np.argmin(np.abs(inside - share(dataset)))]))


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 1.0 if np.array_equal(one, other) else 0.0
    return float(np.corrcoef(one, other)[0, 1])
