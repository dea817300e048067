"""Abstract and section I: what the paper says of its algorithm and of others before any test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean

from boxwise.paper.measurements.encodings import (
    ANOTHER_ORDER,
    APART,
    CODES,
    OTHER_LATER,
    PREDICTIONS,
)
from boxwise.paper.measurements.new_values import SEEN, UNSEEN
from boxwise.paper.report.claims.claim import Check, Claim, Finding, on_most
from boxwise.paper.report.printed import METHODS
from boxwise.paper.report.ranking import THETAS, VERSIONS, printed_settings, tuned_columns
from boxwise.paper.report.view import ExperimentResults, MissingError, Setting, View

ABSTRACT, INTRODUCTION = "abstract", "I"
OLDER = ("M1", "M2")
MOST = "on more than half of the data sets"
MANY = 0.1  # the share of codes that must differ to count
FIXED = "the settings printed in Table I"

# Results and the settings of the methods in them.
Columns = Callable[[View], list[tuple[ExperimentResults, dict[str, Setting]]]]


def claims() -> Iterator[Claim]:
    """Return the claims, in the paper's order."""
    for letter, version in zip("ab", VERSIONS, strict=True):
        yield Claim(
            f"37{letter}", "tuned", ABSTRACT,
            f"The performance of {version} is stable in comparison to M1 and M2.",
            folds_differ_less(version, _tuned),
            "tuned; the standard deviation of the CBA over the folds is smaller than that of M1 "
            f"and than that of M2, {MOST}. The paper does not say what stable means",
            others=("mixed",),
            readings={
                f"the standard deviation at {FIXED}": folds_differ_less(version, _fixed),
                "the largest shortfall behind the best of the four on any data set, tuned":
                    falls_less_short(version, _tuned),
                f"the largest shortfall at {FIXED}": falls_less_short(version, _fixed),
            },
        )  # fmt: skip
    for letter, method, note in (
        ("a", "M1", ""),
        ("b", "M2", ". Ours keeps sets of categories; the published one codes them one-hot, and "
                    "what it has no code for it cannot predict"),
    ):  # fmt: skip
        yield Claim(
            f"38{letter}", "new-values", INTRODUCTION,
            f"{method} cannot make a valid prediction of a row with a new category.",
            is_lost_with_new_values(method),
            "of the rows with one new category, more than half have membership 0 in every box, so "
            f"that nothing but the rule for ties decides, {MOST}{note}",
        )  # fmt: skip
    yield Claim(
        "38c", "new-values", INTRODUCTION, "v1 and v2 can.", versions_know_what_to_do,
        f"at most one row in a hundred has membership 0 in every box, {MOST}, for both",
    )  # fmt: skip
    for letter, text, what in (
        ("a", "CatBoost's codes depend on the order of the rows.", ANOTHER_ORDER),
        ("b", "CatBoost codes a category otherwise in rows to learn than in rows to predict.",
         OTHER_LATER),
    ):  # fmt: skip
        yield Claim(
            f"39{letter}", "encodings", INTRODUCTION, text, codes_differ("catboost", what),
            f"at least one code in ten differs by more than {APART} of the column's range, {MOST}",
        )  # fmt: skip
    yield Claim(
        "39c", "encodings", INTRODUCTION,
        "CatBoost gives the same category many codes among the rows to learn.",
        has_many_codes("catboost"), f"more than two on average, {MOST}",
    )  # fmt: skip


def folds_differ_less(version: str, columns: Columns) -> Check:
    """Whether the scores of a version spread less over the folds than those of M1 and of M2."""

    def check(view: View) -> Finding:
        cases = [*_each(view, columns, ExperimentResults.spread)]
        less = sum(all(case[version] < case[other] for other in OLDER) for case in cases)
        means = {m: fmean(case[m] for case in cases) for m in (version, *OLDER)}
        numbers = ", ".join(f"{m} {mean:.3f}" for m, mean in means.items())
        return Finding(
            2 * less > len(cases),
            f"in {less} of {len(cases)} cases; mean standard deviation {numbers}",
        )

    return check


