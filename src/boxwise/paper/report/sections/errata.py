"""Errata: statements that the paper's own numbers do not support."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.evaluate import AverageRanks, friedman_test, nemenyi_test
from boxwise.paper.report.errata import (
    Statistic,
    gap,
    ranks_of_s8,
    ranks_of_s9,
    scores_with_a_digit_lost,
    statistics,
    unrounded,
    wrongly_ranked,
)
from boxwise.paper.report.page import Block, Bullets, Heading, Link, Paragraph, Table, Text
from boxwise.paper.report.printed import METHODS, TABLE_II, TABLE_IV, TABLE_S8
from boxwise.paper.report.words import listed, number, title


def section() -> Iterator[Block]:
    """Return the section."""
    yield Heading(2, "Errata of the paper", "errata")
    yield Paragraph(
        "Computed from the tables as the paper prints them, with boxwise.evaluate. Ranks are whole "
        "or half, so an average over Z data sets is a multiple of 1/(2Z), and what it was before "
        "rounding is known. The paper computed F_F from the rounded ranks."
    )
    yield _statistics()
    yield from _post_operative()
    apart = gap(unrounded(TABLE_IV), "v1", "M2")
    difference = nemenyi_test(TABLE_IV).critical_difference
    yield Bullets(
        (
            (
                f"Table IV, as printed: v1 and M2 are {number(apart)} apart, less than the "
                f"critical difference of {number(difference, 4)}: not significant, though the text "
                "says it is (",
                Link("claim 35", "#claim-35"),
                ").",
            ),
            "Table III was never tested; by its own ranks none of its differences is significant.",
            (
                f"Table II, θ = δ = 0.7: v2 has rank {TABLE_II[0.7].of('v2'):.3f}, behind Target, "
                "James-Stein, LOO and CatBoost; the text says that the proposed method is better "
                "on average than all encoders (",
                Link("claim 18d", "#claim-18d"),
                ").",
            ),
            "Section IV.B.1: the null hypothesis is said to be rejected “if F_F is smaller than a "
            "critical value”; it should read larger.",
            "Section IV.B.1: the degrees of freedom are given as M − 1 and (M − 1)·(N − 1), twice; "
            "the number of data sets is called Z there, N is that of the training samples. The "
            "numbers, 39, 117 and 30, are those of Z.",
            "Section IV.B.1: β is a share of the total number of features; Table I and section "
            "IV.C.2 have it as a share of the r categorical ones, as we do.",
            "Section III.A: the condition of version 2 is described as an average of the Z_j over "
            "the categorical columns and printed as their sum. Only with the average do both "
            "versions coincide at δ = 1, as section IV.A.1 says; we take the average.",
            "Supplement, proof of Property 1: the last line has Z_j = H_j(B ∪ {X}) − H_j(B), "
            "without the factor n/(n+1) of H_j(B) that the definition has, and B_j for B_i. Both "
            "sides lose the same term, so the property holds all the same.",
            "Supplement, proof of Property 3: the log-sum inequality is summed over k, with terms "
            "of index i.",
            "Section IV.A.2: “For α ≥ 0.7” should read δ ≥ 0.7; “autralian” is australian, and "
            "“IOL-GFMM-v1” and “-v2”, there and under figures S2 to S5, are EIOL-GFMM-v1 and -v2.",
            "Section IV.C.2: “cmc, cmc, zoo, australian, and japanese credit” names cmc twice; "
            "one more data set may be meant.",
            (
                "Table S.I: australian's A5 has 14 values, not 15; molecular biology has codes for "
                "ambiguous bases beyond the 4 letters; of cmc features of 4 values are listed "
                "twice, of tae those of 2 values. ",
                Link("The data sets", "#datasets"),
                " has ours beside it.",
            ),
        )
    )


def _post_operative() -> Iterator[Block]:
    for dataset, (printed, right) in wrongly_ranked().items():
        theirs, ours = (listed([f"{r:g}" for r in ranks]) for ranks in (printed, right))
        score = f"{TABLE_S8[dataset][METHODS.index('v1')]}"
        longer = scores_with_a_digit_lost(dataset, "v1")
        yield Paragraph(
            f"On {title(dataset)}, Tables S.VIII and S.IX contradict each other: the ranks of "
            f"{listed([*METHODS])} are printed as {theirs}; by the scores they are {ours}. One of "
            f"two things is wrong. Either the ranks: then {score}, the score of v1, is the highest "
            "of its row. Or that score: M1 is set in bold in both tables, the averages of S.IX "
            f"and Table IV are those of its ranks, and {score} has one digit less than its "
            f"neighbours; with a digit lost it may have been {_or(longer)}, and S.IX "
            "would be right. The tables alone do not say which."
        )
        yield _readings()


def _or(words: list[str]) -> str:
    return " or ".join(words) if len(words) < 3 else f"{words[0]} … {words[-1]}"


def _readings() -> Table:
    """Return Table IV by either reading."""

    def row(words: str, ranks: AverageRanks) -> tuple[Text, ...]:
        gaps = {other: gap(ranks, "v1", other) for other in ("M1", "M2")}
        difference = nemenyi_test(ranks).critical_difference
        return (
            words,
            *(number(ranks.of(m)) for m in METHODS),
            number(friedman_test(ranks).f),
            *(f"{number(g)}, {'yes' if g >= difference else 'no'}" for g in gaps.values()),
        )

    difference = nemenyi_test(TABLE_IV).critical_difference
    return Table(
        "Table IV by either reading of post operative. Do v1 and the older algorithms differ "
        f"significantly (by {number(difference, 4)})?",
        ("reading", *METHODS, "F_F", "M1 − v1", "M2 − v1"),
        (
            row("the ranks of S.IX are right, the score is misprinted", ranks_of_s9()),
            row("the scores of S.VIII are right, the ranks are wrong", ranks_of_s8()),
        ),
    )  # fmt: skip


def _statistics() -> Table:
    def row(s: Statistic) -> tuple[Text, ...]:
        return (
            f"{s.table}, {s.case}",
            "not given" if s.printed is None else number(s.printed),
            number(s.rounded),
            number(s.exact),
            number(s.critical_value),
            "yes" if s.exact > s.critical_value else "no",
            number(s.critical_difference, 4),
        )

    header = (
        "table", "F_F printed", "from the printed ranks", "from the ranks before rounding",
        "critical value", "they differ", "CD",
    )  # fmt: skip
    return Table("F_F computed again", header, tuple(map(row, statistics())))
