"""What HyperboxClassifier costs beside EIOLGFMM, over the number of boxes: loan stream.

All decide over the same boxes, those of version 2, and take turns on the same rows; the best time
of each counts.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from benchmarks.report import seconds
from benchmarks.speed import models
from benchmarks.speed.record import Record
from benchmarks.workloads import Table, loan
from boxwise.core import Model

SETTINGS = (  # theta, delta, rows to learn first
    (0.6, 1.0, 4_000),
    (0.3, 1.0, 6_000),
    (0.1, 0.5, 4_000),
    (0.1, 0.1, 10_000),
    (0.1, 0.1, 50_000),
)
WAYS: dict[str, dict[str, Any]] = {
    "EIOLGFMM": {"learner": "EIOLGFMM", "version": 2},
    "fixed": {
        "learner": "HyperboxClassifier",
        "bandwidth": 0.1,
        "backoff": 2.0,
        "temperature": 1.0,
        "forget": False,
    },
    "auto": {"learner": "HyperboxClassifier"},
}
ROWS = 160  # to predict
SETTLED = 2_000  # to learn before, so that a copy has the index that a model has by then
MORE = 2_000  # to learn: enough that some are tested, however many boxes there are


def run(record: Record) -> None:
    turns = record.profile.pick(9, 2)
    for theta, delta, n_rows in record.profile.pick(SETTINGS, SETTINGS[:-1]):
        table = loan(n_rows + SETTLED + MORE)
        first, more = table.part(0, n_rows), table.part(n_rows, len(table))
        made = []
        for way in WAYS.values():
            made.append(models.new_model(table, theta, delta=delta, **way))
            models.learn(made[-1], first)
        for what, times in zip(("predict", "learn"), measure(made, more, turns).T, strict=True):
            took = dict(zip(WAYS, times.tolist(), strict=True))
            record.add(boxes=made[0].n_boxes, what=what, **took)


def measure(made: list[Model], rows: Table, turns: int) -> np.ndarray:
    """Return µs per row, model by model: to predict, to learn."""
    states = [pickle.dumps(model) for model in made]
    few = models.batch(rows.part(0, ROWS))
    first, more = rows.part(0, SETTLED), rows.part(SETTLED, SETTLED + MORE)
    times = np.full((len(made), 2), np.inf)
    for _ in range(turns):
        for took, model, state in zip(times, made, states, strict=True):
            copy = pickle.loads(state)
            models.learn(copy, first)
            took[:] = np.minimum(
                took, (seconds(model.predict, few), seconds(models.learn, copy, more))
            )
    return times / (ROWS, MORE) * 1e6
