"""Through River's own interface: dicts in, each predicted, then learned, one call each.

    BOXWISE_DATA=... python -m benchmarks.through_river            (part of: make bench)

Prints Markdown and writes it to benchmarks/results/through_river.md. River's Hoeffding tree and our
classifier get the same rows in the same run, taking turns; the best time of three counts. Without
BOXWISE_DATA only the loan stream is measured.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from itertools import islice
from time import perf_counter
from typing import Any

from river import tree

from benchmarks import paper_data
from benchmarks.report import Report
from boxwise.datasets import LoanStream
from boxwise.evaluate import Confusion
from boxwise.river import HyperboxClassifier

SETTINGS = [(0.8, 1.0), (0.5, 1.0), (0.3, 1.0), (0.5, 0.5), (0.2, 0.5)]
LOANS = 100_000
REPEAT = 3

Pairs = list[tuple[dict[str, Any], Any]]


def main() -> None:
    report = Report("Through River's interface", "make bench")
    report.say(
        f"`predict_one` and `learn_one` of every row, River {version('river')}: microseconds per "
        "row, both together, and how many times as long River's `HoeffdingTreeClassifier` takes "
        "for the same rows in the same run. Accuracy and class balanced accuracy over all rows.\n"
    )
    report.say("| stream | learner | boxes | µs per row | ratio | accuracy | CBA |")
    report.say("|---|---|---|---|---|---|---|")
    for name, pairs in streams().items():
        compare(report, name, pairs)
    report.write("through_river.md")


def streams() -> dict[str, Pairs]:
    found = {f"loans, {LOANS:,} rows": list(LoanStream(LOANS, function=7, noise=0.05))}
    if "BOXWISE_DATA" in os.environ:
        electricity = list(paper_data.stream("electricity"))
        found[f"electricity, {len(electricity):,} rows"] = electricity
    return found


def compare(report: Report, name: str, pairs: Pairs) -> None:
    learners: dict[str, Any] = {"Hoeffding tree": tree.HoeffdingTreeClassifier}
    for theta, delta in SETTINGS:
        learners[f"boxwise θ={theta} δ={delta}"] = lambda t=theta, d=delta: HyperboxClassifier(
            t, d, **paper_data.V1
        )
    best = dict.fromkeys(learners, float("inf"))
    quality = {}
    for _ in range(REPEAT):
        for learner, new in learners.items():
            model = new()
            spent, confusion = run(model, pairs)
            best[learner] = min(best[learner], spent)
            quality[learner] = model, confusion
    for learner, spent in best.items():
        model, confusion = quality[learner]
        boxes = f"{model.n_boxes_:,}" if hasattr(model, "n_boxes_") else ""
        report.say(
            f"| {name} | {learner} | {boxes} | {spent / len(pairs) * 1e6:.1f} "
            f"| **{best['Hoeffding tree'] / spent:.1f}×** | {confusion.accuracy:.3f} "
            f"| {confusion.cba:.3f} |"
        )


def run(model: Any, pairs: Pairs, block: int = 500) -> tuple[float, Confusion]:
    """Return the seconds spent in the model, and how right it was."""
    confusion, spent, source = Confusion(), 0.0, iter(pairs)
    while rows := list(islice(source, block)):
        guesses = []
        start = perf_counter()
        for x, y in rows:
            guesses.append(model.predict_one(x))
            model.learn_one(x, y)
        spent += perf_counter() - start
        for (_, y), guess in zip(rows, guesses, strict=True):
            if guess is not None:
                confusion.add(y, guess)
    return spent, confusion


if __name__ == "__main__":
    main()
