"""Section IV.B.2: what the paper says of IOL-GFMM with encoders."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from boxwise.paper.report.claims.by_rank import (
    Predicate,
    ahead,
    no_difference,
    not_significantly_better,
    rank_claim,
    rejects,
    significantly_better,
)
from boxwise.paper.report.claims.claim import Claim
from boxwise.paper.report.printed import ENCODED, TABLE_II
from boxwise.paper.report.ranking import THETAS, VERSIONS, encoder_ranks

WHERE = "IV.B.2"


def claims() -> Iterator[Claim]:
    """Return the claims, in the paper's order."""
    for letter, (theta, version) in zip("abcdef", product(THETAS, VERSIONS), strict=True):
        text = f"{version} is better on average than IOL-GFMM with any of the encoders."
        yield _ranked(f"18{letter}", theta, text, ahead([version], ENCODED))
    for letter, theta in zip("abc", THETAS, strict=True):
        yield _ranked(f"19{letter}", theta, "the ten methods differ significantly.", rejects)
    beaten: tuple[str, ...] = ("one-hot", "helmert")
    yield _ranked(
        "20a", 0.1, "v1 and v2 are significantly better than one-hot and Helmert.",
        significantly_better(VERSIONS, beaten),
    )  # fmt: skip
    yield _ranked(
        "20b", 0.1, "v1 and v2 are not significantly better than any other encoder.",
        not_significantly_better(VERSIONS, _all_but(beaten)),
    )  # fmt: skip
    yield _ranked(
        "21a", 0.7, "v1 is significantly better than one-hot and Helmert.",
        significantly_better(("v1",), beaten),
    )  # fmt: skip
    yield _ranked(
        "21b", 0.7, "v1 is not significantly better than any other encoder.",
        not_significantly_better(("v1",), _all_but(beaten)),
    )  # fmt: skip
    yield _ranked(
        "21c", 0.7, "v2 is not significantly better than any encoder.",
        not_significantly_better(("v2",), ENCODED),
    )  # fmt: skip
    beaten = ("one-hot", "sum", "helmert")
    yield _ranked(
        "22a", 1.0, "v1 and v2 are significantly better than one-hot, sum and Helmert.",
        significantly_better(VERSIONS, beaten),
    )  # fmt: skip
    yield _ranked(
        "22b", 1.0, "v1 and v2 are not significantly better than any other encoder.",
        not_significantly_better(VERSIONS, _all_but(beaten)),
    )  # fmt: skip
    yield _ranked(
        "22c", 1.0, "no two encoders differ significantly.", no_difference(ENCODED)
    )  # fmt: skip


def _all_but(beaten: tuple[str, ...]) -> list[str]:
    return [encoder for encoder in ENCODED if encoder not in beaten]


def _ranked(number: str, theta: float, text: str, predicate: Predicate) -> Claim:
    return rank_claim(
        number, "encoders", WHERE, f"θ = δ = {theta:g}: {text}",
        partial(encoder_ranks, theta=theta), predicate, TABLE_II[theta],
    )  # fmt: skip
