"""NATS JetStream, against a real server."""

import json
import threading
import time

import pytest

import boxwise
from boxwise.streams import StreamError, learn
from tests.streams.running import expected_bytes, loans, rows_taken
from tests.streams.servers import NatsServer, free_port

ROWS = loans(1200)
PAYLOADS = [json.dumps(row).encode() for row in ROWS]
OPTIONS = {"label": "decision", "until_idle": 0.3}


def test_messages_give_the_model_of_the_rows_and_results_their_numbers(nats, store, tmp_path):
    nats.create("LOANS", ["loans"])
    nats.create("RESULTS", ["answers", "refused"])
    nats.publish("loans", [*PAYLOADS, b"[3]", b"\xff"])
    clf = learn(
        nats.url("loans"), store, output=nats.url("answers"), dead_letter=nats.url("refused"),
        **OPTIONS,
    )  # fmt: skip
    assert boxwise.dumps(clf) == expected_bytes(ROWS, tmp_path)
    answers = nats.read("RESULTS", "answers")
    assert [one["key"] for one in answers] == [f"LOANS-{i}" for i in range(1, 1201)]
    refused = nats.read("RESULTS", "refused")
    assert [one["key"] for one in refused] == ["LOANS-1201", "LOANS-1202"]
    assert refused[0]["payload"] == "[3]"
    assert refused[1]["payload_base64"] == "/w=="


def test_a_repeated_result_is_dropped_by_the_stream(nats, store, tmp_path):
    nats.create("TWICE", ["twice"])
    nats.create("ONCE", ["once"])
    nats.publish("twice", PAYLOADS[:100])
    for folder in ("a", "b"):  # as after a kill before the checkpoint
        learn(nats.url("twice"), tmp_path / f"{folder}.db", output=nats.url("once"), **OPTIONS)
    assert len(nats.read("ONCE", "once")) == 100


def test_only_the_subject_is_read_and_messages_between_are_no_loss(nats, store, tmp_path):
    nats.create("MANY", ["many.*"])
    for begin in range(0, 1200, 400):
        nats.publish("many.loans", PAYLOADS[begin : begin + 400])
        nats.publish("many.other", [b"x"] * 10)
        clf = learn(nats.url("many.loans", stream="MANY"), store, **OPTIONS)
    assert boxwise.dumps(clf) == expected_bytes(ROWS, tmp_path)


def test_messages_that_were_removed_before_they_were_read_are_told(nats, store):
    nats.create("SHORT", ["short"], max_msgs=250)
    address = nats.url("short", stream="SHORT")
    nats.publish("short", PAYLOADS[:200])
    learn(address, store, **OPTIONS)
    nats.publish("short", PAYLOADS[200:500])
    with pytest.raises(StreamError, match=r"messages 201 to 250 .* were removed .*--skip-lost"):
        learn(address, store, **OPTIONS)
    told = []
    learn(address, store, skip_lost=True, tell=told.append, **OPTIONS)
    assert any(text.endswith("skipped") for text in told)
    assert rows_taken(store, address) == 450


def test_messages_that_were_removed_after_they_were_read_are_not(nats, store):
    nats.create("TAIL", ["tail"], max_msgs=1)
    for begin in range(3):
        nats.publish("tail", PAYLOADS[begin : begin + 1])
        learn(nats.url("tail", stream="TAIL"), store, numeric=["zip_code"], **OPTIONS)
    assert rows_taken(store, nats.url("tail", stream="TAIL")) == 3


def test_a_stream_that_was_made_anew_is_told(nats, store):
    nats.create("ANEW", ["anew"])
    nats.publish("anew", PAYLOADS[:20])
    address = nats.url("anew", stream="ANEW")
    learn(address, store, **OPTIONS)
    nats.run(lambda js: js.delete_stream("ANEW"))
    nats.create("ANEW", ["anew"])
    with pytest.raises(StreamError, match="made anew"):
        learn(address, store, **OPTIONS)


def test_a_server_that_comes_back_is_read_on(tmp_path, store):
    nats = NatsServer(tmp_path / "nats")
    nats.start()
    nats.create("LOANS", ["loans"])
    told, gone = [], threading.Event()
    address = nats.url("loans", stream="LOANS")

    def disturb():
        for begin in range(0, 1200, 400):
            nats.publish("loans", PAYLOADS[begin : begin + 400])
            time.sleep(0.3)
            nats.kill()
            time.sleep(0.3)
            nats.start()
        gone.set()

    trouble = threading.Thread(target=disturb)
    trouble.start()
    try:
        clf = learn(
            address, store, label="decision", tell=told.append, seconds=0.1,
            stopped=lambda: gone.is_set() and rows_taken(store, address) == 1200,
        )  # fmt: skip
        trouble.join()
        assert boxwise.dumps(clf) == expected_bytes(ROWS, tmp_path / "expected")
        assert any("does not answer" in text for text in told)
        assert any("answers again" in text for text in told)
    finally:
        trouble.join()  # which starts the server again
        nats.kill()


def test_a_server_that_never_comes_is_an_error(store):
    with pytest.raises(StreamError, match=r"does not answer .*gave up after 0.3 seconds"):
        learn(f"nats://127.0.0.1:{free_port()}/loans", store, retry_for=0.3)


@pytest.mark.parametrize("url", ["nothing", "nothing?stream=NOTHING"])
def test_a_stream_that_is_not_there_is_an_error(nats, store, url):
    with pytest.raises(StreamError, match="there is no such stream"):
        learn(nats.url(url), store)


def test_a_subject_that_no_stream_stores_takes_no_results(nats, store):
    nats.create("IN", ["in"])
    nats.publish("in", PAYLOADS[:50])
    with pytest.raises(StreamError, match="no stream of JetStream stores this subject"):
        learn(nats.url("in"), store, output=nats.url("nowhere"), **OPTIONS)
