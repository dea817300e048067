"""How long single calls take: learn_one, predict_one, and the learn of the engine alone.

Every call of a run is timed, and the run is made more than once: the work is the same each time, so
the least time of each row is the algorithm's, and what is above it came from the machine. Both are
kept, and the time of the first call, which makes the model where rows are dicts. As in timeit,
Python collects no garbage meanwhile: learn_one leaves none, and what there is is the benchmark's.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter_ns
from typing import Any

import numpy as np

from benchmarks.speed import models
from benchmarks.speed.record import Record
from benchmarks.workloads import Table, Workload, workloads
from boxwise.river import EIOLGFMM, HyperboxClassifier

STREAMS = ("loan 0.1", "loan 0.5", "wide 0.5")
RUNS = 3
LEARNERS: dict[str, Callable[[Workload], EIOLGFMM | HyperboxClassifier]] = {
    "EIOLGFMM": lambda workload: EIOLGFMM(workload.size, workload.size),
    "HyperboxClassifier": lambda workload: HyperboxClassifier(),
}


def run(record: Record) -> None:
    rows = record.profile.pick(100_000, 5_000)
    for workload in workloads():
        if workload.name not in STREAMS:
            continue
        table = workload.table(rows)
        for learner, new in LEARNERS.items():
            for what, times in measure(table, partial(new, workload)).items():
                record.add(stream=workload.name, learner=learner, what=what, **percentiles(times))


def measure(table: Table, new: Callable[[], Any]) -> dict[str, np.ndarray]:
    """Return, call by call, nanoseconds in each run of a new learner."""
    single, pairs = models.single_rows(table), list(table.dicts())
    runs: dict[str, list[list[int]]] = {"engine": [], "learn_one": [], "predict_one": []}
    gc.collect()
    gc.disable()
    for _ in range(RUNS):
        model = models.new_model(table, new().classifier)
        runs["engine"].append(each(model.engine.learn, single))
        learns, predicts = through_river(new(), pairs)
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
    model: Any, pairs: Sequence[tuple[dict[str, Any], str]]
) -> tuple[list[int], list[int]]:
    """Learn each row after the next one was predicted; return the nanoseconds of each call.

    A row that was itself predicted just before would not be evaluated again to learn it.
    """
    learns, predicts = [], []
    for (x, y), (ahead, _) in zip(pairs, [*pairs[1:], pairs[0]], strict=True):
        start = perf_counter_ns()
        model.predict_one(ahead)
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
