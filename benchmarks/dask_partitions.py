"""DaskHyperboxClassifier on 16 partitions and two workers, against one local pass over all rows.

    python -m benchmarks.dask_partitions

Prints Markdown and writes it to benchmarks/results/dask.md.
"""

from __future__ import annotations

import os
import pickle
from time import perf_counter, process_time
from typing import Any, NamedTuple

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster
from sklearn.metrics import log_loss

from benchmarks.report import Report
from boxwise import HyperboxClassifier, loads
from boxwise.dask import DaskHyperboxClassifier, tasks
from boxwise.datasets import LoanStream
from boxwise.evaluate import class_balanced_accuracy
from boxwise.learners.parts import FAN_IN, quota

LEARNED, TESTED, PARTITIONS, WORKERS = 200_000, 20_000, 16, 2
SEEDS = (1, 2, 3)


class Run(NamedTuple):
    """What a way to learn costs and how good its model is."""

    seconds: float
    cba: float
    log_loss: float


def scored(clf: Any, seconds: float, X: pd.DataFrame, y: np.ndarray) -> Run:
    p = clf.predict_proba(X)
    return Run(seconds, class_balanced_accuracy(y, clf.classes_[p.argmax(axis=1)]), log_loss(y, p))


def measured(client: Client, function: int, seed: int) -> dict[str, Run]:
    stream = LoanStream(LEARNED + TESTED, function=function, noise=0.05, seed=seed)
    columns, labels = stream.table()
    frame = pd.DataFrame(columns)
    test = frame[LEARNED:], labels[LEARNED:]
    frame, labels = frame[:LEARNED], labels[:LEARNED]
    start = perf_counter()
    local = HyperboxClassifier().fit(frame, labels)
    runs = {"one pass": scored(local, perf_counter() - start, *test)}
    table = dd.from_pandas(frame.assign(decision=labels), npartitions=PARTITIONS).persist()
    ways: dict[str, dict[str, int]] = {"dask": {}, "dask, tune_rows=0": {"tune_rows": 0}}
    for name, how in ways.items():
        clf = DaskHyperboxClassifier(**how, client=client)
        start = perf_counter()
        clf.fit(table.drop(columns="decision"), table["decision"])
        runs[name] = scored(clf.to_local(), perf_counter() - start, *test)
    return runs


def steps(report: Report, frame: pd.DataFrame, labels: np.ndarray, n: int) -> None:
    """Add a line on n partitions, learned and merged in this process as the workers do it."""
    X, y = frame[:LEARNED], pd.Series(labels[:LEARNED])
    parameters = HyperboxClassifier().get_params()
    size = LEARNED // n
    start, parts = process_time(), []
    for number in range(n):
        rows = slice(number * size, (number + 1) * size)
        most = quota(number, n)
        parts.append(tasks.learn_part(number, (X[rows], y[rows], None), parameters, None, most))
    learned = process_time() - start
    sent = [len(pickle.dumps(part)) for part in parts]
    start = process_time()
    while len(parts) > FAN_IN:
        starts = range(0, len(parts), FAN_IN)
        parts = [tasks.merge_parts(parts[i : i + FAN_IN]) for i in starts]
    clf = loads(tasks.finish(parts, n, parameters))
    merged = process_time() - start
    run = scored(clf, learned + merged, frame[LEARNED:], labels[LEARNED:])
    report.say(
        f"| {len(sent)} | {size:,} | {run.cba:.3f} | {run.log_loss:.3f} | {learned:.1f} "
        f"| {merged:.1f} | {np.mean(sent) / 1e3:,.0f} KB |"
    )


def main() -> None:
    report = Report("Dask: partitions against one pass", "python -m benchmarks.dask_partitions")
    report.say(
        f"Loans, {LEARNED:,} rows with 5 % of the labels wrong, learned in one local pass, or by "
        f"{WORKERS} worker processes in {PARTITIONS} partitions that they hold in memory. Scores "
        f"on the next {TESTED:,} rows; means over {len(SEEDS)} seeds, the least time. The machine "
        f"has {os.cpu_count()} cores.\n"
    )
    report.say("| | CBA | log-loss | seconds |\n|---|--:|--:|--:|")
    address = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, **address) as cluster,
        Client(cluster) as client,
    ):
        for function in (5, 7):
            runs = [measured(client, function, seed) for seed in SEEDS]
            for name in runs[0]:
                each = [run[name] for run in runs]
                report.say(
                    f"| loans {function}, {name} | {np.mean([r.cba for r in each]):.3f} "
                    f"| {np.mean([r.log_loss for r in each]):.3f} "
                    f"| {min(r.seconds for r in each):.1f} |"
                )
    report.say(
        "\nThe same tasks in one process, loans 7, seed 1: CPU seconds to learn all parts, to "
        "merge them and learn the withheld rows, and what a part sends.\n"
    )
    report.say(
        "| partitions | rows of each | CBA | log-loss | learn | merge | a part sends |\n"
        "|--:|--:|--:|--:|--:|--:|--:|"
    )
    columns, labels = LoanStream(LEARNED + TESTED, function=7, noise=0.05, seed=1).table()
    for n in (1, 4, 16, 64, 256):
        steps(report, pd.DataFrame(columns), labels, n)
    report.write("dask.md")


if __name__ == "__main__":
    main()
