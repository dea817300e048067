"""How long single calls take: learn_one, predict_one, and the learn of the engine alone.

Every call of a run is timed, and the run is made more than once: the work is the same each time, so
the least time of each row is the algorithm's, and what is above it came from the machine. Both are
kept, and the time of the first call, which makes the model where rows are dicts. As in timeit,
Python collects no garbage meanwhile: learn_one leaves none, and what there is is the benchmark's.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from time import perf_counter_ns
from typing import Any

import numpy as np

from benchmarks.speed import models
from benchmarks.speed.record import Record
from benchmarks.workloads import Table, Workload, workloads
from boxwise.river import EIOLGFMM, HyperboxClassifier

STREAMS = ("loan 0.1", "loan 0.5", "wide 0.5")
RUNS = 3
RIVER = {"EIOLGFMM": EIOLGFMM, "HyperboxClassifier": HyperboxClassifier}


def run(record: Record) -> None:
    rows = record.profile.pick(100_000, 5_000)
    for workload in workloads():
        if workload.name not in STREAMS:
            continue
        table = workload.table(rows)
        for learner in models.LEARNERS:
            for what, times in measure(workload, table, learner).items():
                record.add(stream=workload.name, learner=learner, what=what, **percentiles(times))


def measure(workload: Workload, table: Table, learner: str) -> dict[str, np.ndarray]:
    """Return, call by call, nanoseconds in each run."""
    single, pairs = models.single_rows(table), list(table.dicts())
    # HyperboxClassifier's prediction costs up to a millisecond; one row in ten says as much.
    every = 1 if learner == "EIOLGFMM" else 10
    runs: dict[str, list[list[int]]] = {"engine": [], "learn_one": [], "predict_one": []}
    gc.collect()
    gc.disable()
    for _ in range(RUNS):
        model = models.new_model(table, workload.size, learner)
        runs["engine"].append(each(model.engine.learn, single))
        learns, predicts = through_river(workload, pairs, learner, every)
        runs["learn_one"].append(learns)
        runs["predict_one"].append(predicts)
    gc.enable()
    return {what: np.array(times) for what, times in runs.items()}


def each(call: Callable[..., object], arguments: Sequence[tuple[Any, ...]]) -> list[int]:
    """Return the nanoseconds of every call."""
    times = []
    for given in arguments:
        start = perf_counter_ns()
        call(*given)
        times.append(perf_counter_ns() - start)
    return times


def through_river(
    workload: Workload, pairs: Sequence[tuple[dict[str, Any], str]], learner: str, every: int
) -> tuple[list[int], list[int]]:
    """Learn all rows, after predicting one in so many; return the nanoseconds of each call."""
    model = RIVER[learner](workload.size, workload.size)
    learns, predicts = [], []
    for i, (x, y) in enumerate(pairs):
        if i % every == 0:
            start = perf_counter_ns()
            model.predict_one(x)
            predicts.append(perf_counter_ns() - start)
        start = perf_counter_ns()
        model.learn_one(x, y)
        learns.append(perf_counter_ns() - start)
    return learns, predicts


def percentiles(times: np.ndarray) -> dict[str, float]:
    """Return µs over the calls: of the least of all runs, and the longest of the first."""
    least, first = times.min(axis=0) / 1e3, times[0] / 1e3
    median = float(np.median(least))
    return {
        "calls": len(least),
        "first": float(least[0]),
        "p50": median,
        "p99": float(np.percentile(least, 99)),
        "p99.9": float(np.percentile(least, 99.9)),
        "max": float(least.max()),
        "max_over_p50": float(least.max()) / median,
        "max_of_one_run": float(first.max()),
        "beyond_50": int((least > 50 * median).sum()),
    }
