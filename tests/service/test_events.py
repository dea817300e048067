"""Server-sent events: what comes, what is missed, and who is dropped."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from contextlib import suppress

import httpx
import pytest
from tests.service.serving import ROWS, Process, learn, predict, serving, until

from boxwise.database import open_store
from boxwise.service.events import BACKLOG, Hub
from boxwise.service.http.protocol import ABORT
from boxwise.service.problems import Problem
from boxwise.service.routes.inspect import EventStream


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    folder = tmp_path_factory.mktemp("events")
    (folder / "c.json").write_text('{"age": "numeric", "job": "categorical"}')
    process = Process(
        folder, "--new", "--schema", "c.json", "--store", "m.db", "--point-seconds", "0.2", "-q"
    )
    yield process
    process.kill()


class Reader:
    """Reads events in a thread."""

    def __init__(self, process, headers=None):
        self.events, self.closed = [], False
        self._process, self._headers = process, headers
        self.status = None
        threading.Thread(target=self._follow, daemon=True).start()
        until(lambda: self.status)

    def _follow(self):
        with suppress(httpx.HTTPError):  # the process is killed at the end
            self._read()
        self.closed = True

    def _read(self):
        with self._process.client.stream("GET", "/v1/events", headers=self._headers) as stream:
            self.status, self.headers = stream.status_code, stream.headers
            event = {}
            for line in stream.iter_lines():
                name, _, value = line.partition(": ")
                if line == "" and "data" in event:
                    self.events.append((event["id"], event["event"], json.loads(event["data"])))
                    event = {}
                elif name:
                    event[name] = value

    def kinds(self):
        return [kind for _, kind, _ in self.events]


def test_events_tell_of_the_model_points_and_decisions(process):
    reader = Reader(process)
    assert reader.headers["content-type"].startswith("text/event-stream")
    assert reader.headers["x-accel-buffering"] == "no"
    until(lambda: reader.events)
    assert reader.kinds()[0] == "model" and reader.events[0][2]["name"] == "default"
    learn(process.client)
    predict(process.client, ROWS[:1], ids=["line\r\ndata: forged\n\n"])
    until(lambda: {"model", "point", "decision"} <= {*reader.kinds()})
    decision = next(data for _, kind, data in reader.events if kind == "decision")
    assert decision["id"] == "line\r\ndata: forged\n\n" and decision["row"] == ROWS[0]
    labelled = [{"id": decision["id"], "label": "no"}]
    process.client.post("/v1/learn", json={"labelled": labelled})
    until(lambda: [d for _, kind, d in reader.events if kind == "decision" and d["truth"] == "no"])
    told = until(lambda: [d for _, kind, d in reader.events if kind == "model" and d["classes"]])
    assert told[0]["classes"] == ["no", "yes"]
    numbers = [int(one.partition("-")[2]) for one, kind, _ in reader.events if kind != "model"]
    assert numbers == sorted(numbers)


def test_events_go_on_after_the_last_one_that_was_read(process):
    first = Reader(process)
    predict(process.client, ROWS[:1], ids=["one"])
    seen = until(lambda: [e for e in first.events if e[2].get("id") == "one"])
    predict(process.client, ROWS[:1], ids=["two"])
    again = Reader(process, {"Last-Event-ID": seen[0][0]})
    until(lambda: [e for e in again.events if e[2].get("id") == "two"])
    assert "one" not in [e[2].get("id") for e in again.events]
    for unknown in ("x-1", "1", "", "a-b-c", seen[0][0] + "0" * 20, "-5"):
        fresh = Reader(process, {"Last-Event-ID": unknown})
        until(lambda fresh=fresh: fresh.events)
        assert fresh.kinds()[0] == "model"


def test_reader_that_reads_nothing_is_dropped(tmp_path):
    aborted = []

    async def stuck(message):
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    async def quiet():
        await asyncio.Event().wait()

    with open_store(tmp_path / "m.db") as store, serving(store, read_seconds=0.05) as client:
        writer = client.app.state.service.writers["loans"]
        scope = {"type": "http", "extensions": {ABORT: {"call": lambda: aborted.append(True)}}}
        client.run(EventStream(writer, None, b"{}")(scope, quiet, stuck))
        assert aborted == [True] and len(writer.served.hub) == 0


@pytest.mark.long
def test_slow_reader_is_dropped_and_nobody_waits_for_it(tmp_path):
    (tmp_path / "c.json").write_text('{"age": "numeric", "job": "categorical"}')
    process = Process(tmp_path, "--new", "--schema", "c.json", "--store", "m.db", "-q")
    try:
        learn(process.client)
        port = int(process.url.rpartition(":")[2])
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(("127.0.0.1", port))
            slow.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            until(lambda: readers(process) == 1)
            long = [{"age": 1, "job": "x" * 10_000}]

            def flooded():
                predict(process.client, long * 20)
                return readers(process) == 0

            until(flooded, 60)
            assert learn(process.client).elapsed.total_seconds() < 5
    finally:
        process.kill()


def readers(process):
    text = process.client.get("/metrics").text
    return float(text.partition("\nboxwise_event_readers{")[2].split()[1])


def test_stop_ends_the_streams(tmp_path):
    (tmp_path / "c.json").write_text('{"age": "numeric", "job": "categorical"}')
    process = Process(tmp_path, "--new", "--schema", "c.json", "--store", "m.db", "-q")
    reader = Reader(process)
    until(lambda: reader.events)
    process.process.terminate()
    assert process.process.wait(15) == 0
    until(lambda: reader.closed)
    process.kill()


def run(work):
    return asyncio.run(work)


def test_hub_drops_a_reader_that_falls_behind():
    async def work():
        hub = Hub(5)
        with hub.subscribed(None) as (behind, _), hub.subscribed(None) as (ahead, _):
            for i in range(BACKLOG + 1):
                hub.publish("point", b"%d" % i)
                if i % 100 == 0:
                    assert await ahead.next(1)
            assert behind.closed and await behind.next(1) is None
            assert not ahead.closed and await ahead.next(0.01) == b""

    run(work())


def test_hub_bounds_its_readers():
    async def work():
        hub = Hub(1)
        too_many = pytest.raises(Problem, match="1 readers follow")
        with hub.subscribed(None), too_many, hub.subscribed(None):
            pass
        with hub.subscribed(None):
            pass
        hub.close()
        with pytest.raises(Problem), hub.subscribed(None):
            pass

    run(work())


def test_hub_gives_what_was_missed_only_if_it_has_all_of_it():
    async def work():
        hub = Hub(5)
        for i in range(BACKLOG + 10):
            hub.publish("point", b"%d" % i)
        epoch = hub._epoch
        with hub.subscribed(f"{epoch}-{BACKLOG + 8}") as (reader, resumed):
            events = await reader.next(1)
            assert resumed and events.count(b"event: point") == 2
        with hub.subscribed(f"{epoch}-10") as (reader, resumed):
            assert resumed and (await reader.next(1)).count(b"event:") == BACKLOG
        for lost in (f"{epoch}-5", f"{epoch}-{BACKLOG + 11}", "0-5", None):
            with hub.subscribed(lost) as (_, resumed):
                assert not resumed

    run(work())
