"""Section IV.B.1: what the paper says of the algorithms for mixed columns at fixed settings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from boxwise.paper.report.claims.by_rank import (
    Predicate,
    ahead,
    no_difference,
    not_significantly_better,
    rank_claim,
    rejects,
    significantly_better,
)
from boxwise.paper.report.claims.claim import Check, Claim, Finding
from boxwise.paper.report.printed import METHODS, TABLE_I, TABLE_I_SECOND
from boxwise.paper.report.ranking import (
    THETAS,
    VERSIONS,
    Choice,
    best_setting,
    best_settings,
    mixed_ranks,
    printed_settings,
)
from boxwise.paper.report.view import MissingError, Setting, View
from boxwise.paper.report.words import second

WHERE = "IV.B.1"
FAR = 0.05
AT_PRINTED = "the settings printed in Table I"
LARGEST = {
    "M1": Setting("M1", "", 1.0, 1.0),
    "M2": Setting("M2", "", 1.0, 0.75),
    "v1": Setting("v1", "", 1.0, 1.0),
    "v2": Setting("v2", "", 1.0, 1.0),
}


def claims() -> Iterator[Claim]:
    """Return the claims, in the paper's order."""
    for letter, other in (("a", "M1"), ("b", "M2")):
        yield Claim(
            f"11{letter}", "mixed", WHERE,
            f"At the largest parameters v1 and v2 are far ahead of {other}.", far_ahead(other),
            f"θ = 1 and the largest η, β and δ; at least {FAR} in the mean CBA over the data sets",
        )  # fmt: skip
    for letter, method in zip("abcd", METHODS, strict=True):
        yield Claim(
            f"12{letter}", "mixed", WHERE,
            f"The best setting of {method} is {second(method, TABLE_I_SECOND[method])}.",
            best_setting_is(method, TABLE_I_SECOND[method]),
            "the best average rank of its three settings over the data sets, at each θ",
        )  # fmt: skip
    for letter, theta in zip("abc", THETAS, strict=True):
        yield _ranked(
            f"13{letter}", theta, "v1 and v2 are better than M1 and M2.",
            ahead(VERSIONS, ("M1", "M2")),
        )  # fmt: skip
    for letter, theta in zip("abc", THETAS, strict=True):
        yield _ranked(f"14{letter}", theta, "the four methods differ significantly.", rejects)
    yield _ranked(
        "15a", 0.1, "v1 and v2 are significantly better than M2.",
        significantly_better(VERSIONS, ("M2",)),
    )  # fmt: skip
    yield _ranked(
        "15b", 0.1, "v1 and v2 are not significantly better than M1.",
        not_significantly_better(VERSIONS, ("M1",)),
    )  # fmt: skip
    for letters, theta in (("ab", 0.7), ("cd", 1.0)):
        yield _ranked(
            f"16{letters[0]}", theta, "v1, v2 and M1 do not differ significantly.",
            no_difference(("v1", "v2", "M1")),
        )  # fmt: skip
        yield _ranked(
            f"16{letters[1]}", theta, "v1, v2 and M1 are each significantly better than M2.",
            significantly_better(("v1", "v2", "M1"), ("M2",)),
        )  # fmt: skip
    cases = (
        "the data sets at each θ, every method at its best setting only; more than half of them. "
        "Fewest and most: no method makes fewer, or more"
    )
    for letter, text, check in (
        ("a", "M2 makes the fewest boxes in most cases.", m2_makes_fewest),
        ("b", "v1 makes the most boxes in most cases.", v1_makes_most),
        ("c", "v2 usually makes fewer boxes than M1.", v2_makes_fewer_than_m1),
    ):
        yield Claim(
            f"17{letter}", "mixed", WHERE, text, check, cases,
            readings={AT_PRINTED: partial(check, choose=printed_settings)},
        )  # fmt: skip


def _ranked(number: str, theta: float, text: str, predicate: Predicate) -> Claim:
    return rank_claim(
        number, "mixed", WHERE, f"θ = {theta:g}: {text}", partial(mixed_ranks, theta=theta),
        predicate, TABLE_I[theta],
        {AT_PRINTED: partial(mixed_ranks, theta=theta, choose=printed_settings)},
    )  # fmt: skip


def far_ahead(other: str) -> Check:
    """Whether both versions are far ahead of another method where nothing limits the boxes."""

    def check(view: View) -> Finding:
        columns = [LARGEST["v1"], LARGEST["v2"], LARGEST[other]]
        table = view.results("mixed").means(columns)
        if not len(table):
            raise MissingError("no results of experiment mixed at the largest parameters")
        v1, v2, worse = table.mean(axis=0)
        wins = int((table[:, :2].min(axis=1) > table[:, 2]).sum())
        numbers = (
            f"mean CBA: v1 {v1:.3f}, v2 {v2:.3f}, {other} {worse:.3f}; both ahead on "
            f"{wins} of {len(table)} data sets"
        )
        return Finding(bool(min(v1, v2) - worse >= FAR), numbers)

    return check


def best_setting_is(method: str, expected: float) -> Check:
    """Whether a method is best with one value of its second parameter, whatever theta."""

    def check(view: View) -> Finding:
        results = view.results("mixed")
        found = {theta: best_setting(results, method, theta).second for theta in THETAS}
        numbers = ", ".join(f"{second(method, s)} at θ = {theta:g}" for theta, s in found.items())
        return Finding(all(s == expected for s in found.values()), f"best: {numbers}")

    return check


def m2_makes_fewest(view: View, choose: Choice = best_settings) -> Finding:
    """Find whether no method makes fewer boxes than M2, in most cases."""
    cases = _boxes(view, choose)
    alone = sum(all(c["M2"] < c[m] for m in ("M1", "v1", "v2")) for c in cases)
    return _in_most([all(c["M2"] <= c[m] for m in ("M1", "v1", "v2")) for c in cases], alone)


def v1_makes_most(view: View, choose: Choice = best_settings) -> Finding:
    """Find whether no method makes more boxes than version 1, in most cases."""
    cases = _boxes(view, choose)
    alone = sum(all(c["v1"] > c[m] for m in ("M1", "M2", "v2")) for c in cases)
    return _in_most([all(c["v1"] >= c[m] for m in ("M1", "M2", "v2")) for c in cases], alone)


def v2_makes_fewer_than_m1(view: View, choose: Choice = best_settings) -> Finding:
    """Find whether version 2 makes fewer boxes than M1, in most cases."""
    return _in_most([c["v2"] < c["M1"] for c in _boxes(view, choose)])


def _boxes(view: View, choose: Choice) -> list[dict[str, float]]:
    results = view.results("mixed")
    cases = []
    for theta in THETAS:
        chosen = choose(results, theta)
        cases += [
            {method: results.boxes(dataset, setting) for method, setting in chosen.items()}
            for dataset in results.complete([*chosen.values()])
        ]
    return cases


def _in_most(flags: list[bool], alone: int | None = None) -> Finding:
    shared = "" if alone is None else f", in {alone} of them no other equals it"
    return Finding(2 * sum(flags) > len(flags), f"in {sum(flags)} of {len(flags)} cases{shared}")
