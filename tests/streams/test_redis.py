"""Redis streams, against a real server."""

import json
import signal
import threading
import time

import pytest

import boxwise
from boxwise.streams import StreamError, UnreachableError, learn, open_sink, open_source
from tests.streams.running import (
    LABEL,
    expected_bytes,
    json_lines,
    loans,
    model_bytes,
    rows_taken,
)
from tests.streams.servers import RedisServer, free_port

ROWS = loans(1200)
OPTIONS = {"label": "decision", "until_idle": 0.1}


def records(redis, stream):
    return [
        (fields[b"key"].decode(), json.loads(fields[b"json"]))
        for _, fields in redis.client().xrange(stream)
    ]


def test_json_in_a_field_gives_the_model_of_the_rows(redis, store, tmp_path):
    redis.add("json", ROWS)
    clf = learn(redis.url("json", field="row"), store, **OPTIONS)
    assert boxwise.dumps(clf) == expected_bytes(ROWS, tmp_path)


def test_plain_fields_are_text_as_in_csv(redis, store):
    redis.add("plain", ROWS, as_json=False)
    clf = learn(redis.url("plain"), store, categorical=["zip_code"], **OPTIONS)
    kinds = {column.name: column.kind for column in clf.schema_.columns}
    assert kinds["age"] == "numeric"
    assert kinds["zip_code"] == kinds["car"] == "categorical"
    assert set(clf.classes_) == {"approved", "declined"}


def test_predictions_and_dead_letters_have_the_id_of_their_entry(redis, store):
    broken = [{**ROWS[0], "age": "old"}, {"decision": "approved"}]
    ids = redis.add("mixed", [*ROWS[:300], *broken])
    redis.client().xadd("mixed", {"data": b"\xff"})
    learn(
        redis.url("mixed", field="row"), store, output=redis.url("answers"), proba=True,
        dead_letter=redis.url("refused"), numeric=["age"], **OPTIONS,
    )  # fmt: skip
    answers = records(redis, "answers")
    assert [key for key, _ in answers] == ids[:300]
    assert all(sum(one["probabilities"].values()) == pytest.approx(1) for _, one in answers[1:])
    refused = records(redis, "refused")
    assert [key for key, _ in refused][:2] == ids[300:]
    assert "'old' is not a number" in refused[0][1]["reason"]
    assert json.loads(refused[0][1]["payload"]["row"]) == broken[0]
    assert "has none of the columns" in refused[1][1]["reason"]
    assert refused[2][1]["reason"] == "the entry has no field 'row'; it has 'data'"


def test_a_field_that_is_not_text_is_refused(redis, store, tmp_path):
    redis.add("binary", ROWS[:50], as_json=False)
    redis.client().xadd("binary", {"age": b"\xff", "decision": "approved"})
    learn(redis.url("binary"), store, dead_letter=str(tmp_path / "d.jsonl"), **OPTIONS)
    (letter,) = json_lines(tmp_path / "d.jsonl")
    assert letter["reason"].startswith("column 'age' is not UTF-8")
    assert letter["payload"] == {"age": "\\xff", "decision": "approved"}


def test_maxlen_bounds_the_results(redis):
    sink = open_sink(redis.url("bounded", maxlen="100"))
    sink.open({})
    sink.send([(str(i), b"{}") for i in range(1000)])
    assert redis.client().xlen("bounded") < 300
    sink.close()


def test_the_rows_added_later_are_learned_by_the_next_call(redis, store, tmp_path):
    for begin, end in ((0, 100), (100, 101), (101, 900), (900, 1200)):
        redis.add("later", ROWS[begin:end])
        clf = learn(redis.url("later", field="row"), store, **OPTIONS)
    assert boxwise.dumps(clf) == expected_bytes(ROWS, tmp_path)


def test_a_stream_that_is_not_there_yet_is_waited_for(redis, store, tmp_path):
    add = threading.Timer(0.4, redis.add, ("awaited", ROWS))
    add.start()
    clf = learn(redis.url("awaited", field="row"), store, label="decision", until_idle=1.5)
    add.join()
    assert boxwise.dumps(clf) == expected_bytes(ROWS, tmp_path)


def test_entries_that_were_trimmed_before_they_were_read_are_told(redis, store):
    redis.add("trimmed", ROWS[:200])
    address = redis.url("trimmed", field="row")
    learn(address, store, **OPTIONS)
    redis.add("trimmed", ROWS[200:500])
    redis.client().xtrim("trimmed", maxlen=250, approximate=False)
    with pytest.raises(StreamError, match=r"50 entries after .* were trimmed .*--skip-lost"):
        learn(address, store, **OPTIONS)
    assert rows_taken(store, redis.name("trimmed")) == 200
    told = []
    learn(address, store, skip_lost=True, tell=told.append, **OPTIONS)
    assert any("50 entries" in text and text.endswith("skipped") for text in told)
    assert rows_taken(store, redis.name("trimmed")) == 450


def test_entries_that_were_trimmed_after_they_were_read_are_not(redis, store):
    address = redis.url("consumed", field="row")
    for begin in range(0, 500, 100):
        redis.add("consumed", ROWS[begin : begin + 100])
        learn(address, store, **OPTIONS)
        redis.client().xtrim("consumed", maxlen=begin % 200, approximate=False)
    assert rows_taken(store, redis.name("consumed")) == 500


def test_entries_deleted_by_hand_are_no_loss(redis, store):
    address = redis.url("deleted", field="row")
    ids = redis.add("deleted", ROWS[:300])
    redis.client().xdel("deleted", *ids[150:160])
    learn(address, store, **OPTIONS)
    redis.add("deleted", ROWS[300:400])
    redis.client().xtrim("deleted", maxlen=100, approximate=False)
    learn(address, store, **OPTIONS)
    assert rows_taken(store, redis.name("deleted")) == 390


