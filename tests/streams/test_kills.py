"""Kills at random moments: every row is in the model exactly once.

The model at the end has the bytes of one that learned without a kill. The position after most of
the kills lies inside the stream; otherwise the kills would have come too early or too late to show
anything.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time

import pytest

from boxwise.database import open_store
from tests.apps.running import write_csv
from tests.streams.running import (
    LABEL,
    expected_bytes,
    json_lines,
    loans,
    model_bytes,
    rows_taken,
)

ROWS = 12_000
EVERY = ("--every", 250)
QUICK = pytest.param(10, id="10")
# BOXWISE_KILLS=150 makes 825 kills in all, as told on the page, in ten minutes.
MANY = pytest.param(int(os.environ.get("BOXWISE_KILLS", "30")), id="many", marks=pytest.mark.long)
KILLS = pytest.mark.parametrize("kills", [QUICK, MANY])


@pytest.fixture(scope="module")
def rows():
    return loans(ROWS)


@pytest.fixture(scope="module")
def expected(rows, tmp_path_factory):
    return expected_bytes(rows, tmp_path_factory.mktemp("expected"))


class Killing:
    """Kills a command at random moments, until the kills are used up; then lets it end."""

    def __init__(self, starter, store, source, kills, arguments) -> None:
        self._starter, self._store, self._source = starter, store, source
        self._arguments = ("consume", *map(str, arguments), "--store", store, *LABEL, *EVERY)
        self._kills, self._random = kills, random.Random(7)
        self.inside = self.runs = 0

    def run(self, between=lambda: None) -> None:
        """Kill; a new store begins when the stream was learned before the kills are used up."""
        while self.runs < self._kills:
            self._starter.start(*self._arguments)
            code = self._kill()
            self.runs += 1
            if code == 0:
                break
            assert code == -signal.SIGKILL, self._starter.output
            self.inside += 0 < rows_taken(self._store, self._source) < ROWS
            between()
        code = self._starter.run(*self._arguments)
        assert code == 0, self._starter.output
        assert rows_taken(self._store, self._source) == ROWS

    def _kill(self) -> int:
        """Kill at any moment of a start, or of the learning after some more checkpoints."""
        if self._random.random() < 0.25:
            return self._starter.kill_once(lambda: True, self._random.uniform(0, 0.2))
        last = rows_taken(self._store, self._source)
        more = last + self._random.randrange(ROWS // 6)
        return self._starter.kill_once(
            lambda: rows_taken(self._store, self._source) > more, self._random.uniform(0, 0.03)
        )


def check_kills(starter, tmp_path, source, address, kills, expected, between=lambda: None, more=()):
    """Kill until the kills are used up, as often as the stream has to be learned for that."""
    runs = inside = 0
    while runs < kills:
        store = tmp_path / f"models{runs}.db"
        killing = Killing(starter, store, source, kills - runs, (address, *more))
        killing.run(between)
        runs, inside = runs + killing.runs, inside + killing.inside
        assert model_bytes(store) == expected
    assert inside >= kills // 2, f"{inside} of {runs} kills came inside the stream"


@KILLS
def test_kills_while_a_file_is_read_lose_and_repeat_no_row(starter, tmp_path, rows, kills):
    path = write_csv(tmp_path / "loans.csv", rows)
    assert starter.run("consume", f"csv:{path}", "--store", tmp_path / "whole.db", *LABEL) == 0
    output = tmp_path / "predictions.jsonl"
    runs = inside = 0
    while runs < kills:
        store = tmp_path / f"models{runs}.db"
        output.unlink(missing_ok=True)
        killing = Killing(
            starter, store, f"csv:{path}", kills - runs, (f"csv:{path}", "-o", output)
        )
        killing.run()
        runs, inside = runs + killing.runs, inside + killing.inside
        assert model_bytes(store) == model_bytes(tmp_path / "whole.db")
        assert [one["key"] for one in json_lines(output)] == [str(i + 1) for i in range(ROWS)]
    assert inside >= kills // 3, f"{inside} of {runs} kills came inside the stream"


@KILLS
def test_kills_while_redis_is_read_lose_and_repeat_no_row(
    starter, redis, tmp_path, rows, expected, kills
):
    redis.client().delete("loans")
    redis.add("loans", rows)
    address = (redis.url("loans", field="row"), "--until-idle", 0.3)
    check_kills(
        starter, tmp_path, redis.name("loans"), address[0], kills, expected, more=address[1:]
    )


@KILLS
def test_kills_of_redis_itself_in_between_lose_and_repeat_no_row(
    starter, redis, tmp_path, rows, expected, kills
):
    redis.client().delete("loans")
    redis.add("loans", rows)

    def restart():
        redis.kill()
        redis.start()

    address = (redis.url("loans", field="row"), "--until-idle", 0.3)
    check_kills(
        starter, tmp_path, redis.name("loans"), address[0], kills // 2, expected, restart,
        address[1:],
    )  # fmt: skip


@KILLS
def test_kills_while_nats_is_read_lose_and_repeat_no_row(
    starter, nats, tmp_path, rows, expected, kills
):
    nats.create(f"KILLS{kills}", [f"kills{kills}"])
    nats.publish(f"kills{kills}", [json.dumps(row).encode() for row in rows])
    address = nats.url(f"kills{kills}", stream=f"KILLS{kills}")
    check_kills(starter, tmp_path, address, address, kills, expected, more=("--until-idle", 0.5))


@KILLS
def test_kills_while_kafka_is_read_lose_and_repeat_no_row(
    starter, kafka, tmp_path, rows, expected, kills
):
    kafka.send(f"kills{kills}", [json.dumps(row).encode() for row in rows])
    address = kafka.url(f"kills{kills}")
    check_kills(starter, tmp_path, address, address, kills, expected, more=("--until-idle", 1))


@KILLS
def test_kills_with_the_model_in_postgresql_lose_and_repeat_no_row(
    starter, postgresql_server, tmp_path, rows, kills
):
    path = write_csv(tmp_path / "loans.csv", rows)
    assert starter.run("consume", f"csv:{path}", "--store", tmp_path / "whole.db", *LABEL) == 0
    chance, inside, runs = random.Random(7), 0, 0
    while runs < kills:
        store = postgresql_server.new_database()
        command = ("consume", f"csv:{path}", "--store", store, *LABEL, *EVERY)
        code = None
        while code != 0 and runs < kills:
            starter.start(*command)
            code = starter.kill_once(lambda: True, chance.uniform(0.1, 0.8))
            assert code in (0, -signal.SIGKILL), starter.output
            runs += 1
            with open_store(store) as opened:
                text = opened.consumed("default", f"csv:{path}")
            inside += text is not None and 0 < json.loads(text)["rows"] < ROWS
        assert starter.run(*command) == 0, starter.output
        with open_store(store) as opened:
            assert opened.latest_checkpoint("default").data == model_bytes(tmp_path / "whole.db")
    assert inside >= kills // 3, f"{inside} of {runs} kills came inside the stream"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_the_model_and_the_position(
    starter, redis, tmp_path, store, rows, expected, number
):
    stream = f"signal{number}"
    redis.add(stream, rows)
    command = ("consume", redis.url(stream, field="row"), "--store", store, *LABEL)
    starter.start(*command, "--every", 1_000_000, "--seconds", 3600, "--proba", "-o",
                  tmp_path / "out.jsonl")  # fmt: skip
    time.sleep(0.4)
    starter.signal(number)
    assert starter.wait() == 128 + number
    taken = rows_taken(store, redis.name(stream))
    assert 0 < taken < ROWS
    assert len(json_lines(tmp_path / "out.jsonl")) == taken
    assert starter.run(*command, "--until-idle", 0.3) == 0
    assert model_bytes(store) == expected
