"""How far probabilities can be taken at their word, on the paper's 14 data sets.

    BOXWISE_DATA=... python -m benchmarks.calibration              (some minutes on two cores)
    BOXWISE_DATA=... python -m benchmarks.calibration --repeats 1

Stratified 4-fold, repeated 3 times, the rows of a training fold shuffled; one setting for all data
sets, nothing tuned on any. Every row is held out once in each repetition; the error is that of all
its held-out rows together. Writes benchmarks/results/calibration.md and calibration.png.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold

from benchmarks import paper_data
from benchmarks.evidence import LEAST, ours, paper
from benchmarks.report import FOLDER, Report
from benchmarks.table_peers import PEERS, Method
from boxwise.evaluate import Reliability, average_ranks, plot_reliability, reliability

OURS = "HyperboxClassifier"
METHODS: dict[str, Method] = {
    OURS: ours(),
    "EIOLGFMM": paper(theta=0.3, delta=0.3, version=2),
    **{name: PEERS[name] for name in ("naive Bayes", "random forest", "logistic regression")},
}
MEASURES = {"ECE": "Expected calibration error", "log-loss": "Log-loss"}
SUPPORTS = (0, 1, 2, 5, 10, 20, 50, np.inf)  # between which rows are counted together


class Outcome(NamedTuple):
    """What one method did on one data set, all folds of one repetition together."""

    name: str
    method: str
    bins: Reliability
    log_loss: float
    supported: Any = None  # of ours: support, confidence and whether it was right, by held-out row


def measure(name: str, repeat: int) -> list[Outcome]:
    """Return the outcome of each method for one repetition."""
    warnings.filterwarnings("ignore")
    X, y, categorical = paper_data.load(name)
    classes, codes = np.unique(y, return_inverse=True)
    held_out = {method: np.zeros((len(y), len(classes))) for method in METHODS}
    support = np.zeros(len(y))
    folds = StratifiedKFold(4, shuffle=True, random_state=repeat).split(X, y)
    for train, test in folds:
        train = np.random.default_rng(repeat).permutation(train)
        for method, make in METHODS.items():
            model = make(categorical, X.shape[1]).fit(X[train], y[train])
            # A class that the training rows lack has probability 0.
            known = np.searchsorted(classes, model.classes_)
            held_out[method][np.ix_(test, known)] = model.predict_proba(X[test])
            if method == OURS:
                support[test] = model.support(X[test])
    own = held_out[OURS]
    supported = np.array([support, own.max(axis=1), own.argmax(axis=1) == codes])
    return [
        Outcome(
            name,
            method,
            reliability(y, p, classes),
            log_loss(p, codes),
            supported if method == OURS else None,
        )
        for method, p in held_out.items()
    ]


def log_loss(p: Any, codes: Any) -> float:
    own = p[np.arange(len(p)), codes]
    return float(-np.log(np.maximum(own, LEAST)).mean())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args(arguments)
    names, repeats = paper_data.names(), options.repeats
    work = [delayed(measure)(name, repeat) for name in names for repeat in range(repeats)]
    parts = Parallel(n_jobs=options.jobs, verbose=50)(work)
    outcomes = [outcome for part in parts for outcome in part]
    tell(outcomes, names, repeats)
    draw(outcomes)


def tell(outcomes: list[Outcome], names: list[str], repeats: int) -> None:
    command = f"python -m benchmarks.calibration --repeats {repeats}"
    report = Report("Calibration", command)
    report.say(
        f"The paper's 14 data sets, {repeats} × 4 stratified folds; `{OURS}` with its "
        "defaults, `EIOLGFMM` in version 2 with θ = δ = 0.3. "
        "Averages over the data sets, in brackets the average rank (1 is best); less is better. "
        "The expected calibration error (ECE) has 15 bins; in the log-loss no probability is below "
        f"{LEAST:g}.\n"
    )
    cubes = {
        measure: np.array([[mean(outcomes, name, m, measure) for m in METHODS] for name in names])
        for measure in MEASURES
    }
    ranks = {
        measure: average_ranks(cube, methods=[*METHODS], larger_is_better=False)
        for measure, cube in cubes.items()
    }
    report.say(f"| | {' | '.join(MEASURES)} |")
    report.say("|---|" + "--:|" * len(MEASURES))
    for m, method in enumerate(METHODS):
        cells = [
            f"{cubes[measure][:, m].mean():.3f} ({ranks[measure].ranks[m]:.2f})"
            for measure in MEASURES
        ]
        report.say(f"| {method} | {' | '.join(cells)} |")
    for measure, words in MEASURES.items():
        report.say(f"\n{words} by data set:\n")
        report.say("| | " + " | ".join(METHODS) + " |")
        report.say("|---|" + "--:|" * len(METHODS))
        for name, values in zip(names, cubes[measure], strict=True):
            cells = [f"**{v:.3f}**" if v == values.min() else f"{v:.3f}" for v in values]
            report.say(f"| {name} | {' | '.join(cells)} |")
    tell_support(report, outcomes)
    report.write("calibration.md")


def tell_support(report: Report, outcomes: list[Outcome]) -> None:
    """Compare confidence and accuracy of ours by the rows that speak for a decision."""
    own = [o for o in outcomes if o.method == OURS]
    error = reduce(add, [o.bins for o in own]).error
    report.say(
        f"\n`{OURS}`, the held-out rows of all data sets together: expected calibration error "
        f"{error:.3f} (asked: at most 0.03). By `support`, how many learned rows speak for a "
        "decision (asked: below 5, confidence and accuracy differ by at most 0.05):\n"
    )
    by_support = [*pairwise(SUPPORTS), (0, 5)]
    tell_bands(report, np.hstack([o.supported for o in own]), by_support)


def tell_bands(report: Report, supported: Any, bands: Sequence[tuple[float, float]]) -> None:
    """Write a table of confidence and accuracy by the support of rows.

    `supported` has the support of each row, the confidence, and whether the prediction is right.
    """
    support, confidence, right = supported
    report.say("| support | rows | mean confidence | accuracy | difference |")
    report.say("|---|--:|--:|--:|--:|")
    for low, high in bands:
        rows = (support >= low) & (support < high)
        if rows.any():
            sure, accuracy = confidence[rows].mean(), right[rows].mean()
            words = f"{low} to {high}" if high < np.inf else f"{low} or more"
            cells = f"{rows.sum():,} | {sure:.3f} | {accuracy:.3f} | {sure - accuracy:+.3f}"
            report.say(f"| {words} | {cells} |")


def mean(outcomes: list[Outcome], name: str, method: str, measure: str) -> float:
    own = [o for o in outcomes if (o.name, o.method) == (name, method)]
    return float(np.mean([o.bins.error if measure == "ECE" else o.log_loss for o in own]))


def draw(outcomes: list[Outcome]) -> None:
    """Draw the held-out rows of all data sets together."""
    ax = plot_reliability({
        method: reduce(add, [o.bins for o in outcomes if o.method == method])
        for method in ("EIOLGFMM", OURS, "random forest")
    })  # fmt: skip
    file = FOLDER / "calibration.png"
    ax.figure.savefig(file, dpi=150, facecolor="white", metadata={"Software": None})


if __name__ == "__main__":
    main()
