"""Section IV.A.2: what the paper says of delta."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from statistics import fmean

import numpy as np

from boxwise.paper.report.claims.claim import Check, Claim, Finding, on_most
from boxwise.paper.report.claims.oscillation import MEASURES, moves_more
from boxwise.paper.report.curves import Curve, delta_curve
from boxwise.paper.report.view import MissingError, View
from boxwise.paper.report.words import title

WHERE = "IV.A.2"
LITTLE = 0.02  # a change of the CBA that counts as small
SENSITIVE = ("australian", "heart", "post_operative")
MOST = "on more than half of the data sets"


def claims() -> Iterator[Claim]:
    """Return the claims, in the paper's order."""
    yield Claim(
        "6", "delta", WHERE, "v1 changes very little for δ < 0.7.",
        changes_little("v1", lambda delta: delta < 0.7), f"a range of at most {LITTLE} {MOST}",
    )  # fmt: skip
    yield Claim(
        "7a", "delta", WHERE,
        "For v1, δ ≥ 0.7 matters on australian, heart and post operative.", large_delta_matters,
        f"somewhere in δ ≥ 0.7 the CBA is more than {LITTLE} away from its mean for δ < 0.7, on "
        "each of the three",
        datasets=SENSITIVE,
    )  # fmt: skip
    yield Claim(
        "7b", "delta", WHERE,
        "For v1, δ = 1 matters most on australian, heart and post operative.", most_at_one,
        "of all δ ≥ 0.7, that furthest from the mean for δ < 0.7, on each of the three",
        datasets=SENSITIVE,
    )  # fmt: skip
    yield Claim(
        "7c", "delta", WHERE, "The error of v1 is relatively high for δ ≥ 0.7.",
        large_delta_is_worse,
        f"the mean CBA over δ ≥ 0.7 is lower than that over δ < 0.7, {MOST}",
    )  # fmt: skip
    yield Claim(
        "8a", "delta", WHERE, "v2 changes little for δ < 0.2.",
        changes_little("v2", lambda delta: delta < 0.2), f"a range of at most {LITTLE} {MOST}",
    )  # fmt: skip
    yield Claim(
        "8b", "delta", WHERE, "v2 changes little for δ ≥ 0.7.",
        changes_little("v2", lambda delta: delta >= 0.7), f"a range of at most {LITTLE} {MOST}",
    )  # fmt: skip
    yield Claim(
        "8c", "delta", WHERE, "v2 changes much for δ from 0.2 to 0.7.", middle_matters_most,
        f"its range there is larger than for δ < 0.2 and than for δ ≥ 0.7, {MOST}",
    )  # fmt: skip
    yield Claim(
        "9", "delta", WHERE, "δ matters more to v2 than to v1.", matters_more_to_v2,
        f"a larger range of the CBA over δ {MOST}",
        readings={m: partial(matters_more_to_v2, measure=m) for m in MEASURES if m != "range"},
    )  # fmt: skip
    yield Claim(
        "10", "delta", WHERE, "v1 makes more boxes than v2.", v1_makes_more_boxes,
        f"more on average over δ < 1, {MOST}; at δ = 1 both are the same",
    )  # fmt: skip
    yield Claim(
        "41", "homogeneity", WHERE, "The boxes of v1 are more homogeneous than those of v2.",
        v1_is_more_homogeneous,
        f"the entropy of the categories within a box is lower on average over δ < 1, {MOST}; mean "
        "over columns, and over boxes by their rows",
    )  # fmt: skip


def changes_little(version: str, chosen: Callable[[float], bool]) -> Check:
    """Whether the score ranges little over some values of delta."""

    def check(view: View) -> Finding:
        ranges = {d: np.ptp(c.where(chosen)) for d, c in _curves(view, version).items()}
        finding = on_most({d: bool(r <= LITTLE) for d, r in ranges.items()})
        median = np.median([*ranges.values()])
        return Finding(finding.holds, f"{finding.numbers}; median range {median:.3f}")

    return check


def large_delta_matters(view: View) -> Finding:
    """Find whether large values of delta change the score of version 1."""
    changes = {d: max(map(abs, c.values())) for d, c in _changes(view).items()}
    numbers = ", ".join(f"{title(d)} by {change:.3f}" for d, change in changes.items())
    return Finding(all(change > LITTLE for change in changes.values()), f"changes {numbers}")


def most_at_one(view: View) -> Finding:
    """Find whether delta = 1 changes the score of version 1 most."""
    where = {d: max(c, key=lambda x: (abs(c[x]), x)) for d, c in _changes(view).items()}
    numbers = ", ".join(f"{title(d)} at δ = {x:g}" for d, x in where.items())
    return Finding(all(x == 1 for x in where.values()), f"most on {numbers}")


def large_delta_is_worse(view: View) -> Finding:
    """Find whether version 1 is worse with a large delta."""
    return on_most(
        {
            d: bool(c.where(lambda x: x >= 0.7).mean() < c.where(lambda x: x < 0.7).mean())
            for d, c in _curves(view, "v1").items()
        }
    )


def middle_matters_most(view: View) -> Finding:
    """Find whether the score of version 2 ranges furthest between 0.2 and 0.7."""
    flags = {}
    for dataset, curve in _curves(view, "v2").items():
        middle = np.ptp(curve.where(lambda x: 0.2 <= x <= 0.7))
        ends = (lambda x: x < 0.2), (lambda x: x >= 0.7)
        flags[dataset] = all(middle > np.ptp(curve.where(end)) for end in ends)
    return on_most(flags)


def matters_more_to_v2(view: View, measure: str = "range") -> Finding:
    """Find whether the score of version 2 moves more over delta."""
    one, other = ({d: c.cba for d, c in _curves(view, version).items()} for version in ("v2", "v1"))
    return moves_more(one, other, measure)


def v1_makes_more_boxes(view: View) -> Finding:
    """Find whether version 1 makes more boxes where delta limits them."""
    one, other = _curves(view, "v1"), _curves(view, "v2")
    return on_most({d: _boxes(one[d]) > _boxes(other[d]) for d in one})


def v1_is_more_homogeneous(view: View) -> Finding:
    """Find whether the categories within a box of version 1 have the lower entropy."""
    gauge = view.gauge("homogeneity")
    bits = {
        d: [fmean(gauge.mean(d, v, delta) for delta in gauge.whats(v)) for v in ("v1", "v2")]
        for d in gauge.datasets
    }
    finding = on_most({d: one < other for d, (one, other) in bits.items()})
    one, other = (fmean(pair[i] for pair in bits.values()) for i in (0, 1))
    return Finding(finding.holds, f"{finding.numbers}; mean v1 {one:.3f} bits, v2 {other:.3f}")


def _boxes(curve: Curve) -> float:
    return float(curve.boxes[curve.x < 1].mean())


def _changes(view: View) -> dict[str, dict[float, float]]:
    """Return by how much each delta >= 0.7 differs from the mean of those below."""
    changes = {}
    for dataset in SENSITIVE:
        curve = delta_curve(view, dataset, "v1")
        below = curve.where(lambda x: x < 0.7).mean()
        changes[dataset] = {
            float(x): float(cba - below)
            for x, cba in zip(curve.x, curve.cba, strict=True)
            if x >= 0.7
        }
    return changes


def _curves(view: View, version: str) -> dict[str, Curve]:
    datasets = view.results("delta").datasets
    if not datasets:
        raise MissingError("no results of experiment delta")
    return {d: delta_curve(view, d, version) for d in datasets}
