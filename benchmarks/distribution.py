"""Rates of learning and merging on this machine, and from these 10^9 rows on 1 to 1,000 workers.

    python -m benchmarks.distribution

Prints Markdown and writes it to benchmarks/results/distribution.md. Times are those of the
processor, so that other work on the machine disturbs them little.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.distribution_quality import say_quality
from benchmarks.distribution_simulation import Cluster, Outcome, simulated
from benchmarks.report import Report
from benchmarks.speed.words import table
from boxwise import HyperboxClassifier, dumps, loads, merge
from boxwise.datasets import LoanStream

PARTS = 64
MERGED = (2, 4, 8, 16, 32, 64)
FAN_IN = 8
FILE_ROWS = 400_000
ROWS = 1_000_000_000
PARTITIONS = 1_000
WORKERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
BITS_PER_SECOND = 1e9  # of the connection of each worker


@dataclass
class Table:
    """Rows of which parts are learned: a stream and the number of rows of a part."""

    name: str
    rows: Callable[[int], tuple[pd.DataFrame, np.ndarray]]
    part: int


@dataclass
class Rates:
    """What was measured of a table; seconds are those of one core."""

    rows_per_second: float
    n_boxes: int
    n_bytes: int
    row_bytes: float
    merging: dict[int, float]  # by number of models
    merged_boxes: int
    tree: tuple[float, float]  # of all merges, and of those that wait for each other
    again: float  # merging FAN_IN merged models


def loans(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    columns, labels = LoanStream(n, function=5, noise=0.05, seed=1).table()
    return pd.DataFrame(columns), np.array(labels)


def wide(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return 80 numeric and 20 categorical columns, of which seven decide."""
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=(n, 80))
    values = np.array([f"v{i}" for i in range(8)])
    codes = rng.integers(0, 8, size=(n, 20))
    X = pd.DataFrame(numbers, columns=[f"x{j}" for j in range(80)])
    for j in range(20):
        X[f"c{j}"] = values[codes[:, j]]
    score = numbers[:, :5].sum(axis=1) + (codes[:, 0] < 3) - (codes[:, 1] > 4)
    noise = rng.random(n) < 0.05
    return X, np.where((score > 0) ^ noise, "yes", "no")


TABLES = (
    Table("narrow: the loans, 6 numeric and 3 categorical columns", loans, 20_000),
    Table("wide: 80 numeric and 20 categorical columns", wide, 6_000),
)


def cpu_seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """Return the least processor time of a few runs."""
    times = []
    for _ in range(repeat):
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)


def merged(models: Sequence[bytes]) -> bytes:
    """Do what a task of a cluster does: files in, a file out."""
    return dumps(merge([loads(model) for model in models]))


def rates_of(of: Table) -> Rates:
    X, y = of.rows(of.part * (PARTS + 1))
    models: list[bytes] = []
    for i in range(PARTS):
        part = slice(i * of.part, (i + 1) * of.part)
        models.append(dumps(HyperboxClassifier().partial_fit(X[part], y[part])))
    last = slice(PARTS * of.part, None)
    learning = cpu_seconds(lambda: loads(models[0]).partial_fit(X[last], y[last]))
    merging = {k: cpu_seconds(lambda k=k: merged(models[:k])) for k in MERGED}
    work, path, tree = 0.0, 0.0, models
    while len(tree) > 1:
        groups = [tree[i : i + FAN_IN] for i in range(0, len(tree), FAN_IN)]
        times = [cpu_seconds(lambda g=g: merged(g), repeat=1) for g in groups]
        work, path = work + sum(times), path + max(times)
        tree, before = [merged(group) for group in groups], tree
    first = loads(models[0])
    return Rates(
        of.part / learning,
        first.n_boxes_,
        len(models[0]),
        X.memory_usage(index=False, deep=False).sum() / len(X),
        merging,
        loads(tree[0]).n_boxes_,
        (work, path),
        cpu_seconds(lambda: merged(before)),
    )


