"""`boxwise serve` as a process: stopped, refused; test_kills kills it."""

from __future__ import annotations

import json
import os
import threading
import time

import httpx
import pytest
from tests.apps.running import boxwise
from tests.service.serving import (
    LABELS,
    ROWS,
    Process,
    learn,
    loan_columns,
    loans,
    predict,
)

from boxwise import HyperboxClassifier, dumps, load
from boxwise.database import open_store


@pytest.fixture
def columns(tmp_path):
    path = tmp_path / "columns.json"
    path.write_text(json.dumps(loan_columns()))
    return path


@pytest.mark.long
def test_stopped_it_answers_what_was_sent(tmp_path, columns):
    rows, labels = loans(400)
    process = Process(tmp_path, "--new", "--schema", columns, "--store", "m.db", "-q")
    results = []

    def send(i):
        try:
            with httpx.Client(base_url=process.url, timeout=30) as client:
                results.append(learn(client, rows[i : i + 10], labels[i : i + 10]).status_code)
        except httpx.HTTPError as error:
            results.append(error)

    threads = [threading.Thread(target=send, args=(i,)) for i in range(0, 400, 10)]
    for thread in threads:
        thread.start()
    while not results:
        time.sleep(0.001)
    assert process.stop() == 0
    for thread in threads:
        thread.join()
    acknowledged = sum(status == 200 for status in results)
    with open_store(tmp_path / "m.db") as store:
        assert store.last_position("default") == acknowledged
        assert store.latest_checkpoint("default").info.position == acknowledged


def test_model_file_is_read_once_and_the_store_goes_on(tmp_path):
    model = HyperboxClassifier().fit(ROWS, LABELS)
    model.save(tmp_path / "loans.box")
    process = Process(tmp_path, "loans.box", "-q")
    try:
        assert process.client.get("/v1/model").json()["rows"] == 3
        assert learn(process.client).json()["rows"] == 6
    finally:
        assert process.stop() == 0
    process = Process(tmp_path, "loans.box", "-q")
    try:
        assert predict(process.client).json()["position"] == 1
    finally:
        process.kill()
    assert "goes on from there, and loans.box is not read" in (tmp_path / "log").read_text()
    with open_store(tmp_path / "loans.db") as store:
        data = store.latest_checkpoint("default").data
    assert data == dumps(load(tmp_path / "loans.box").partial_fit(ROWS, LABELS))


def test_store_is_served_by_one_process_at_a_time(tmp_path, columns):
    process = Process(tmp_path, "--new", "--schema", columns, "--store", "m.db", "-q")
    try:
        second = boxwise("serve", "--store", tmp_path / "m.db", "--port", 0)
        assert second.exit_code == 1
        assert f"is written by process {process.process.pid}" in second.stderr
    finally:
        process.kill()


@pytest.mark.long
def test_settings_of_a_new_model_are_options(tmp_path, columns):
    options = ("--theta", "0.3", "--max-boxes", "77", "--no-adapt")
    process = Process(
        tmp_path, "--new", "--schema", columns, "--store", "m.db", "--name", "a.b-c", "-q", *options
    )
    try:
        told = process.client.get("/v1/model").json()
        assert (told["name"], told["max_boxes"]) == ("a.b-c", 77)
        assert told["parameters"]["theta"] == 0.3 and told["parameters"]["adapt"] is False
    finally:
        process.kill()


def test_tokens_of_the_environment_guard_it(tmp_path, columns):
    env = {**os.environ, "BOXWISE_TOKENS": "a:predict:0123456789abcdef b:admin:fedcba9876543210"}
    process = Process(
        tmp_path, "--new", "--schema", columns, "--store", "m.db", "--host", "127.0.0.1", env=env
    )
    try:
        assert process.client.get("/v1/model").status_code == 401
        headers = {"Authorization": "Bearer 0123456789abcdef"}
        assert process.client.get("/v1/model", headers=headers).status_code == 200
        assert learn(process.client).status_code == 401
        evil = {**headers, "Host": "boxwise.example"}
        assert process.client.get("/v1/model", headers=evil).status_code == 200
    finally:
        process.stop()  # the log has its line a moment after the answer
    log = (tmp_path / "log").read_text()
    assert "0123456789abcdef" not in log and " a GET /v1/model 200" in log