def test_trimming_while_the_stream_is_read_is_noticed(redis, store):
    redis.add("fast", ROWS)
    source = open_source(redis.url("fast", field="row"))
    source.open({})
    assert len(source.read(100, 0.1)) == 100
    redis.client().xtrim("fast", maxlen=1000, approximate=False)
    with pytest.raises(StreamError, match="100 entries after"):
        source.read(100, 0.1)
    source.close()


@pytest.mark.parametrize("again", [0, 10])
def test_a_stream_that_was_made_anew_is_told(redis, store, again):
    stream = f"anew{again}"
    redis.client().xadd(stream, {"row": json.dumps(ROWS[0])}, id="9999999999999-0")
    learn(redis.url(stream, field="row"), store, **OPTIONS)
    redis.client().delete(stream)
    redis.add(stream, ROWS[:again])
    with pytest.raises(StreamError, match="gone" if not again else "replaced"):
        learn(redis.url(stream, field="row"), store, **OPTIONS)
    learn(redis.url(stream, field="row"), store, skip_lost=True, **OPTIONS)
    assert rows_taken(store, redis.name(stream)) == 1 + again


def test_a_server_that_comes_back_is_read_on(tmp_path, store):
    redis = RedisServer(tmp_path / "redis")
    redis.start()
    told, gone = [], threading.Event()
    address, answers = redis.url("loans", field="row"), redis.url("answers")

    def disturb():
        for begin in range(0, 1200, 300):
            redis.add("loans", ROWS[begin : begin + 300])
            time.sleep(0.3)
            redis.kill()
            time.sleep(0.3)
            redis.start()
        gone.set()

    trouble = threading.Thread(target=disturb)
    trouble.start()
    try:
        clf = learn(
            address, store, label="decision", output=answers, tell=told.append,
            stopped=lambda: gone.is_set() and rows_taken(store, redis.name("loans")) == 1200,
            seconds=0.1,
        )  # fmt: skip
        trouble.join()
        assert boxwise.dumps(clf) == expected_bytes(ROWS, tmp_path / "expected")
        assert any("does not answer" in text for text in told)
        assert any("answers again" in text for text in told)
        keys = [key for key, _ in records(redis, "answers")]
        assert len(set(keys)) == 1200  # a lost answer of the server makes repeats
        assert sorted(set(keys), key=lambda key: [*map(int, key.split("-"))]) == [
            *dict.fromkeys(keys)
        ]
    finally:
        trouble.join()  # which starts the server again
        redis.kill()


def test_a_signal_while_the_server_is_away_ends_the_command(tmp_path, store, starter):
    redis = RedisServer(tmp_path / "redis")
    redis.start()
    redis.add("loans", ROWS)
    try:
        starter.start("consume", redis.url("loans", field="row"), "--store", store, *LABEL)
        until = time.monotonic() + 20
        while "label" not in starter.output:
            assert time.monotonic() < until
            time.sleep(0.05)
    finally:
        redis.kill()
    starter.wait_for("trying again")
    begin = time.monotonic()
    starter.signal(signal.SIGTERM)
    assert starter.wait() == 128 + signal.SIGTERM
    assert time.monotonic() - begin < 5
    assert "stopped while a server was away" in starter.output
    assert model_bytes(store)


def test_a_signal_before_the_first_rows_leaves_nothing(redis, store, starter):
    starter.start("consume", redis.url("nothing", field="row"), "--store", store, *LABEL)
    time.sleep(0.5)
    starter.signal(signal.SIGTERM)
    assert starter.wait() == 128 + signal.SIGTERM
    assert "nothing was written" in starter.output


def test_a_server_that_never_comes_is_an_error(store):
    address = f"redis://ann:s3cret@127.0.0.1:{free_port()}/0?stream=a"
    with pytest.raises(StreamError, match=r"does not answer .*gave up after 0.3 seconds") as error:
        learn(address, store, retry_for=0.3)
    assert "s3cret" not in str(error.value)


def test_a_wrong_login_is_an_error_at_once(redis, store):
    redis.client().config_set("requirepass", "right")
    try:
        url = redis.url("a").replace("//", "//:wr0ng@")
        with pytest.raises(StreamError, match="check user and password") as error:
            learn(url, store)
        assert "wr0ng" not in str(error.value)
    finally:
        import redis as client

        client.Redis(port=redis.port, password="right").config_set("requirepass", "")


def test_what_is_no_stream_is_an_error(redis, store):
    redis.client().set("text", "a")
    with pytest.raises(StreamError, match="WRONGTYPE"):
        learn(redis.url("text"), store)


def test_a_server_that_refuses_for_now_is_tried_again(redis):
    sink = open_sink(redis.url("full"))
    sink.open({})
    client = redis.client()
    client.config_set("maxmemory", 1)
    try:
        with pytest.raises(UnreachableError, match="refuses for now"):
            sink.send([("1", b"{}")])
    finally:
        client.config_set("maxmemory", 0)
    sink.send([("1", b"{}")])
    sink.close()


def test_the_command_predicts_only_without_a_label(redis, starter, store):
    redis.add("train", ROWS)
    learn(redis.url("train", field="row"), store, **OPTIONS)
    before = model_bytes(store)
    ids = redis.add("new", ROWS[:50])
    code = starter.run(
        "consume", redis.url("new", field="row"), "--store", store, "-o", redis.url("only"),
        "--until-idle", 0.2,
    )  # fmt: skip
    assert code == 0, starter.output
    assert [key for key, _ in records(redis, "only")] == ids
    assert model_bytes(store) == before
