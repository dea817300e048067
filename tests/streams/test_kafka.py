"""Kafka, against the mock cluster of librdkafka: no real broker."""

import json
import subprocess
import sys

import pytest

import boxwise
from boxwise.explain import rows_learned
from boxwise.streams import StreamError, learn, open_source
from tests.streams.running import ROOT, expected_bytes, loans, rows_taken
from tests.streams.servers import free_port

ROWS = loans(1200)
PAYLOADS = [json.dumps(row).encode() for row in ROWS]
OPTIONS = {"label": "decision", "until_idle": 0.6}


def test_messages_give_the_model_of_the_rows_and_results_their_keys(kafka, store, tmp_path):
    kafka.send("loans", [*PAYLOADS, b"[3]", b""])
    clf = learn(
        kafka.url("loans"), store, output=kafka.url("answers"), dead_letter=kafka.url("refused"),
        **OPTIONS,
    )  # fmt: skip
    assert boxwise.dumps(clf) == expected_bytes(ROWS, tmp_path)
    answers = kafka.read("answers")
    assert {key for key, _ in answers} == {f"loans-0-{i}" for i in range(1200)}
    assert all(key == one["key"] for key, one in answers)
    refused = dict(kafka.read("refused"))
    assert refused.keys() == {"loans-0-1200", "loans-0-1201"}
    assert refused["loans-0-1200"]["payload"] == "[3]"


def test_the_rows_sent_later_are_learned_by_the_next_call(kafka, store, tmp_path):
    for begin, end in ((0, 100), (100, 101), (101, 1200)):
        kafka.send("later", PAYLOADS[begin:end])
        clf = learn(kafka.url("later"), store, **OPTIONS)
    assert boxwise.dumps(clf) == expected_bytes(ROWS, tmp_path)


def test_every_row_of_every_partition_is_learned_once(kafka, store):
    for partition in range(4):
        kafka.send("parts", PAYLOADS[300 * partition : 300 * partition + 150], partition)
    learn(kafka.url("parts"), store, **OPTIONS)
    for partition in range(4):
        kafka.send("parts", PAYLOADS[300 * partition + 150 : 300 * partition + 300], partition)
    clf = learn(kafka.url("parts"), store, **OPTIONS)
    assert rows_taken(store, kafka.url("parts")) == 1200
    assert rows_learned(clf._fitted()) == 1200


def test_offsets_are_committed_for_tools_that_show_the_lag(kafka, store):
    import confluent_kafka

    kafka.send("lag", PAYLOADS[:70])
    learn(kafka.url("lag", group="watched"), store, **OPTIONS)
    consumer = confluent_kafka.Consumer({"bootstrap.servers": kafka.address, "group.id": "watched"})
    (committed,) = consumer.committed([confluent_kafka.TopicPartition("lag", 0)], 10)
    consumer.close()
    assert committed.offset == 70


def test_messages_that_were_removed_before_they_were_read_are_told(kafka, store):
    kafka.send("trimmed", PAYLOADS[:100])
    learn(kafka.url("trimmed"), store, **OPTIONS)
    filler = json.dumps({"age": 3, "note": "x" * 500_000}).encode()
    kafka.send("trimmed", [filler] * 40)  # the mock keeps about 5 MB of a partition
    low, _ = open_low(kafka, "trimmed")
    assert low > 100
    with pytest.raises(StreamError, match=r"messages 100 to .* of partition 0 were removed .*--sk"):
        learn(kafka.url("trimmed"), store, **OPTIONS)
    learn(kafka.url("trimmed"), store, skip_lost=True, **OPTIONS)
    assert rows_taken(store, kafka.url("trimmed")) == 100 + 140 - low


def open_low(kafka, topic):
    import confluent_kafka

    consumer = confluent_kafka.Consumer({"bootstrap.servers": kafka.address, "group.id": "low"})
    found = consumer.get_watermark_offsets(confluent_kafka.TopicPartition(topic, 0), 10)
    consumer.close()
    return found


def test_a_topic_that_was_made_anew_is_told(kafka, store):
    kafka.send("anew", PAYLOADS[:20])
    source = open_source(kafka.url("anew"))
    with pytest.raises(StreamError, match="made anew, or its end was lost"):
        source.open({"0": 500})
    with pytest.raises(StreamError, match="has no partition 9 any more"):
        source.open({"0": 5, "9": 3})
    source.close()


def test_a_broker_that_never_comes_is_an_error(store, monkeypatch):
    kafka_topics = pytest.importorskip("boxwise.streams.kafka_topics")
    monkeypatch.setattr(kafka_topics, "ANSWER_SECONDS", 0.5)
    with pytest.raises(StreamError, match=r"does not answer .*gave up after 0.3 seconds"):
        learn(f"kafka://127.0.0.1:{free_port()}/loans", store, retry_for=0.3)


MOCK = """
import sys
from tests.streams.servers import KafkaMock
cluster = KafkaMock()
cluster.send("loans", [line.encode() for line in sys.stdin.read().splitlines()])
print(cluster.address, flush=True)
import time
time.sleep(60)
"""


def test_a_broker_that_goes_away_for_good_is_an_error_and_nothing_is_lost(store, monkeypatch):
    kafka_topics = pytest.importorskip("boxwise.streams.kafka_topics")
    monkeypatch.setattr(kafka_topics, "ANSWER_SECONDS", 1.0)
    with subprocess.Popen(
        [sys.executable, "-c", MOCK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as cluster:
        assert cluster.stdin is not None
        assert cluster.stdout is not None
        cluster.stdin.write(b"\n".join(PAYLOADS))
        cluster.stdin.close()
        address = f"kafka://{cluster.stdout.readline().decode().strip()}/loans"

        def kill_once_learned():
            if cluster.poll() is None and rows_taken(store, address) == 1200:
                cluster.kill()
            return False

        with pytest.raises(StreamError, match=r"does not answer .*gave up after 1 seconds"):
            learn(
                address, store, label="decision", seconds=0.2, retry_for=1,
                stopped=kill_once_learned,
            )  # fmt: skip
    assert rows_taken(store, address) == 1200
