"""What the paper's own numbers do not support."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.evaluate import friedman_test, nemenyi_test
from boxwise.paper.report.errata import (
    Statistic,
    gap,
    ranks_of_s8,
    statistics,
    unrounded,
    wrongly_ranked,
)
from boxwise.paper.report.page import Block, Bullets, Heading, Link, Paragraph, Table, Text
from boxwise.paper.report.printed import METHODS, TABLE_II, TABLE_IV
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
    fixed = ranks_of_s8()
    apart = gap(unrounded(TABLE_IV), "v1", "M2")
    difference = nemenyi_test(TABLE_IV).critical_difference
    yield Bullets(
        (
            (
                f"Table IV: v1 and M2 are {number(apart)} apart, less than the critical difference "
                f"of {number(difference, 4)}: not significant, though the text says it is (",
                Link("claim 35", "#claim-35"),
                ").",
            ),
            *_s9(),
            f"With the ranks that Table S.VIII gives, the averages of Table IV are "
            f"{listed([f'{number(fixed.of(m))} ({m})' for m in METHODS])}, and "
            f"F_F = {number(friedman_test(fixed).f)} instead of 4.884. Then v1 and M2 are "
            f"{number(gap(fixed, 'v1', 'M2'))} apart, which would be significant, and v1 and M1 "
            f"{number(gap(fixed, 'v1', 'M1'))}.",
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
            "Section IV.A.2: “For α ≥ 0.7” should read δ ≥ 0.7.",
            "Table S.I: australian's A5 has 14 values, not 15; molecular biology has codes for "
            "ambiguous bases beyond the 4 letters.",
        )
    )


def _s9() -> Iterator[Text]:
    for dataset, (printed, right) in wrongly_ranked().items():
        theirs, ours = (listed([f"{r:g}" for r in ranks]) for ranks in (printed, right))
        yield (
            f"Table S.IX, {title(dataset)}: the ranks of {listed([*METHODS])} are printed as "
            f"{theirs}; by the scores of Table S.VIII they are {ours}."
        )


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
