"""Section IV.A.1: what the paper says of alpha."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from boxwise.paper.report.claims.claim import Check, Claim, Finding, both, on_most
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
            small_boxes_depend_more(version),
            "the range of the CBA over α is larger, on more than half of the data sets",
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


def small_boxes_depend_more(version: str) -> Check:
    """Whether the score ranges further over alpha with small boxes."""

    def check(view: View) -> Finding:
        small, large = (_curves(view, version, size) for size in (SMALL, LARGE))
        whole = _compare_ranges(small, large, lambda alpha: True)
        inner = _compare_ranges(small, large, lambda alpha: 0 < alpha < 1)
        return Finding(whole.holds, f"{whole.numbers}; over 0 < α < 1 alone: {inner.numbers}")

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
    sheet = view.sheet("alpha")
    settings = [s for s in sheet.settings if s.method == "v1" and s.theta == LARGE]
    pairs = [
        (one, other)
        for dataset in sheet.datasets
        for s in settings
        for one, other in zip(
            sheet.rows(dataset, s), sheet.rows(dataset, s._replace(method="v2")), strict=False
        )
    ]
    if not pairs:
        raise MissingError("no results of experiment alpha")
    same = sum((one.cba, one.boxes) == (other.cba, other.boxes) for one, other in pairs)
    return Finding(same == len(pairs), f"the same in {same} of {len(pairs)} runs")


def _case(version: str, size: float) -> str:
    return "Large boxes" if size == LARGE else f"Small boxes, {version}"


def _curves(view: View, version: str, size: float) -> dict[str, Curve]:
    datasets = view.sheet("alpha").datasets
    if not datasets:
        raise MissingError("no results of experiment alpha")
    return {d: alpha_curve(view, d, version, size) for d in datasets}


def _compare_ranges(
    small: dict[str, Curve], large: dict[str, Curve], chosen: Callable[[float], bool]
) -> Finding:
    ranges = {d: (np.ptp(small[d].where(chosen)), np.ptp(large[d].where(chosen))) for d in small}
    a, b = np.median([*ranges.values()], axis=0)
    finding = on_most({d: bool(one > other) for d, (one, other) in ranges.items()})
    return Finding(finding.holds, f"{finding.numbers} (median range {a:.3f} against {b:.3f})")


def _inner(curve: Curve, dataset: str) -> float:
    inside = curve.x[(curve.x > 0) & (curve.x < 1)]
    if not len(inside):
        raise MissingError("the grid of α has no value between 0 and 1")
    return curve.at(float(inside[np.argmin(np.abs(inside - share(dataset)))]))


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 1.0 if np.array_equal(one, other) else 0.0
    return float(np.corrcoef(one, other)[0, 1])
