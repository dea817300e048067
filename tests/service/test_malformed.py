"""Ten thousand malformed requests, slow clients, and bodies of a gigabyte, over real sockets."""

from __future__ import annotations

import http.client
import itertools
import json
import re
import socket
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from tests.service.malformed import requests
from tests.service.serving import COLUMNS, JSON, ROWS, Process, learn, predict, until

pytest.importorskip("typer")

GIGABYTE = 2**30
MIB = 2**20
REQUESTS = 10_000


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("malformed")
    (tmp_path / "c.json").write_text(json.dumps(COLUMNS))
    running = Process(
        tmp_path, "--new", "--schema", "c.json", "--store", "m.db", "--name", "loans", "-q"
    )
    assert learn(running.client).status_code == 200
    yield running
    running.kill()
    assert "Traceback" not in (tmp_path / "log").read_text()


def connected(process):
    host, port = process.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=10)


def model_bytes(process):
    """Return the model as it is now."""
    made = process.client.post("/v1/models/loans/checkpoint")
    assert made.status_code == 201, made.text
    position = made.json()["position"]
    return process.client.get(f"/v1/models/loans/checkpoints/{position}").content


def ask(process, sent):
    """Send bytes and no more; return the statuses of all that is answered."""
    with connected(process) as raw:
        with suppress(OSError):  # it may have closed the connection before it has all
            raw.sendall(sent)
        with suppress(OSError):
            raw.shutdown(socket.SHUT_WR)
        received = b""
        with suppress(ConnectionError):
            while part := raw.recv(65536):
                received += part
                if len(received) > MIB:
                    break
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)]


def test_malformed_requests_never_fail_and_change_nothing(process):
    rows = process.client.get("/v1/model").json()["rows"]
    before = model_bytes(process)
    statuses = Counter()
    for sent in itertools.islice(requests(3), REQUESTS):
        found = ask(process, sent)
        assert not any(status >= 500 for status in found), (found, sent[:2000])
        statuses.update(found)
    print(dict(sorted(statuses.items())))
    assert model_bytes(process) == before
    assert statuses[422] > REQUESTS / 10 and statuses[400] > REQUESTS / 10
    assert process.client.get("/readyz").json()["learning_blocked"] == []
    assert len(process.client.get("/v1/models").json()["models"]) == 1
    assert learn(process.client).json()["rows"] == rows + 3


def memory(process):
    """Return the most memory that the process ever had, in bytes."""
    status = Path(f"/proc/{process.process.pid}/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])


HEAD = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("path", [b"/v1/learn", b"/v1/predict", b"/invocations"])
def test_body_of_a_gigabyte_is_refused_at_once_and_not_held(process, path):
    before = memory(process)
    with connected(process) as raw:  # announced: refused before a byte of it is sent
        raw.sendall(HEAD % path + b"Content-Length: %d\r\n\r\n" % GIGABYTE)
        assert raw.recv(65536).startswith(b"HTTP/1.1 413 ")
    with connected(process) as raw:  # not announced, sent in parts: refused on the way
        raw.sendall(HEAD % path + b"Transfer-Encoding: chunked\r\n\r\n")
        part = b"%x\r\n" % MIB + b" " * MIB + b"\r\n"
        sent = 0
        with suppress(OSError):
            while sent < GIGABYTE:
                raw.sendall(part)
                sent += MIB
    assert sent < 100 * MIB
    assert memory(process) - before < 100 * MIB
    assert predict(process.client).status_code == 200


def test_client_that_sends_too_much_can_read_why_and_go_on(process):
    """It would be cut off while it sends, if the service closed the connection at once."""
    connection = http.client.HTTPConnection(process.url.removeprefix("http://"), timeout=20)
    for body, status in ((b" " * (40 * MIB), 413), (json.dumps({"rows": ROWS}).encode(), 200)):
        connection.request("POST", "/v1/predict", body, JSON)
        answer = connection.getresponse()
        assert (answer.status, bool(answer.read())) == (status, True)
    connection.close()


@pytest.mark.long
def test_gigabyte_to_an_endpoint_that_reads_no_body_is_not_held(process):
    before = memory(process)
    with connected(process) as raw:
        raw.sendall(HEAD % b"/healthz" + b"Content-Length: %d\r\n\r\n" % GIGABYTE)
        with suppress(OSError):
            for _ in range(GIGABYTE // MIB):
                raw.sendall(b" " * MIB)
    assert memory(process) - before < 100 * MIB
    assert predict(process.client).status_code == 200


def test_slow_senders_hold_up_nobody(process):
    body = json.dumps({"rows": [{"age": 1, "job": "cook"}]}).encode()
    slow = [connected(process) for _ in range(100)]
    ended = threading.Event()

    def trickle():
        for i in itertools.count():
            for raw in slow:
                with suppress(OSError):
                    raw.sendall(body[i : i + 1] or b" ")
            if ended.wait(0.05):
                return

    for raw in slow:
        raw.sendall(HEAD % b"/v1/predict" + b"Content-Length: %d\r\n\r\n" % (len(body) + 1000))
    sender = threading.Thread(target=trickle)
    sender.start()
    try:
        begin = time.monotonic()
        for _ in range(50):
            answer = process.client.post("/v1/predict", content=body, headers=JSON)
            assert answer.status_code == 200
        assert time.monotonic() - begin < 10
        assert learn(process.client).status_code == 200
    finally:
        ended.set()
        sender.join()
        for raw in slow:
            raw.close()
    assert until(lambda: process.client.get("/readyz").status_code == 200)
