"""The runs of an experiment that were made, and those that are missing."""

from __future__ import annotations

from boxwise.paper.measurements import MEASUREMENTS
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


def measured_table(view: View, about: About) -> Table:
    """Return what was measured besides."""

    def row(name: str) -> tuple[Text, ...]:
        measurement = MEASUREMENTS[name]
        datasets = measurement.datasets
        folds = sum(view.folds(name, d) for d in datasets)
        wanted = sum(len(measurement.units(d, about.repeats)) for d in datasets)
        return (
            name,
            measurement.about,
            f"{len(datasets) - len(view.missing(name))} of {len(datasets)}",
            f"{folds} of {wanted}",
        )

    header = ("measurement", "what is measured", "data sets", "folds")
    return Table("What was measured besides", header, tuple(map(row, MEASUREMENTS)))


def unmeasured(view: View, name: str) -> list[Block]:
    """Return what is to be said of a measurement on which there is something missing."""
    gaps = view.missing(name)
    if not gaps:
        return []
    everything = len(gaps) == len(MEASUREMENTS[name].datasets)
    words = "all of it; it was not measured" if everything else listed([*map(title, gaps)])
    return [Paragraph((Strong(f"Measurement {name}, missing: ", "open"), f"{words}."))]
