"""What of an experiment was run and what is missing."""

from __future__ import annotations

from boxwise.paper.protocol import N_FOLDS
from boxwise.paper.report.about import About
from boxwise.paper.report.page import Block, Heading, Paragraph, Strong, Table, Text
from boxwise.paper.report.view import View
from boxwise.paper.report.words import listed, title
from boxwise.paper.run import EXPERIMENTS


def opening(view: View, about: About, experiment: str, heading: str, words: str) -> list[Block]:
    """Return how the section of an experiment begins."""
    blocks: list[Block] = [Heading(3, heading, experiment), Paragraph(words)]
    gaps = missing(view, about, experiment)
    if gaps:
        blocks.append(Paragraph((Strong("Missing: ", "open"), f"{gaps}.")))
    return blocks


def missing(view: View, about: About, experiment: str) -> str:
    """Return what is missing in words; nothing if all is there."""
    wanted = about.repeats * N_FOLDS
    datasets = EXPERIMENTS[experiment].datasets
    folds = {d: view.folds(experiment, d) for d in datasets}
    if not any(folds.values()):
        return "the whole experiment; it was not run"
    gaps = [
        f"{title(d)} ({n} of {wanted} folds)" if n else title(d)
        for d, n in folds.items()
        if n < wanted
    ]
    return listed(gaps)


def coverage_table(view: View, about: About) -> Table:
    """Return what was run, by experiment."""

    def row(experiment: str) -> tuple[Text, ...]:
        datasets = EXPERIMENTS[experiment].datasets
        folds = sum(view.folds(experiment, d) for d in datasets)
        return (
            experiment,
            EXPERIMENTS[experiment].about,
            f"{len(datasets) - len(view.missing(experiment))} of {len(datasets)}",
            f"{folds} of {len(datasets) * about.repeats * N_FOLDS}",
        )

    header = ("experiment", "what varies", "data sets", "folds")
    return Table("What was run", header, tuple(map(row, EXPERIMENTS)))
