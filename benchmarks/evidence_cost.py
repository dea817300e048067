"""What deciding by evidence costs, beside membership, over the number of boxes: loan stream.

    python -m benchmarks.evidence_cost            (about two minutes)

Prints Markdown and writes it to benchmarks/results/evidence_cost.md. All decide over the same boxes
and take turns on the same rows; the best time of each counts, and is compared as a ratio.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from benchmarks.report import Report, scaled_table, seconds
from boxwise import HyperboxClassifier
from boxwise.core import Model
from boxwise.inputs import Batch

SETTINGS = (  # theta, delta, rows to learn first
    (0.6, 1.0, 4_000),
    (0.3, 1.0, 6_000),
    (0.1, 0.5, 4_000),
    (0.1, 0.1, 10_000),
    (0.1, 0.1, 50_000),
)
DECISIONS: dict[str, dict[str, Any]] = {
    "membership": {"decision": "membership"},
    "fixed": {
        "decision": "evidence",
        "bandwidth": 0.1,
        "backoff": 2.0,
        "temperature": 1.0,
        "forget": False,
    },
    "auto": {"decision": "evidence"},
}
ROWS = 160  # to predict
MORE = 2_000  # to learn: enough that some are tested, however many boxes there are
TURNS = 9


def measure(models: list[Model], batch: Any, labels: np.ndarray) -> np.ndarray:
    """Return µs per row, model by model: to predict, to learn."""
    states = [pickle.dumps(model) for model in models]
    times = np.full((len(models), 2), np.inf)
    for _ in range(TURNS):
        for took, model, state in zip(times, models, states, strict=True):
            copy = pickle.loads(state)
            few = Batch(batch.lower[:ROWS], batch.upper[:ROWS], batch.codes[:ROWS], [])
            run = (seconds(model.predict, few), seconds(copy.learn, batch, labels, []))
            took[:] = np.minimum(took, run)
    return times / (ROWS, MORE) * 1e6


def main() -> None:
    report = Report("What evidence costs", "python -m benchmarks.evidence_cost")
    report.say(
        f"Loan stream, µs per row: the best of {TURNS} runs over {ROWS} new rows to predict "
        f"and {MORE:,} to learn, in bulk, one thread. Fixed: one bandwidth, backoff and "
        "temperature, for ever; auto: all are tried on every sixteenth row learned, reaches and "
        "memory learned from every fourth, more rarely with many boxes. In brackets the ratio to "
        "membership, which may stop at boxes that cannot win; evidence asks them all.\n"
    )
    report.say("| boxes | what | membership | evidence, fixed | evidence, auto |")
    report.say("|---|---|---|---|---|")
    for theta, delta, n_rows in SETTINGS:
        X, y, categorical = scaled_table(n_rows + MORE)
        learners = [
            HyperboxClassifier(
                theta, delta, condition="each", categorical_features=categorical, **decision
            )
            for decision in DECISIONS.values()
        ]
        models = [clf.fit(X[:n_rows], y[:n_rows])._model for clf in learners]
        batch = learners[0]._read(X[n_rows:], None)[1]
        labels = np.array([models[0].labels.codes[label] for label in y[n_rows:]], np.int32)
        times = measure(models, batch, labels)
        for what, (one, *others) in zip(("predict", "learn"), times.T, strict=True):
            beside = " | ".join(f"{other:,.1f} ({other / one:.1f}×)" for other in others)
            report.say(f"| {models[0].n_boxes:,} | {what} | {one:,.1f} | {beside} |")
    report.write("evidence_cost.md")


if __name__ == "__main__":
    main()
