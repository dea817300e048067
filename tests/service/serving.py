"""A service to ask, and the same model learned without one."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx")
pytest.importorskip("orjson")
pytest.importorskip("prometheus_client")
pytest.importorskip("uvicorn")

import httpx

from boxwise import HyperboxClassifier, dumps, loads
from boxwise.database import REPLACE, Store
from boxwise.datasets import LoanStream
from boxwise.schema import Column, Schema, Vocabulary
from boxwise.service import Settings, Tokens, create_app

BOXWISE = Path(sys.executable).with_name("boxwise")
COLUMNS = {"age": "numeric", "job": "categorical"}
ROWS = [{"age": 41, "job": "cook"}, {"age": 23, "job": "nurse"}, {"age": 60, "job": None}]
LABELS = ["yes", "no", "yes"]
JSON = {"Content-Type": "application/json"}


def empty_model(columns: dict[str, str] | None = None, **parameters: Any) -> HyperboxClassifier:
    columns = columns or COLUMNS
    described = [
        Column(name, kind, Vocabulary() if kind == "categorical" else None)
        for name, kind in columns.items()
    ]
    categorical = [name for name, kind in columns.items() if kind == "categorical"]
    model = HyperboxClassifier(categorical_features=categorical, **parameters)
    model._begin(Schema(described, named=True))
    return model


class Client:
    """Asks an application in this process; its event loop runs in a thread."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()
        self._lifespan = app.router.lifespan_context(app)
        try:
            self.run(self._lifespan.__aenter__())
        except BaseException:
            self._end()
            raise
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._asking = httpx.AsyncClient(transport=transport, base_url="http://localhost")

    def run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self.run(self._asking.request(method, path, **more))

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.request("GET", path, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.request("POST", path, **more)

    def delete(self, path: str, **more: Any) -> httpx.Response:
        return self.request("DELETE", path, **more)

    def close(self) -> None:
        try:
            self.run(self._lifespan.__aexit__(None, None, None))
        finally:
            self._end()

    def _end(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


@contextmanager
def serving(
    store: Store,
    model: Any = None,
    *,
    name: str = "loans",
    tokens: Tokens | None = None,
    **settings: Any,
) -> Iterator[Client]:
    """Serve a store in this process; a model is added unless it is there."""
    if not store.has_model(name):
        store.create_model(name, dumps(empty_model() if model is None else model))
    app = create_app(store, settings=Settings(**settings), tokens=tokens)
    client = Client(app)
    try:
        yield client
    finally:
        client.close()


def served(client: Client, name: str = "loans") -> Any:
    return client.app.state.service.writers[name].served


def model_of(client: Client, name: str = "loans") -> bytes:
    return served(client, name).live.to_bytes()


def learn(client: Any, rows: Any = ROWS, labels: Any = LABELS, key: str | None = None, **more: Any):
    headers = {} if key is None else {"Idempotency-Key": key.encode("latin-1")}
    return client.post("/v1/learn", json={"rows": rows, "labels": labels, **more}, headers=headers)


def predict(client: Any, rows: Any = ROWS, **more: Any):
    return client.post("/v1/predict", json={"rows": rows, **more})


def loans(n: int, seed: int = 0) -> tuple[list[dict[str, Any]], list[str]]:
    pairs = [*LoanStream(n, function=7, noise=0.05, seed=seed, drift_at=n // 2, drift_to=3)]
    return [row for row, _ in pairs], [label for _, label in pairs]


def loan_columns() -> dict[str, str]:
    row, _ = next(iter(LoanStream(1)))
    return {k: "categorical" if isinstance(v, str) else "numeric" for k, v in row.items()}


def replayed(store: Store, name: str) -> bytes:
    """Return the model that partial_fit makes of the whole journal, without the service."""
    model = loads(store.checkpoint(name, 0).data)
    for entry in store.journal_since(name, 0):
        if entry.kind == REPLACE:
            model = loads(store.checkpoint(name, entry.position).data)
        else:
            content = json.loads(entry.payload)
            weights = content.get("weights")
            more = {} if weights is None else {"sample_weight": weights}
            model.partial_fit(content["rows"], content["labels"], **more)
    return dumps(model)


class Process:
    """`boxwise serve` as a process of its own."""

    def __init__(self, folder: Path, *arguments: object, env: dict[str, str] | None = None) -> None:
        self.log = (folder / "log").open("ab")
        command = [str(BOXWISE), "serve", "--port", "0", *map(str, arguments)]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=self.log, env=env
        )
        line = self.process.stdout.readline().decode()
        assert line.startswith("boxwise serves at http"), (folder / "log").read_text()
        self.url = line.split()[-1]
        self.client = httpx.Client(base_url=self.url, timeout=30)

    def kill(self) -> None:
        self.client.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def stop(self) -> int:
        self.client.close()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.process.stdout.close()
        self.log.close()
        return code


def until(condition: Any, seconds: float = 10.0) -> Any:
    """Return the first true value of a condition."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.02)
    return found
