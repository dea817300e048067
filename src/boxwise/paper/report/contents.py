"""The report from the first heading to the last."""

from __future__ import annotations

from collections.abc import Iterator

from boxwise.paper.report.about import About
from boxwise.paper.report.claims import all_claims, judge
from boxwise.paper.report.page import Block, Heading
from boxwise.paper.report.sections import (
    alpha,
    claims,
    datasets,
    delta,
    encoders,
    errata,
    find_alpha,
    introduction,
    mixed,
    network,
    provenance,
    summary,
    tuned,
)
from boxwise.paper.report.view import View


def contents(view: View, about: About) -> Iterator[Block]:
    """Return what the report is made of."""
    judgements = [judge(claim, view) for claim in all_claims()]
    yield from summary.title()
    yield from summary.section(view, about, judgements)
    yield Heading(2, "What was evaluated", "evaluated")
    yield from network.section()
    yield from datasets.section(view)
    yield from introduction.section(view)
    yield Heading(2, "Experiments", "experiments")
    for experiment in (alpha, delta, mixed, encoders, find_alpha, tuned):
        yield from experiment.section(view, about)
    yield from claims.section(judgements)
    yield from errata.section()
    yield from provenance.section(about)
