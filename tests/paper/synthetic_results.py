"""Results made up for the report: a score for every run of every experiment, by a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from boxwise.datasets.catalogue import find
from boxwise.paper.measurements import MEASUREMENTS, Measure
from boxwise.paper.measurements.encodings import (
    ANOTHER_ORDER,
    CODES,
    ONE_NUMBER,
    OTHER_LATER,
    PREDICTIONS,
)
from boxwise.paper.protocol import N_FOLDS, Row
from boxwise.paper.report.view import View
from boxwise.paper.results import Unit
from boxwise.paper.run import EXPERIMENTS

TENTHS = [i / 10 for i in range(11)]
ENCODERS = (
    "catboost", "one-hot", "leave-one-out", "ordinal", "target", "james-stein", "helmert", "sum",
)  # fmt: skip
UNSEEN = "with a new value"
WAYS = ("tuned", "estimate", "estimate-scores", "fixed")

# Given the unit and the row with cba 0 and boxes 0, the row as it is to be.
Rule = Callable[[Unit, Row], Row]


def blank_rows(experiment: str) -> Iterable[Row]:
    """Return the rows of a fold, as the experiment would, without scores."""

    def row(method, theta, second=None, alpha=None, variant=""):
        return Row(method, variant, theta, second, alpha, 0.0, 0)

    versions = ("v1", "v2")
    match experiment:
        case "alpha":
            return [row(v, s, s, a) for v in versions for s in (1.0, 0.1) for a in TENTHS]
        case "delta":
            return [row(v, 1.0, d) for v in versions for d in (0.05, *TENTHS[1:])]
        case "mixed":
            seconds = {"M1": (0.1, 0.7, 1.0), "M2": (0.25, 0.5, 0.75)}
            seconds |= {"v1": seconds["M1"], "v2": seconds["M1"]}
            return [row(m, t, s) for m in seconds for t in (0.1, 0.7, 1.0) for s in seconds[m]]
        case "encoders":
            encoded = [row("IOL", t, variant=e) for e in ENCODERS for t in (0.1, 0.7, 1.0)]
            return encoded + [row(v, t, t) for v in versions for t in (0.1, 0.7, 1.0)]
        case "find-alpha":
            return [row(v, s, s, 0.5, w) for v in versions for s in (0.1, 1.0) for w in WAYS]
        case _:
            return [row("M1", 0.1, 0.1), row("M2", 0.1, 0.1)] + [
                row(v, 0.1, 0.1, 0.5) for v in versions
            ]


def synthetic_results(
    rule: Rule,
    experiments: Iterable[str] = tuple(EXPERIMENTS),
    repeats: int = 1,
    datasets: Iterable[str] | None = None,
) -> dict[Unit, list[Row]]:
    """Return results of whole experiments, scored by the rule."""
    units = [
        Unit(experiment, dataset, repeat, fold)
        for experiment in experiments
        for dataset in EXPERIMENTS[experiment].datasets
        if datasets is None or dataset in datasets
        for repeat in range(repeats)
        for fold in range(N_FOLDS)
    ]
    return {unit: [rule(unit, row) for row in blank_rows(unit.experiment)] for unit in units}


def blank_measures(measurement: str, dataset: str) -> list[Measure]:
    """Return the measures of a fold, as the measurement would, without values."""
    versions = ("v1", "v2")
    match measurement:
        case "data":
            whole = [Measure("", what, 2) for what in ("rows", "classes", "continuous")]
            return whole + [Measure(column, "values", 2) for column in find(dataset).categorical]
        case "homogeneity":
            return [Measure(v, f"{d:g}", 0) for v in versions for d in (0.1, 0.3, 0.5, 0.7, 0.9)]
        case "new-values":
            whats = [f"{a}, {b}" for a in ("CBA", "in no box") for b in ("as they are", UNSEEN)]
            return [Measure(m, what, 0) for m in ("M1", "M2", *versions) for what in whats]
        case "encodings":
            whats = [ANOTHER_ORDER, OTHER_LATER, CODES, PREDICTIONS]
            return [Measure(e, what, 0) for e in ONE_NUMBER for what in whats]
        case _:
            return [Measure(v, size, 0) for v in versions for size in ("0.1", "1")]


def synthetic_measures(
    value: Callable[[Unit, Measure], float],
    measurements: Iterable[str] = tuple(MEASUREMENTS),
    repeats: int = 1,
) -> dict[Unit, list[Measure]]:
    """Return whole measurements, valued by the rule."""
    return {
        unit: [m._replace(value=value(unit, m)) for m in blank_measures(name, dataset)]
        for name in measurements
        for dataset in MEASUREMENTS[name].datasets
        for unit in MEASUREMENTS[name].units(dataset, repeats)
    }


def view_of(rule, *names: str, repeats: int = 1) -> View:
    """Return a view of made-up results, or of made-up measurements."""
    if names and {*names} <= {*MEASUREMENTS}:
        return View({}, synthetic_measures(rule, names, repeats))
    return View(synthetic_results(rule, names or tuple(EXPERIMENTS), repeats))


def scored(score: Callable[[Unit, Row], float]) -> Rule:
    """Make a rule of one that gives the score only."""
    return lambda unit, row: row._replace(cba=score(unit, row))


def counted(boxes: Callable[[Unit, Row], int]) -> Rule:
    """Make a rule of one that gives the number of boxes only."""
    return lambda unit, row: row._replace(boxes=boxes(unit, row))
