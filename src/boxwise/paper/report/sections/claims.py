"""Every claim, its outcome and the numbers behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from boxwise.paper.report.claims import Judgement, Outcome
from boxwise.paper.report.claims.claim import DRAWS, SURE
from boxwise.paper.report.page import (
    Block,
    Bullets,
    Heading,
    Link,
    Paragraph,
    Strong,
    Table,
    Text,
)

ABOUT = {
    "abstract": "stable performance",
    "I": "new categories and encoders",
    "IV.A": "θ",
    "IV.A.1": "α",
    "IV.A.2": "δ",
    "IV.B.1": "mixed columns",
    "IV.B.2": "encoders",
    "IV.C.1": "finding α",
    "IV.C.2": "tuning",
}
KIND = {Outcome.HOLDS: "good", Outcome.FAILS: "bad", Outcome.OPEN: "open"}


def section(judgements: Sequence[Judgement]) -> Iterator[Block]:
    """Return the section."""
    yield Heading(2, "Claims", "claims")
    yield Paragraph(
        "Each claim of the paper's section IV, and what its abstract and section I say that can be "
        "tested: how it was tested, and what came out. A claim holds "
        "or does not by the results of all repetitions together. How sure that is, the same test "
        f"says on {DRAWS} draws of as many repetitions from them, with replacement: if fewer than "
        f"{SURE:.0%} agree, or results are missing, it cannot be told. The data sets are always "
        "the same. Significant means: F_F rejects that all are "
        "alike, and the average ranks are at least the critical difference apart, at 0.05. Where "
        "the paper's words allow several readings, the others stand below the first, with their "
        "outcomes."
    )
    for where, group in _by_section(judgements):
        yield Heading(3, f"Claims of {_section(where)}", f"claims-{where}".lower())
        for judgement in group:
            yield from _claim(judgement)


def claim_tables(judgements: Sequence[Judgement]) -> Iterator[Table]:
    """Return all claims and their outcomes, with links to where they are explained."""

    def row(judgement: Judgement) -> tuple[Text, ...]:
        claim = judgement.claim
        link = Link(claim.number, f"#{claim.id}")
        return (
            (link,), outcome(judgement), claim.text, _other_outcomes(judgement) or "–",
            _printed(judgement) or "–",
        )  # fmt: skip

    header = (
        "claim", "outcome", "what the paper says", "by other readings", "by its own numbers",
    )  # fmt: skip
    for where, group in _by_section(judgements):
        rows = tuple(map(row, group))
        # A column of which no claim has anything is left out.
        kept = [j for j in range(len(header)) if any(cells[j] != "–" for cells in rows)]
        caption = f"Claims of {_section(where)}"
        yield Table(
            caption, tuple(header[j] for j in kept),
            tuple(tuple(cells[j] for j in kept) for cells in rows),
        )  # fmt: skip


def outcome(judgement: Judgement) -> Text:
    """Return the outcome, in its colour."""
    return (Strong(judgement.outcome.value, KIND[judgement.outcome]),)


def _by_section(judgements: Sequence[Judgement]) -> Iterator[tuple[str, Iterator[Judgement]]]:
    return groupby(judgements, key=lambda judgement: judgement.claim.where)


def _section(where: str) -> str:
    return f"{'the abstract' if where == 'abstract' else f'section {where}'}, {ABOUT[where]}"


def _other_outcomes(judgement: Judgement) -> str:
    counts = Counter(other.outcome for other in judgement.readings.values())
    if len(counts) == 1:
        return next(iter(counts)).value
    return ", ".join(f"{counts[v]} × {v.value}" for v in Outcome if counts[v])


def _printed(judgement: Judgement) -> str:
    printed = judgement.claim.printed
    return "" if printed is None else "holds" if printed.holds else "does not hold"


def _claim(judgement: Judgement) -> Iterator[Block]:
    claim = judgement.claim
    yield Heading(4, f"{claim.number}. {claim.text}", claim.id)
    numbers = f" {_sentence(judgement.numbers)}" if judgement.numbers else ""
    words = Strong(f"{judgement.outcome.value.capitalize()}.", KIND[judgement.outcome])
    yield Paragraph((words, f" {_sentence(judgement.sureness)}{numbers}"))
    notes = [f"Tested as: {claim.test}."] if claim.test else []
    if claim.printed is not None:
        notes.append(
            f"By the paper's own numbers it {_printed(judgement)}: {claim.printed.numbers}."
        )
    if notes:
        yield Paragraph(" ".join(notes))
    if judgement.readings:
        yield Bullets(tuple(_reading(name, other) for name, other in judgement.readings.items()))


def _reading(name: str, judgement: Judgement) -> Text:
    words = Strong(judgement.outcome.value, KIND[judgement.outcome])
    numbers = f" {_sentence(judgement.numbers)}" if judgement.numbers else ""
    return f"By {name}: ", words, f". {_sentence(judgement.sureness)}{numbers}"


def _sentence(words: str) -> str:
    # Not str.capitalize, which makes the rest small letters; Greek letters stay as they are.
    first = words[:1]
    return f"{first.upper() if first.isascii() else first}{words[1:]}."
