"""Rows per second of `boxwise consume` from a file, Redis, the mock of Kafka, and NATS.

    python -m benchmarks.consume

Starts the servers on this machine, as the tests do. Prints Markdown and writes it to
benchmarks/results/consume.md. Each rate is that of 200,000 rows (Kafka: 50,000) without the start,
which is that of 1,000 rows, by the processor time of the
consumer, so that other work on the machine disturbs it little.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.streams.servers import KafkaMock, NatsServer, RedisServer

from benchmarks.report import Report
from benchmarks.speed.words import table
from boxwise.datasets import LoanStream

ROWS, FEW = 200_000, 1_000
KAFKA_ROWS = 50_000  # the mock keeps about 5 MB of a partition
BOXWISE = Path(sys.executable).with_name("boxwise")
CHUNK = 10_000


@dataclass
class Place:
    """A kind of stream: the address of the rows (all or few of them), and one for results."""

    name: str
    source: Callable[[int], str]
    sink: str
    rows: int = ROWS


def main() -> None:
    """Measure and report."""
    report = Report("Streams, consumed", "python -m benchmarks.consume")
    rows = [{**row, "decision": label} for row, label in LoanStream(ROWS, function=7, seed=5)]
    payloads = [json.dumps(row).encode() for row in rows]
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for open_place in (_csv, _redis, _kafka, _nats):
            with open_place(folder, rows, payloads) as place:
                for what, options in (
                    ("learned", []),
                    ("predicted and learned", ["-o", place.sink]),
                    ("the same with probabilities", ["-o", place.sink, "--proba"]),
                ):
                    found.append([place.name, what, f"{_rate(folder, place, options):,.0f}"])
    report.say(
        table(
            ["stream", "rows are", "rows a second", "rows a second of processor time"],
            found,
        )
    )
    report.write("consume.md")


def _rate(folder: Path, place: Place, options: list[str]) -> float:
    few, many = (_seconds(folder, place, options, n) for n in (FEW, place.rows))
    return (place.rows - FEW) / (many - few)


def _seconds(folder: Path, place: Place, options: list[str], n: int) -> float:
    """Return the processor time that the command takes for n rows."""
    store = folder / "models.db"
    store.unlink(missing_ok=True)
    command = [
        BOXWISE, "consume", place.source(n), "--store", store, "--label", "decision", "--quiet",
        "--until-idle", "1", *options,
    ]  # fmt: skip
    process = subprocess.Popen([str(part) for part in command])
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{place.name}: consume ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


@contextmanager
def _csv(folder: Path, rows: list[dict[str, object]], payloads: list[bytes]) -> Iterator[Place]:
    paths = {n: folder / f"{n}.csv" for n in (FEW, ROWS)}
    for n, path in paths.items():
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows[:n])
    yield Place("CSV file", lambda n: f"csv:{paths[n]}", str(folder / "results.jsonl"))


@contextmanager
def _redis(folder: Path, rows: list[dict[str, object]], payloads: list[bytes]) -> Iterator[Place]:
    server = RedisServer(folder / "redis")
    server.start()
    try:
        for n in (FEW, ROWS):
            for begin in range(0, n, CHUNK):
                server.add(f"rows{n}", rows[begin : min(n, begin + CHUNK)])
        yield Place(
            "Redis 7, JSON", lambda n: server.url(f"rows{n}", field="row"), server.url("results")
        )
    finally:
        server.kill()


@contextmanager
def _kafka(folder: Path, rows: list[dict[str, object]], payloads: list[bytes]) -> Iterator[Place]:
    cluster = KafkaMock()
    for n in (FEW, KAFKA_ROWS):
        for partition in range(4):
            cluster.send(
                f"rows{n}", payloads[partition * n // 4 : (partition + 1) * n // 4], partition
            )
    yield Place(
        "Kafka (mock of librdkafka), JSON",
        lambda n: cluster.url(f"rows{n}"),
        cluster.url("results"),
        KAFKA_ROWS,
    )


@contextmanager
def _nats(folder: Path, rows: list[dict[str, object]], payloads: list[bytes]) -> Iterator[Place]:
    server = NatsServer(folder / "nats")
    server.start()
    try:
        for n in (FEW, ROWS):
            server.create(f"ROWS{n}", [f"rows{n}"])
            server.publish(f"rows{n}", payloads[:n])
        server.create("RESULTS", ["results"])
        yield Place("NATS 2.9, JSON", lambda n: server.url(f"rows{n}"), server.url("results"))
    finally:
        server.kill()


if __name__ == "__main__":
    main()