def command_rate() -> tuple[float, float]:
    """Return rows a second of `boxwise learn` with a CSV file, and the seconds that it starts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "loans.csv")
        X, y = loans(FILE_ROWS)
        X.assign(decision=y).to_csv(path, index=False)
        command = [sys.executable, "-m", "boxwise.apps"]
        start = _child_seconds([*command, "--version"])
        learn = [
            "learn",
            str(path),
            "--label",
            "decision",
            "-q",
            "-o",
            str(path.with_suffix(".box")),
        ]
        return FILE_ROWS / (_child_seconds([*command, *learn]) - start), start


def _child_seconds(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def say_rates(report: Report, found: Sequence[tuple[Table, Rates]]) -> None:
    report.say("## Rates of one core\n")
    report.say(
        "Processor time of one thread. Learning is `partial_fit` of a data frame by a model that "
        f"has its boxes already. Merging is what a task of a cluster does: {MERGED[0]} to "
        f"{MERGED[-1]} models from bytes, merged, and back to bytes. *As a tree* merges "
        f"{PARTS} models by {FAN_IN}: all merges together, and those that wait for each other.\n"
    )
    names = [name.partition(":")[0] for name in (of.name for of, _ in found)]
    lines: list[tuple[str, Callable[[Rates], str]]] = [
        ("learning, rows a second", lambda r: f"{r.rows_per_second:,.0f}"),
        ("boxes of a model", lambda r: f"{r.n_boxes:,}"),
        ("bytes of a model", lambda r: f"{r.n_bytes:,}"),
        ("boxes of the merged model", lambda r: f"{r.merged_boxes:,}"),
        *((f"merging {k} models at once", lambda r, k=k: f"{r.merging[k]:.2f} s") for k in MERGED),
        (f"merging {FAN_IN} merged models", lambda r: f"{r.again:.2f} s"),
        (f"merging {PARTS} as a tree, all", lambda r: f"{r.tree[0]:.2f} s"),
        (f"merging {PARTS} as a tree, one after the other", lambda r: f"{r.tree[1]:.2f} s"),
    ]
    for of, _ in found:
        report.say(f"- {of.name}; parts of {of.part:,} rows")
    report.say()
    body = [[what, *(cell(rates) for _, rates in found)] for what, cell in lines]
    report.say(table(["", *names], body) + "\n")


def say_simulation(report: Report, of: Table, rates: Rates, starting: float) -> None:
    report.say(f"### {ROWS:,} rows: {of.name.partition(':')[0]}\n")
    cluster = Cluster(
        rows=ROWS,
        partitions=PARTITIONS,
        rows_per_second=rates.rows_per_second,
        model_bytes=rates.n_bytes,
        merging=rates.merging,
        bytes_per_second=BITS_PER_SECOND / 8,
        starting=starting,
    )
    ways = {"at once": PARTITIONS, f"by {FAN_IN}": FAN_IN, "by 2": 2}
    found = {way: [simulated(cluster, w, fan) for w in WORKERS] for way, fan in ways.items()}
    one = found[f"by {FAN_IN}"][0].seconds
    head = ["workers", *(f"{way}: time, speedup, merging" for way in ways)]
    body = [[f"{w:,}", *(_cell(found[way][i], one) for way in ways)] for i, w in enumerate(WORKERS)]
    report.say(table(head, body) + "\n")
    traffic = ", ".join(f"{way} {found[way][-1].n_bytes / 1e9:.2f} GB" for way in ways)
    report.say(f"Models that travel: {traffic}, however many workers there are.\n")
    for way in ways:
        report.say(f"- merged {way}: {_limit(found[way], one)}")
    report.say()


def _cell(outcome: Outcome, one: float) -> str:
    return (
        f"{_time(outcome.seconds)}, {one / outcome.seconds:,.0f}×, "
        f"{outcome.tail / outcome.seconds:.0%}"
    )


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _limit(outcomes: Sequence[Outcome], one: float) -> str:
    half = [w for w, o in zip(WORKERS, outcomes, strict=True) if one / o.seconds >= w / 2]
    best = min(outcomes, key=lambda o: o.seconds)
    return (
        f"at least half of the ideal speedup up to {max(half):,} workers; the shortest time is "
        f"{_time(best.seconds)}"
    )


def main() -> None:
    report = Report("Distributed learning", "python -m benchmarks.distribution")
    report.say(
        "Learning is measured on one core; the cluster is simulated. `HyperboxClassifier` with "
        "its defaults, at most 1,000 boxes.\n"
    )
    with threadpool_limits(1):
        found = [(of, rates_of(of)) for of in TABLES]
    say_rates(report, found)
    say_quality(report)
    rate, starting = command_rate()
    report.say("## The simulation\n")
    report.say(
        f"`boxwise learn` learns {rate:,.0f} rows a second from a CSV file of {FILE_ROWS:,} loans, "
        f"reading included, and takes {starting:.1f} s to start.\n"
    )
    report.say(
        f"The simulation has {PARTITIONS:,} partitions of {ROWS // PARTITIONS:,} rows, whatever "
        "the number of workers, so that the model does not depend on it. Assumed, not measured: a "
        f"worker has one core and a connection of {BITS_PER_SECOND / 1e9:.0f} Gbit/s and is up to "
        "20 % faster or slower than this machine; a task costs 10 ms more; partitions are where "
        "they are learned, so that no row travels. A worker starts as long as the command line. "
        "Models are merged all at once by one worker, or as a tree, by eight or by two, as soon as "
        "those that belong together are there. Merging more than 64 models is extrapolated. "
        "*Merging* is the share of the time after the last partition was learned.\n"
    )
    for of, rates in found:
        say_simulation(report, of, rates, starting)
    report.write("distribution.md")


if __name__ == "__main__":
    main()