@pytest.mark.long
def test_without_tokens_other_hosts_are_refused(tmp_path, columns):
    process = Process(tmp_path, "--new", "--schema", columns, "--store", "m.db", "-q")
    try:
        rebound = {"Host": "evil.example"}
        assert process.client.get("/v1/model", headers=rebound).status_code == 421
    finally:
        process.kill()
    assert "everybody on this machine" in (tmp_path / "log").read_text()


@pytest.mark.long
def test_proxy_may_offer_it_under_a_path(tmp_path, columns):
    process = Process(
        tmp_path, "--new", "--schema", columns, "--store", "m.db", "--root-path", "box/"
    )
    try:
        assert process.url.endswith("/box")
        forwarded = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
        base = process.url.removesuffix("/box")
        answer = httpx.get(base + "/v1/models", headers=forwarded)  # the proxy takes it off
        assert answer.status_code == 200
    finally:
        process.stop()  # the log has its line a moment after the answer
    assert "203.0.113.9 anybody GET /v1/models 200" in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "name the store, or a model file"),
        (("--store", "none.db"), 1, "has no model; give a model file, or --new and --schema"),
        (("missing.box",), 1, "missing.box"),
        (("--store", "nowhere/x.db"), 1, "there is no folder"),
        (("--store", "redis://x"), 1, "a store cannot be at redis://"),
        (("--store", "postgresql://127.0.0.1:1/x"), 1, "cannot be reached"),
        (("--new", "--store", "m.db"), 2, "needs both --new and --schema"),
        (("--new", "--schema", "none.json", "--store", "m.db"), 1, "none.json"),
        (("--new", "--schema", "bad.json", "--store", "m.db"), 1, "bad.json is not JSON"),
        (("--new", "--schema", "odd.json", "--store", "m.db"), 1, "the kind must be 'numeric'"),
        (
            ("--new", "--schema", "c.json", "--store", "m.db", "--name", "a/b"),
            2,
            "cannot be called",
        ),
        (("--new", "--schema", "c.json", "--store", "m.db", "--theta", "-1"), 1, "theta must be"),
        (("--store", "m.db", "--theta", "0.3"), 2, "they go with --new only"),
        (("--new", "--schema", "c.json", "--store", "m.db", "--host", "0.0.0.0"), 2, "--no-auth"),
        (("--new", "--schema", "c.json", "--store", "m.db", "--tokens", "no"), 1, "no: No such"),
        (("--new", "--schema", "c.json", "--store", "m.db", "--tokens", "t"), 1, "t, line 1"),
        (("--new-token", "web:write"), 2, "must be among predict, learn, admin"),
    ],
)
def test_serve_refuses(tmp_path, monkeypatch, arguments, code, words):
    (tmp_path / "c.json").write_text('{"age": "numeric"}')
    (tmp_path / "odd.json").write_text('{"age": "text"}')
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "t").write_text("web:learn:short\n")
    monkeypatch.chdir(tmp_path)
    done = boxwise("serve", "--port", 0, *arguments)
    assert (done.exit_code, done.stdout) == (code, "")
    assert words in done.stderr


def test_serve_names_a_port_that_is_taken(tmp_path, columns):
    process = Process(tmp_path, "--new", "--schema", columns, "--store", "m.db", "-q")
    try:
        port = process.url.rpartition(":")[2]
        options = ("--new", "--schema", columns, "--store", tmp_path / "n.db", "--port", port)
        done = boxwise("serve", *options)
        assert done.exit_code == 1 and f"127.0.0.1:{port} cannot be listened at" in done.stderr
    finally:
        process.kill()


@pytest.mark.long
def test_new_token_lets_its_holder_in(tmp_path, columns):
    made = boxwise("serve", "--new-token", "web:predict")
    token = made.stderr.split()[-1]
    (tmp_path / "tokens").write_text(made.stdout)
    assert token not in made.stdout
    process = Process(
        tmp_path, "--new", "--schema", columns, "--store", "m.db", "--tokens", "tokens", "-q"
    )
    try:
        headers = {"Authorization": f"Bearer {token}"}
        assert process.client.get("/v1/model", headers=headers).status_code == 200
    finally:
        process.kill()
