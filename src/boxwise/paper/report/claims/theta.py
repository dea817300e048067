"""Section IV.A: what the paper says of theta, on the word of an earlier study."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from boxwise.paper.report.claims.claim import Check, Claim, Finding
from boxwise.paper.report.curves import share
from boxwise.paper.report.ranking import VERSIONS, settings_of
from boxwise.paper.report.view import ExperimentResults, MissingError, Setting, View

WHERE = "IV.A"
CASES = (
    "θ = 0.1 against θ = 1 at each of the three δ of experiment mixed, on the data sets with "
    "numeric columns; more than half of the cases"
)
Quantity = Callable[[ExperimentResults, str, Setting], float]


def claims() -> Iterator[Claim]:
    """Return the claims, in the paper's order."""
    for letter, version in zip("ab", VERSIONS, strict=True):
        yield Claim(
            f"40{letter}", "mixed", WHERE, f"{version}: a smaller θ is usually better.",
            smaller_theta_has_more(version, ExperimentResults.mean),
            f"the higher mean CBA; {CASES}",
        )  # fmt: skip
    for letter, version in zip("cd", VERSIONS, strict=True):
        yield Claim(
            f"40{letter}", "mixed", WHERE,
            f"{version}: the smaller θ is, the more complex is the model.",
            smaller_theta_has_more(version, ExperimentResults.boxes),
            f"more hyperboxes; {CASES}",
        )  # fmt: skip


def smaller_theta_has_more(version: str, quantity: Quantity) -> Check:
    """Whether a small theta has the higher score, or more boxes, than the largest."""

    def check(view: View) -> Finding:
        results = view.results("mixed")
        pairs = [
            (quantity(results, dataset, small), quantity(results, dataset, large))
            for small, large in zip(
                settings_of(results, version, 0.1), settings_of(results, version, 1.0), strict=True
            )
            for dataset in results.complete([small, large])
            if share(dataset) > 0
        ]
        if not pairs:
            raise MissingError("no results of experiment mixed with numeric columns")
        more, fewer = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
        numbers = f"more in {more} of {len(pairs)} cases, less in {fewer}"
        return Finding(2 * more > len(pairs), numbers)

    return check