def falls_less_short(version: str, columns: Columns) -> Check:
    """Whether a version is never as far behind the best method as M1 and as M2 are."""

    def check(view: View) -> Finding:
        short = dict.fromkeys(METHODS, 0.0)
        for case in _each(view, columns, ExperimentResults.mean):
            top = max(case.values())
            short = {m: max(short[m], top - case[m]) for m in METHODS}
        numbers = ", ".join(f"{m} {short[m]:.3f}" for m in (version, *OLDER))
        return Finding(short[version] < min(short[m] for m in OLDER), f"at most {numbers}")

    return check


def is_lost_with_new_values(method: str) -> Check:
    """Whether rows with a new category are in no box at all."""

    def check(view: View) -> Finding:
        gauge = view.gauge("new-values")
        lost = {d: gauge.mean(d, method, f"in no box, {UNSEEN}") for d in gauge.datasets}
        finding = on_most({d: share > 0.5 for d, share in lost.items()})
        mean = fmean(lost.values())
        scores = _scores(view, method)
        return Finding(finding.holds, f"{finding.numbers}; {mean:.0%} of the rows; {scores}")

    return check


def versions_know_what_to_do(view: View) -> Finding:
    """Find whether rows with a new category are in boxes of both versions."""
    gauge = view.gauge("new-values")
    lost = {
        d: max(gauge.mean(d, version, f"in no box, {UNSEEN}") for version in VERSIONS)
        for d in gauge.datasets
    }
    finding = on_most({d: share <= 0.01 for d, share in lost.items()})
    scores = "; ".join(f"{version}: {_scores(view, version)}" for version in VERSIONS)
    return Finding(finding.holds, f"{finding.numbers}; {scores}")


def codes_differ(encoder: str, what: str) -> Check:
    """Whether many codes of an encoder differ."""

    def check(view: View) -> Finding:
        gauge = view.gauge("encodings")
        shares = {d: gauge.mean(d, encoder, what) for d in gauge.datasets}
        finding = on_most({d: share >= MANY for d, share in shares.items()})
        numbers = f"{finding.numbers}; {fmean(shares.values()):.0%} of the codes"
        if what == ANOTHER_ORDER:
            changed = fmean(gauge.mean(d, encoder, PREDICTIONS) for d in gauge.datasets)
            numbers += f", and with them {changed:.0%} of the predictions of IOL-GFMM"
        return Finding(finding.holds, numbers)

    return check


def has_many_codes(encoder: str) -> Check:
    """Whether a category has more than two codes."""

    def check(view: View) -> Finding:
        gauge = view.gauge("encodings")
        codes = {d: gauge.mean(d, encoder, CODES) for d in gauge.datasets}
        finding = on_most({d: n > 2 for d, n in codes.items()})
        numbers = f"from {min(codes.values()):.0f} to {max(codes.values()):.0f} codes"
        return Finding(finding.holds, f"{finding.numbers}; {numbers}")

    return check


def _scores(view: View, method: str) -> str:
    gauge = view.gauge("new-values")
    seen, unseen = (
        fmean(gauge.mean(d, method, f"CBA, {what}") for d in gauge.datasets)
        for what in (SEEN, UNSEEN)
    )
    return f"mean CBA {unseen:.3f} instead of {seen:.3f}"


def _tuned(view: View) -> list[tuple[ExperimentResults, dict[str, Setting]]]:
    return [(view.results("tuned"), tuned_columns())]


def _fixed(view: View) -> list[tuple[ExperimentResults, dict[str, Setting]]]:
    results = view.results("mixed")
    return [(results, printed_settings(results, theta)) for theta in THETAS]


def _each(
    view: View, columns: Columns, quantity: Callable[[ExperimentResults, str, Setting], float]
) -> Iterator[dict[str, float]]:
    """Yield a number for each method by data set (and theta)."""
    found = False
    for results, settings in columns(view):
        for dataset in results.complete([*settings.values()]):
            found = True
            yield {m: quantity(results, dataset, setting) for m, setting in settings.items()}
    if not found:
        raise MissingError("there are no results")
