"""Every claim of the paper's evaluation, and what the results say of it."""

from __future__ import annotations

from functools import cache

from boxwise.paper.report.claims import (
    alpha,
    delta,
    encoders,
    find_alpha,
    introduction,
    mixed,
    theta,
    tuned,
)
from boxwise.paper.report.claims.claim import Claim, Finding, Judgement, Outcome, judge

__all__ = ["Claim", "Finding", "Judgement", "Outcome", "all_claims", "judge"]


@cache
def all_claims() -> tuple[Claim, ...]:
    """Return the claims, in the paper's order."""
    parts = (introduction, theta, alpha, delta, mixed, encoders, find_alpha, tuned)
    return tuple(claim for part in parts for claim in part.claims())
