"""A client that sends rows to the service at an even pace, and their labels a little later."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPException
from itertools import islice
from time import monotonic, sleep

from boxwise.datasets import LoanStream

NOISE = 0.05
# From a decision about money (income against loan) to one about people (age and education).
RULES = (7, 3)
TICK = 0.1  # seconds between two batches of rows
LABEL_AFTER = 2.0  # seconds from a prediction to its label
PATIENCE = 0.2  # seconds before a request is sent again
TIMEOUT = 30.0  # seconds for an answer

Labelled = tuple[dict[str, object], str]


class RefusedError(Exception):
    """The service refused a request: it would do so again."""


def applications(rows: int, change_every: int, seed: int) -> Iterator[Labelled]:
    """Yield loan applications; every so many rows the other of two rules decides."""
    streams = [LoanStream(rows, function=rule, noise=NOISE, seed=seed) for rule in RULES]
    for i, pairs in enumerate(zip(*streams, strict=True)):
        yield pairs[i // change_every % len(RULES)]


class Feeder:
    """Has each row predicted, and sends its label some seconds later to be learned.

    A request that fails is sent again, with the same ``Idempotency-Key``, until it is answered:
    so the service learns each label once, however often it is killed.

    Parameters
    ----------
    port : int
        The port of the service, at the loopback address.
    keep_running : callable
        Called before a request is sent again.
    """

    def __init__(self, port: int, keep_running: Callable[[], None]) -> None:
        self._port, self._keep_running = port, keep_running
        self._connection: HTTPConnection | None = None
        self._waiting: deque[tuple[float, list[dict[str, str]]]] = deque()
        self.sent = 0  # rows

    def feed(self, rows: Iterator[Labelled], pace: float) -> None:
        """Send all rows, `pace` of them a second, and then the last labels."""
        begin, due = monotonic(), 0.0
        while batch := list(islice(rows, max(1, int(due + pace * TICK) - self.sent))):
            due += pace * TICK
            self._predict(batch)
            self._learn(monotonic())
            sleep(max(0.0, begin + due / pace - monotonic()))
            behind = monotonic() - begin - due / pace
            if behind > TICK:  # the service was away: go on from here, do not make up for it
                begin += behind
        self._learn(float("inf"))

    def _predict(self, batch: list[Labelled]) -> None:
        ids = [f"loan-{self.sent + i + 1}" for i in range(len(batch))]
        self._post("/v1/predict", {"rows": [row for row, _ in batch], "ids": ids})
        labelled = [{"id": one, "label": label} for one, (_, label) in zip(ids, batch, strict=True)]
        self._waiting.append((monotonic() + LABEL_AFTER, labelled))
        self.sent += len(batch)

    def _learn(self, now: float) -> None:
        """Send the labels that are due."""
        while self._waiting and self._waiting[0][0] <= now:
            labelled = self._waiting[0][1]
            self._post("/v1/learn", {"labelled": labelled}, key=f"labels from {labelled[0]['id']}")
            self._waiting.popleft()

    def _post(self, path: str, body: object, key: str | None = None) -> None:
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        content = json.dumps(body).encode()
        while True:
            try:
                status, text = self._request(path, content, headers)
            except (OSError, HTTPException):
                self._connection = None
            else:
                if status < 300:
                    return
                if status < 500 and status != 429:
                    raise RefusedError(f"{path}: {status} {text}")
            sleep(PATIENCE)
            self._keep_running()

    def _request(self, path: str, content: bytes, headers: dict[str, str]) -> tuple[int, str]:
        if self._connection is None:
            self._connection = HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT)
        self._connection.request("POST", path, content, headers)
        response = self._connection.getresponse()
        return response.status, response.read().decode(errors="replace")
