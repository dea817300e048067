"""Predict, then learn, over whole streams: EIOLGFMM beside River's learners.

    BOXWISE_DATA=... python -m benchmarks.streams            (whole streams: about half an hour)
    BOXWISE_DATA=... python -m benchmarks.streams --rows 5000

Prints Markdown and writes it to benchmarks/results/streams.md; how far it is goes to standard
error. All learners of a table get the same rows in the same run, and the time is that spent in
each. Without BOXWISE_DATA only the loan stream is measured.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from itertools import islice
from typing import Any

from benchmarks import paper_data
from benchmarks.report import Report
from boxwise import EIOLGFMM
from boxwise.datasets import LoanStream
from boxwise.evaluate import Point, prequential
from boxwise.evaluate.peers import peer
from boxwise.evaluate.prequential_table import memory_text, score_text

SETTINGS = (
    (0.05, 0.1, 1),
    (0.1, 0.1, 1),
    (0.2, 0.5, 1),
    (0.2, 0.5, 2),
    (0.3, 1.0, 1),
    (0.5, 0.5, 1),
    (0.5, 0.5, 2),
)
PEERS = ("hoeffding-tree", "adaptive-hoeffding-tree", "naive-bayes")
BASELINES = ("no-change", "majority")
LOANS = 100_000
PART = 10_000  # rows for the forest, which is slow

Stream = Callable[[], Iterable[tuple[dict[str, Any], str]]]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams")
    parser.add_argument("--rows", type=int, help="only so many rows of each stream, for a try")
    rows = parser.parse_args(arguments).rows
    command = "python -m benchmarks.streams" + (f" --rows {rows}" if rows else "")
    report = Report("Streams", command)
    report.say(f"River {version('river')}. {EXPLAINED}\n")
    for name, stream in streams(rows).items():
        table(report, name, stream, (*PEERS, *BASELINES), rows)
    part = min(PART, rows or PART)
    for name, stream in streams(part).items():
        table(report, f"{name}, with a forest", stream, (*PEERS, "arf", *BASELINES), part)
    report.write("streams.md")


EXPLAINED = (
    "Every row is predicted, then learned. Accuracy, class balanced accuracy and Cohen's kappa "
    "over all rows; CBA of the last 1,000 rows; rows per second spent in the learner. "
    "`no-change` says what the row before was, `majority` what most rows were."
)


def streams(rows: int | None) -> dict[str, Stream]:
    """Return the streams, each as a function that starts it from the beginning."""
    n = min(LOANS, rows or LOANS)
    found: dict[str, Stream] = {}
    if "BOXWISE_DATA" in os.environ:
        found["electricity"] = lambda: paper_data.stream("electricity")
        found["nyc_flights"] = lambda: paper_data.stream("nyc_flights")
    found["loans"] = lambda: LoanStream(n, function=7, noise=0.05)
    found["loans, another rule from the middle on"] = lambda: LoanStream(
        n, function=7, noise=0.05, drift_at=n // 2, drift_to=3
    )
    return found


def table(
    report: Report, name: str, stream: Stream, peers: Sequence[str], limit: int | None
) -> None:
    learners = ours() | {peer_name: peer(peer_name) for peer_name in peers}
    # Rows in memory: the time to read the file is nobody's, and the streams are small enough.
    rows = [*islice(stream(), limit)]
    report.say(f"## {name}: {len(rows):,} rows\n")
    result = prequential(learners, rows, progress=lambda points: tell(name, points, len(rows)))
    print(file=sys.stderr)
    report.say("| | accuracy | CBA | kappa | CBA, last 1,000 | boxes | memory | rows/s |")
    report.say("|---|--:|--:|--:|--:|--:|--:|--:|")
    last = [points[-1] for points in result.points.values()]
    best = max(point.overall.cba for point in last)
    for point in last:
        report.say(line(point, best))
    report.say()


def ours() -> dict[str, Any]:
    """Return EIOLGFMM with every setting."""
    return {
        f"EIOLGFMM θ={theta:g} δ={delta:g} v{version}": EIOLGFMM(theta, delta, version)
        for theta, delta, version in SETTINGS
    }


def tell(name: str, points: Sequence[Point], total: int) -> None:
    print(f"\r{name}: {points[0].rows:,} of {total:,} rows ", end="", file=sys.stderr, flush=True)


def line(point: Point, best: float) -> str:
    scores = point.overall
    cba = f"**{scores.cba:.3f}**" if scores.cba == best else score_text(scores.cba)
    cells = (
        point.learner,
        score_text(scores.accuracy),
        cba,
        score_text(scores.kappa),
        score_text(point.recent.cba),
        "" if point.boxes is None else f"{point.boxes:,}",
        memory_text(point.memory),
        f"{point.rows_per_second:,.0f}",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
