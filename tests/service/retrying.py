"""A client that sends each request until it is acknowledged, and remembers what it was told."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from boxwise.datasets import LoanStream

MOST_ROWS = 60  # of a batch
PAUSE = 0.01  # before a request is sent again
ROWS = 200_000  # of the stream of a client: more than it will ever send


@dataclass
class Lesson:
    """What was sent to be learned, and the answer."""

    sent: dict[str, Any]
    rows: list[Any]
    labels: list[str]
    answer: dict[str, Any] = field(default_factory=dict)
    repeated: bool = False  # sent more than once


class RetryingClient(threading.Thread):
    """Learns batches of a stream of its own, some with weights, some with labels that come later.

    Parameters
    ----------
    number : int
        Of the client: its stream, its keys, its ids.
    port : int
        Of the service on this machine.
    """

    def __init__(self, number: int, port: int) -> None:
        super().__init__(name=f"client {number}", daemon=True)
        self.number, self._port = number, port
        self.acknowledged: dict[str, Lesson] = {}  # by Idempotency-Key
        self.ending = threading.Event()
        self.error: BaseException | None = None
        self._connection: http.client.HTTPConnection | None = None
        self._random = random.Random(number)
        stream = LoanStream(ROWS, function=7, noise=0.05, seed=number, drift_at=5_000, drift_to=3)
        self._stream = iter(stream)

    def run(self) -> None:
        """Learn until the end is asked for; every request begun is acknowledged first."""
        try:
            while not self.ending.is_set():
                self._learn(f"{self.number}-{len(self.acknowledged)}")
        except BaseException as error:
            self.error = error

    def end(self) -> None:
        """Let it acknowledge what it sends, and end."""
        self.ending.set()
        self.join(60)
        assert self.error is None and not self.is_alive(), self.error

    def _learn(self, key: str) -> None:
        pairs = [next(self._stream) for _ in range(self._random.randint(1, MOST_ROWS))]
        rows, labels = [row for row, _ in pairs], [label for _, label in pairs]
        kind = self._random.random()
        if kind < 0.3:
            ids = [f"{key}-{i}" for i in range(len(rows))]
            self._until_answered("/v1/predict", {"rows": rows, "ids": ids}, None)
            several = zip(ids, labels, strict=True)
            sent = {"labelled": [{"id": one, "label": label} for one, label in several]}
        elif kind < 0.4:
            weights = [self._random.choice([0.0, 0.5, 1.0, 2.5]) for _ in rows]
            sent = {"rows": rows, "labels": labels, "weights": weights}
        else:
            sent = {"rows": rows, "labels": labels}
        lesson = Lesson(sent, rows, labels)
        lesson.answer, lesson.repeated = self._until_answered("/v1/learn", sent, key)
        self.acknowledged[key] = lesson
        if kind > 0.9:  # a client may also send again what was acknowledged
            again, _ = self._until_answered("/v1/learn", sent, key)
            assert again == lesson.answer

    def _until_answered(self, path: str, body: Any, key: str | None) -> tuple[Any, bool]:
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        content = json.dumps(body).encode()
        repeated = False
        while True:
            with suppress(OSError, http.client.HTTPException):
                status, answer = self._send(path, content, headers)
                if status == 200:
                    return json.loads(answer), repeated
                assert status == 503, answer
            self._close()
            repeated = True
            time.sleep(PAUSE)

    def _send(self, path: str, content: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=20)
        self._connection.request("POST", path, content, headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
