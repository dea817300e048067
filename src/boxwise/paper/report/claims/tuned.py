"""Section IV.C.2: what the paper says of the algorithms when all parameters are tuned."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from boxwise.paper.report.claims.by_rank import (
    Predicate,
    ahead,
    best,
    not_significantly_better,
    rank_claim,
    rejects,
    significantly_better,
)
from boxwise.paper.report.claims.claim import Check, Claim, Finding, both
from boxwise.paper.report.claims.mixed import AT_PRINTED
from boxwise.paper.report.printed import METHODS, TABLE_I, TABLE_IV
from boxwise.paper.report.ranking import (
    THETAS,
    VERSIONS,
    Choice,
    best_settings,
    mixed_ranks,
    printed_settings,
    settings_of,
    tuned_columns,
    tuned_ranks,
)
from boxwise.paper.report.view import MissingError, View
from boxwise.paper.report.words import title

WHERE = "IV.C.2"
WORSE_WHEN_TUNED = ("cmc", "zoo", "australian", "japanese_credit")
M1_LEADS_M2 = ahead(["M1"], ["M2"])


def claims() -> Iterator[Claim]:
    """Return the claims, in the paper's order."""
    yield _ranked("30a", "v1 and v2 rank ahead of M1 and M2.", ahead(VERSIONS, ("M1", "M2")))
    yield _ranked("30b", "v1 ranks best.", best("v1"))
    yield Claim(
        "31a", "mixed", WHERE, "With fixed settings M1 is better than M2.",
        m1_leads_m2,
        "the better average rank of Table I at each θ",
        both(*(M1_LEADS_M2(TABLE_I[theta]) for theta in THETAS)),
        readings={AT_PRINTED: partial(m1_leads_m2, choose=printed_settings)},
    )  # fmt: skip
    yield _ranked("31b", "Tuned, M2 is better than M1.", ahead(["M2"], ["M1"]))
    for letter, dataset in zip("abcd", WORSE_WHEN_TUNED, strict=True):
        yield Claim(
            f"32{letter}", "tuned", WHERE,
            f"On {title(dataset)}, tuning is worse than fixed settings.", tuning_is_worse(dataset),
            "lower than the best fixed setting of experiment mixed, for more than half of the "
            "four methods; that best is chosen by the test folds, which flatters it",
            others=("mixed",), datasets=(dataset,),
        )  # fmt: skip
    yield _ranked("33", "The four methods differ significantly.", rejects)
    yield _ranked("34", "v1 is significantly better than M1.", significantly_better(["v1"], ["M1"]))
    yield _ranked("35", "v1 is significantly better than M2.", significantly_better(["v1"], ["M2"]))
    yield _ranked(
        "36", "v2 is not significantly better than M1 nor than M2.",
        not_significantly_better(["v2"], ["M1", "M2"]),
    )  # fmt: skip


def m1_leads_m2(view: View, choose: Choice = best_settings) -> Finding:
    """Find whether M1 ranks ahead of M2 at every theta of Table I."""
    return both(*(M1_LEADS_M2(mixed_ranks(view, theta, choose)) for theta in THETAS))


def tuning_is_worse(dataset: str) -> Check:
    """Whether most methods do better on a data set with the best of their fixed settings."""

    def check(view: View) -> Finding:
        fixed, tuned = view.results("mixed"), view.results("tuned")
        columns = tuned_columns()
        pairs = {}
        for method in METHODS:
            settings = [s for theta in THETAS for s in settings_of(fixed, method, theta)]
            known = [s for s in settings if fixed.rows(dataset, s)]
            if not known or not tuned.rows(dataset, columns[method]):
                raise MissingError(f"no results of {method} on {title(dataset)}, fixed and tuned")
            top = max(fixed.mean(dataset, setting) for setting in known)
            pairs[method] = (tuned.mean(dataset, columns[method]), top)
        worse = sum(ours < top for ours, top in pairs.values())
        numbers = ", ".join(f"{m} {ours:.3f} / {top:.3f}" for m, (ours, top) in pairs.items())
        return Finding(2 * worse > len(pairs), f"tuned / best fixed: {numbers}")

    return check


def _ranked(number: str, text: str, predicate: Predicate) -> Claim:
    return rank_claim(number, "tuned", WHERE, text, tuned_ranks, predicate, TABLE_IV)
