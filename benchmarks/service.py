"""Rows per second and latency of `boxwise serve` on loopback, beside MLflow's scoring server.

    python -m benchmarks.service [--seconds 8]

Both serve a model of the same 20,000 loans: `HyperboxClassifier`, and a scikit-learn pipeline
(one-hot categories, scaled numbers, logistic regression). Servers and clients share two cores. The
clients are processes that keep their connection and send bodies made before; a latency is that
which a client sees. Prints Markdown and writes it to benchmarks/results/service.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import Report
from benchmarks.speed.words import table
from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream

LEARNED, STREAM = 20_000, 200_000  # rows learned before, and rows that the clients send
BATCH = 100
BIN = Path(sys.executable).parent
WARM_UP = 1.0  # seconds
MLFLOW_START = 120.0

Bodies = Callable[[Sequence[tuple[dict[str, Any], str]]], Any]


@dataclass(frozen=True)
class Load:
    """What clients send at the same time: rows a request, a path, how a body is made."""

    what: str
    path: str
    body: Bodies
    rows: int
    clients: int


def learned(pairs: Sequence[tuple[dict[str, Any], str]]) -> Any:
    """Return a body of ``/v1/learn``."""
    return {"rows": [row for row, _ in pairs], "labels": [label for _, label in pairs]}


def predicted(pairs: Sequence[tuple[dict[str, Any], str]]) -> Any:
    """Return a body of ``/v1/predict``."""
    return {"rows": [row for row, _ in pairs]}


def invoked(pairs: Sequence[tuple[dict[str, Any], str]]) -> Any:
    """Return a body of ``/invocations``."""
    rows = [row for row, _ in pairs]
    data = [[*row.values()] for row in rows]
    return {"dataframe_split": {"columns": [*rows[0]], "data": data}}


PREDICT = [
    Load("/v1/predict", "/v1/predict", predicted, rows, clients)
    for rows in (1, BATCH)
    for clients in (1, 4)
]
INVOKE = [
    Load("/invocations", "/invocations", invoked, rows, clients)
    for rows in (1, BATCH)
    for clients in (1, 4)
]
LEARN = [
    Load("/v1/learn", "/v1/learn", learned, rows, clients)
    for rows, clients in ((1, 1), (1, 16), (BATCH, 1), (BATCH, 4))
]


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each line of the table")
    seconds = parser.parse_args().seconds
    cores = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, cores)  # of this process and all that it starts
    report = Report("The service, measured", "python -m benchmarks.service")
    stream = [*LoanStream(LEARNED + STREAM, function=7, noise=0.05, seed=5)]
    known, rest = stream[:LEARNED], stream[LEARNED:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with boxwise_served(folder, known) as port:
            found = [measured("boxwise", load, rest, port, seconds) for load in PREDICT + INVOKE]
            found += under_learning(rest, port, seconds)
            found += [measured("boxwise", load, rest, port, seconds) for load in LEARN]
        with mlflow_served(folder, known) as port:
            if port is not None:
                found += [measured("MLflow", load, rest, port, seconds) for load in INVOKE]
    report.say(
        f"Server and clients share {len(cores)} cores; each line took {seconds:g} seconds.\n"
    )
    head = ["server", "request", "rows", "clients", "rows a second", "p50, ms", "p99, ms"]
    report.say(table(head, found))
    report.write("service.md")


def measured(
    server: str, load: Load, stream: list[tuple[dict[str, Any], str]], port: int, seconds: float
) -> list[str]:
    """Return a line of the table."""
    return line_of(server, load, *sent(load, stream, port, seconds))


def line_of(server: str, load: Load, latencies: list[float], taken: float) -> list[str]:
    """Return what was measured as a line of the table."""
    rate = len(latencies) * load.rows / taken
    line = [server, load.what, f"{load.rows}", f"{load.clients}", f"{rate:,.0f}"]
    line += [f"{1000 * np.percentile(latencies, q):.2f}" for q in (50, 99)]
    print(" | ".join(line), flush=True)
    return line


def sent(
    load: Load, stream: list[tuple[dict[str, Any], str]], port: int, seconds: float
) -> tuple[list[float], float]:
    """Send requests by several processes; return their latencies and how long it took."""
    share = len(stream) // load.clients
    with get_context("fork").Pool(load.clients) as pool:
        work = [
            (requests(load, stream[i * share : (i + 1) * share]), port, seconds)
            for i in range(load.clients)
        ]
        results = pool.starmap(client, work, chunksize=1)
    return [one for latencies, _ in results for one in latencies], max(t for _, t in results)


def requests(load: Load, stream: list[tuple[dict[str, Any], str]]) -> list[bytes]:
    """Return requests as they go over the wire."""
    made = []
    for begin in range(0, min(len(stream), 20_000 * load.rows, 100_000), load.rows):
        body = json.dumps(load.body(stream[begin : begin + load.rows])).encode()
        head = f"POST {load.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        made.append(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return made


def client(made: list[bytes], port: int, seconds: float) -> tuple[list[float], float]:
    """Send requests one after the other, over one connection; return the latencies."""
    latencies = []
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        warm = time.perf_counter() + WARM_UP
        begin = end = 0.0
        for one in cycle(made):
            now = time.perf_counter()
            if now >= warm and not begin:
                begin, end = now, now + seconds
            connection.sendall(one)
            answered(connection)
            if begin:
                done = time.perf_counter()
                latencies.append(done - now)
                if done >= end:
                    break
    return latencies, time.perf_counter() - begin


def answered(connection: socket.socket) -> None:
    """Read one answer."""
    received = b""
    while (found := received.find(b"\r\n\r\n")) < 0:
        received += connection.recv(65536) or _fail("the server closed the connection")
    if not received.startswith(b"HTTP/1.1 200 "):
        _fail(received.decode(errors="replace"))
    head = received[:found].lower()
    length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
    missing = length - (len(received) - found - 4)
    while missing > 0:
        missing -= len(connection.recv(262144) or _fail("the server closed the connection"))


def _fail(text: str) -> bytes:
    raise RuntimeError(text)


def under_learning(
    stream: list[tuple[dict[str, Any], str]], port: int, seconds: float
) -> list[list[str]]:
    """Measure single predictions while another client learns batches without a pause."""
    learning = Load("/v1/learn, meanwhile", "/v1/learn", learned, BATCH, 1)
    predicting = Load("/v1/predict while learning", "/v1/predict", predicted, 1, 1)
    with get_context("fork").Pool(1) as pool:
        made = requests(learning, stream[: STREAM // 2])
        other = pool.apply_async(client, (made, port, seconds + 1))
        time.sleep(0.5)
        line = measured("boxwise", predicting, stream[STREAM // 2 :], port, seconds)
        return [line, line_of("boxwise", learning, *other.get())]


@contextmanager
def boxwise_served(folder: Path, rows: list[tuple[dict[str, Any], str]]) -> Iterator[int]:
    """Serve a `HyperboxClassifier` from a store in SQLite."""
    model = HyperboxClassifier().fit([row for row, _ in rows], [label for _, label in rows])
    model.save(folder / "loans.box")
    command = [BIN / "boxwise", "serve", folder / "loans.box", "--port", "0", "--quiet"]
    with (folder / "boxwise.log").open("w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline().rpartition(":")[2])
    finally:
        process.terminate()
        process.wait()


@contextmanager
def mlflow_served(folder: Path, rows: list[tuple[dict[str, Any], str]]) -> Iterator[int | None]:
    """Serve a pipeline of scikit-learn by ``mlflow models serve``; None if there is no MLflow."""
    if shutil.which("mlflow", path=str(BIN)) is None:
        print("going on without MLflow: pip install mlflow-skinny", flush=True)
        yield None
        return
    save_pipeline(folder / "mlflow", rows)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [
        BIN / "mlflow", "models", "serve", "--model-uri", folder / "mlflow", "--env-manager",
        "local", "--host", "127.0.0.1", "--port", str(port),
    ]  # fmt: skip
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    with (folder / "mlflow.log").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            wait_for(port, process, folder / "mlflow.log")
            yield port
        finally:
            process.terminate()
            process.wait()


def save_pipeline(path: Path, rows: list[tuple[dict[str, Any], str]]) -> None:
    """Fit the pipeline and write it as a model of MLflow."""
    import mlflow.sklearn
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    frame = pd.DataFrame([row for row, _ in rows])
    numbers = [*frame.select_dtypes("number")]
    texts = [name for name in frame if name not in numbers]
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), texts), (StandardScaler(), numbers)
    )
    pipeline = make_pipeline(columns, LogisticRegression(max_iter=1000))
    pipeline.fit(frame, [label for _, label in rows])
    mlflow.sklearn.save_model(
        pipeline, path, pip_requirements=[], serialization_format="cloudpickle"
    )


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server listens."""
    end = time.monotonic() + MLFLOW_START
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit(log.read_text()) from None
            time.sleep(0.2)


if __name__ == "__main__":
    main()
