"""The summary: what was run, and which claims hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from boxwise.paper.report.about import About
from boxwise.paper.report.claims import Judgement, Outcome
from boxwise.paper.report.page import Block, Heading, Link, Paragraph, Strong
from boxwise.paper.report.sections.claims import KIND, claim_tables
from boxwise.paper.report.sections.coverage import coverage_table, measured_table
from boxwise.paper.report.sections.tuned import glance
from boxwise.paper.report.view import View
from boxwise.paper.report.words import listed

PAPER = "https://arxiv.org/abs/2009.14670"


def title() -> Iterator[Block]:
    """Return how the page begins."""
    yield Heading(1, "The evaluation of EIOL-GFMM, done again", "report")
    yield Paragraph(
        (
            "Every table and figure of the evaluation in ",
            Link("An Online Learning Algorithm for a Neuro-Fuzzy Classifier with Mixed-Attribute "
                 "Data", PAPER),
            " by T. T. Khuat and B. Gabrys, computed with boxwise and set beside the numbers that "
            "the paper prints.",
        )
    )  # fmt: skip


def section(view: View, about: About, judgements: Sequence[Judgement]) -> Iterator[Block]:
    """Return the section."""
    yield Heading(2, "Summary", "summary")
    quick = ", with thinner grids (a quick run)" if about.quick else ""
    times = "once" if about.repeats == 1 else f"{about.repeats} times"
    yield Paragraph(
        f"Stratified 4-fold cross-validation, repeated {times}{quick}. Scores are class balanced "
        "accuracies (CBA)."
    )
    yield coverage_table(view, about)
    yield measured_table(view, about)
    counts = Counter(judgement.outcome for judgement in judgements)
    holds, fails, unknown = (Strong(str(counts[v]), KIND[v]) for v in Outcome)
    yield Paragraph(
        (
            f"Of {len(judgements)} claims of the paper, ", holds, " hold, ", fails,
            " do not hold, and of ", unknown, " it cannot be told.", _readings(judgements),
        )
    )  # fmt: skip
    if about.repeats == 1:
        yield Paragraph(
            "With one repetition there is nothing to agree with it: the outcomes are provisional."
        )
    yield glance(view)
    yield from claim_tables(judgements)


def _readings(judgements: Sequence[Judgement]) -> str:
    tested = [judgement for judgement in judgements if judgement.readings]
    numbers = [j.claim.number for j in tested if not j.is_agreed]
    if not numbers:
        return f" The words of {len(tested)} were tested in several ways, with the same outcome."
    return (
        f" The words of {len(tested)} were tested in several ways; these gave different outcomes "
        f"on {len(numbers)}: {listed(numbers)}. Counted is the first way."
    )
