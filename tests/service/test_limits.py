"""Bodies that are too large, too slow, too deep or none of what they should be."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from contextlib import contextmanager, suppress

import pytest
from tests.service.serving import (
    JSON,
    LABELS,
    ROWS,
    Process,
    empty_model,
    learn,
    model_of,
    predict,
    served,
    serving,
)

from boxwise import dumps
from boxwise.database import open_store
from boxwise.service import create_app
from boxwise.service.http import server

POSTS = ("/v1/predict", "/v1/learn", "/v1/models", "/invocations", "/v2/models/loans/infer")


def post(client, path, content, **headers):
    return client.post(path, content=content, headers={**JSON, **headers})


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"nonsense", 400),
        (b'{"rows": NaN}', 400),
        (b'{"rows": [Infinity]}', 400),
        (b'{"rows": [-1e999]}', 400),
        (b"[" * 100_000, 400),
        (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, 400),
        (b'{"rows": "\\ud800"}', 400),
        (b'{"rows": "\xff"}', 400),
        (b"\x00", 400),
        (b"null", 422),
        (b"[]", 422),
        (b'"text"', 422),
        (b"17", 422),
        (b'{"__proto__": 1}', 422),
    ],
)
def test_body_that_is_no_object_is_refused(client, path, content, status):
    answer = post(client, path, content)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status and answer.json()["detail"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "a/b; c"])
@pytest.mark.parametrize("path", POSTS)
def test_body_of_another_media_type_is_refused(client, path, kind):
    answer = client.post(path, content=b"{}", headers={"Content-Type": kind})
    assert answer.status_code == 415


def test_body_that_is_compressed_is_refused(client):
    content = json.dumps({"rows": ROWS})
    assert post(client, "/v1/predict", content, **{"Content-Encoding": "gzip"}).status_code == 415


def test_body_that_is_too_large_is_refused_by_its_length_and_by_its_bytes(tmp_path):
    async def in_parts():
        for _ in range(100):
            yield b" " * 1000

    with open_store(tmp_path / "m.db") as store, serving(store, max_body=10_000) as client:
        announced = post(client, "/v1/predict", b" " * 10_001)
        assert announced.status_code == 413 and "10,000 bytes" in announced.json()["detail"]
        assert "connection" not in announced.headers  # it is received and thrown away
        huge = post(client, "/v1/predict", b" " * 100_000)
        assert huge.status_code == 413 and huge.headers["connection"] == "close"
        assert post(client, "/v1/predict", in_parts()).status_code == 413
        for length in ("-1", "1e3", "9" * 30, "٣"):
            answer = post(client, "/v1/predict", b"{}", **{"Content-Length": length.encode()})
            assert answer.status_code == 413
        assert predict(client).status_code == 200


def test_body_that_does_not_come_is_given_up(tmp_path):
    async def never():
        yield b"{"
        await asyncio.sleep(60)

    with open_store(tmp_path / "m.db") as store, serving(store, body_seconds=0.2) as client:
        assert post(client, "/v1/predict", never()).status_code == 408


def test_rows_that_are_too_many_are_refused(tmp_path):
    with open_store(tmp_path / "m.db") as store, serving(store, max_rows=2) as client:
        assert learn(client).status_code == 413
        assert predict(client).status_code == 413
        assert predict(client, ROWS[:2], remember=True).status_code == 200
        items = [{"id": str(i), "label": 1} for i in range(3)]
        assert client.post("/v1/learn", json={"labelled": items}).status_code == 413
        assert client.post("/invocations", json={"instances": ROWS}).status_code == 413


def test_large_body_is_learned(client):
    rows = [{"age": i, "job": f"job {i % 50} " + "x" * 100} for i in range(5000)]
    assert learn(client, rows, ["yes", "no"] * 2500).json()["learned"] == 5000
    assert len(predict(client, rows).json()["predictions"]) == 5000


def test_integers_beyond_64_bits_are_numbers_or_refused(client):
    huge = b'{"rows": [{"age": %d, "job": %d}], "labels": ["a"]}' % (10**40, 10**30)
    assert post(client, "/v1/learn", huge).status_code in (200, 422)
    beyond = b'{"rows": [{"age": 1%s, "job": "a"}], "labels": ["a"]}' % (b"0" * 400)
    assert post(client, "/v1/learn", beyond).status_code in (400, 422)
    assert client.get("/v1/model").status_code == 200


def test_duplicate_names_of_an_object_give_the_last_value(client):
    body = b'{"rows": [{"age": "x", "age": 5, "job": "a"}], "labels": ["a"]}'
    assert post(client, "/v1/learn", body).status_code == 200


def test_names_and_labels_of_any_content_come_back_as_they_were(client):
    job = "\u0000\r\n: <script>'\"\\ \u2028 \U0001f600"
    learn(client, [{"age": 1, "job": job}, {"age": 2, "job": "b"}], [job, "no"])
    (one,) = predict(client, [{"age": 1, "job": job}]).json()["predictions"]
    assert one["label"] == job and job in one["probabilities"]
    assert job in client.get("/v1/model").json()["classes"]
    assert client.get("/metrics").status_code == 200


def test_waiting_requests_are_bounded(tmp_path):
    with open_store(tmp_path / "m.db") as store, serving(store, max_waiting=3) as client:
        learn(client)
        writer = client.app.state.service.writers["loans"]
        body = {"rows": ROWS, "labels": LABELS}

        async def flood():
            with writer._condition:  # the writer can take none of them
                asking = [
                    asyncio.create_task(client._asking.post("/v1/learn", json=body))
                    for _ in range(3)
                ]
                while len(writer) < 3:
                    await asyncio.sleep(0.01)
                late = await client._asking.post("/v1/learn", json=body)
            return late, await asyncio.gather(*asking)

        late, others = client.run(flood())
        assert late.status_code == 503 and late.headers["retry-after"]
        assert [answer.status_code for answer in others] == [200] * 3
        assert served(client).position == 4


def test_client_that_goes_away_leaves_a_whole_request_or_none(tmp_path):
    (tmp_path / "c.json").write_text('{"age": "numeric", "job": "categorical"}')
    process = Process(tmp_path, "--new", "--schema", "c.json", "--store", "m.db", "-q")
    try:
        port = int(process.url.rpartition(":")[2])
        body = json.dumps({"rows": ROWS, "labels": LABELS}).encode()
        head = b"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for cut in (5, len(body) // 2, len(body)):
            with socket.create_connection(("127.0.0.1", port)) as raw:
                raw.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body[:cut])
        for junk in (b"\x16\x03\x01\x02\x00", b"GET / HTTP/9.9\r\n\r\n", head + b"\r\n" * 3):
            with socket.create_connection(("127.0.0.1", port)) as raw:
                raw.sendall(junk)
        rows = process.client.get("/v1/model").json()["rows"]
        assert rows in (0, 3)
    finally:
        process.kill()


def test_head_that_is_too_long_or_too_slow_is_given_up(tmp_path, monkeypatch):
    from boxwise.service.http import protocol

    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.3)
    with open_store(tmp_path / "m.db") as store, listening(store) as port:
        for head in (
            b"GET / HTTP/1.1\r\nX-A: " + b"a" * 10_000_000,
            b"GET /" + b"a" * 10_000_000,
            b"GET / HTTP/1.1\r\n" + b"X-A: a\r\n" * 1_000_000,
        ):
            assert b"HTTP/1.1 400" in said_to(port, head)
        assert said_to(port, b"GET / HTTP/1.1\r\nHost: a") == b""
        assert said_to(port, b"") == b""
        whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"a" * 50_000
        assert b"HTTP/1.1 200" in said_to(port, whole + b"\r\nConnection: close\r\n\r\n")
        large = json.dumps({"rows": [{"age": 1, "job": "x" * 500_000}]}).encode()
        head = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        head += b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(large)
        assert b"HTTP/1.1 200" in said_to(port, head + large)


@contextmanager
def listening(store):
    """Serve at a port with the server of the command, in this process."""
    store.create_model("loans", dumps(empty_model()))
    app = create_app(store)
    ready, running = threading.Event(), {}

    def run():
        with server.listen("127.0.0.1", 0) as sock:
            running["port"] = sock.getsockname()[1]
            running["server"] = server.server_of(app, ready.set)
            asyncio.run(running["server"].serve(sockets=[sock]))

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(30)
    try:
        yield running["port"]
    finally:
        running["server"].should_exit = True
        thread.join()


def said_to(port, data):
    """Return what is answered to some bytes, until the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as raw:
        said = b""
        with suppress(OSError):
            raw.sendall(data)
        with suppress(OSError):
            while part := raw.recv(65536):
                said += part
        return said


def test_listen_says_which_address_it_has():
    with server.listen("127.0.0.1", 0) as listening:
        host, port = listening.getsockname()
        assert server.address_of(listening) == f"http://{host}:{port}" and port > 0
        with pytest.raises(OSError):
            server.listen("127.0.0.1", port)


def test_model_is_as_before_after_all_that_was_refused(client):
    learn(client)
    before = model_of(client)
    for content in (b"{", b"[]", b'{"rows": [{}], "labels": [1]}', b'{"rows": [{"age": 1}]}'):
        assert post(client, "/v1/learn", content).status_code in (400, 422)
    assert model_of(client) == before
