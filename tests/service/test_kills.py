"""Kills at random moments under four clients that retry.

What was acknowledged is what is in the journal, once, and what was learned: the model at the end
has the bytes of one that learned the journal in order in one process. The service is killed while
it starts, while it learns and between a commit and its answer; so is the server of its database.
"""

from __future__ import annotations

import json
import math
import random
import signal
import time
from contextlib import suppress

import pytest
from tests.service.retrying import RetryingClient
from tests.service.serving import loan_columns, replayed, until
from tests.streams.running import Starter
from tests.streams.servers import free_port

from boxwise.database import StoreError, UnknownModelError, open_store

pytest.importorskip("typer")

CLIENTS = 4
MOST_ACKNOWLEDGED = 25  # between two kills
QUICK = pytest.param(10, id="10")
MANY = pytest.param(200, id="200", marks=pytest.mark.long)
FEW = pytest.param(4, id="4")
SOME = pytest.param(40, id="40", marks=pytest.mark.long)


@pytest.fixture(scope="module")
def starter(tmp_path_factory):
    one = Starter(tmp_path_factory.mktemp("starter"))
    yield one
    one.close()


class Killing:
    """A service that is killed and started again at the same port, and clients that do not care."""

    def __init__(self, starter, folder, url):
        (folder / "columns.json").write_text(json.dumps(loan_columns()))
        port = free_port()
        self._starter, self.url = starter, url
        self._command = (
            "serve", "--new", "--schema", folder / "columns.json", "--store", url, "--port", port,
            "--max-boxes", 150, "--checkpoint-rows", 1500, "--point-seconds", 0.5, "-q",
        )  # fmt: skip
        self._random = random.Random(11)
        self.clients = [RetryingClient(i, port) for i in range(CLIENTS)]
        self.working = 0  # kills of a service that had acknowledged something since its start
        self.unanswered = 0  # kills after a commit and before its answer

    def begin(self):
        self._starter.start(*self._command)
        self._until_listening()
        for client in self.clients:
            client.start()

    def kill(self):
        """Kill it at any moment, and start it again."""
        before = self.acknowledged
        if self._random.random() < 0.2:  # maybe while it starts
            code = self._starter.kill_once(lambda: True, self._random.uniform(0, 0.3))
        else:
            more = before + self._random.randrange(MOST_ACKNOWLEDGED)
            code = self._starter.kill_once(
                lambda: self.acknowledged > more, self._random.uniform(0, 0.02)
            )
        assert code in (-signal.SIGKILL, 1), self._starter.output
        # The server of a database takes a moment to release the lock of a process that was killed.
        assert code != 1 or "is written by" in self._starter.output, self._starter.output
        self.working += self.acknowledged > before
        self.unanswered += self._unanswered()
        self._starter.start(*self._command)

    def end(self):
        """Let all clients have their answers, and stop the service."""
        self._until_listening()
        for client in self.clients:
            client.end()
        self._starter.signal(signal.SIGTERM)
        assert self._starter.wait() == 0, self._starter.output

    def _until_listening(self):
        end = time.monotonic() + 30
        while "boxwise serves at" not in self._starter.output:
            assert time.monotonic() < end, self._starter.output
            if "is written by" in self._starter.output:
                self._starter.wait()
                time.sleep(0.1)
                self._starter.start(*self._command)
            time.sleep(0.02)

    def _unanswered(self):
        """Say whether something is in the journal that no client has an answer to."""
        time.sleep(0.02)  # for answers on their way
        with suppress(StoreError, UnknownModelError), open_store(self.url) as store:
            return store.last_position("default") > self.acknowledged
        return False

    @property
    def acknowledged(self):
        for client in self.clients:
            assert client.error is None, client.error
        return sum(len(client.acknowledged) for client in self.clients)

    def check(self):
        """Compare what was acknowledged with the journal, and the model with a replay of it."""
        lessons = {}
        for client in self.clients:
            for key, lesson in client.acknowledged.items():
                assert lesson.answer["position"] not in lessons, f"{key} has another's position"
                lessons[lesson.answer["position"]] = lesson
        with open_store(self.url) as store:
            entries = [*store.journal_since("default", 0)]
            assert [entry.position for entry in entries] == [*range(1, len(entries) + 1)]
            assert {*lessons} == {entry.position for entry in entries}
            rows = 0
            for entry in entries:
                lesson = lessons[entry.position]
                rows += learned_rows(entry, lesson)
                assert lesson.answer["rows"] == rows
            latest = store.latest_checkpoint("default")
            assert latest.info.position == len(entries)
            assert latest.data == replayed(store, "default")
        return lessons


def learned_rows(entry, lesson):
    """Return how often a row of an entry is learned; check that the rows are those of a lesson."""
    content = json.loads(entry.payload)
    assert (content["rows"], content["labels"]) == (lesson.rows, lesson.labels)
    assert content.get("weights") == lesson.sent.get("weights")
    labelled = lesson.sent.get("labelled", [])
    assert content.get("ids", []) == [one["id"] for one in labelled]
    assert entry.rows == lesson.answer["learned"] == len(lesson.rows)
    return sum(math.ceil(weight) for weight in content.get("weights", [1] * entry.rows))


@pytest.mark.parametrize("kills", [QUICK, MANY])
def test_kills_lose_and_repeat_nothing_that_was_acknowledged(starter, tmp_path, kills):
    killing = Killing(starter, tmp_path, str(tmp_path / "models.db"))
    killing.begin()
    for _ in range(kills):
        killing.kill()
    killing.end()
    lessons = killing.check()
    repeated = sum(lesson.repeated for lesson in lessons.values())
    print(
        f"{kills} kills, {killing.working} of a working service, {killing.unanswered} between a "
        f"commit and its answer; {len(lessons)} requests, {repeated} of them sent again"
    )
    assert killing.working >= kills // 2 and repeated >= kills // 2
    assert killing.unanswered or kills < 100


@pytest.mark.parametrize("kills", [FEW, SOME])
def test_kills_with_the_store_in_postgresql_lose_and_repeat_nothing(
    starter, postgresql_server, tmp_path, kills
):
    killing = Killing(starter, tmp_path, postgresql_server.new_database())
    killing.begin()
    for i in range(kills):
        if i == kills // 2:
            crash(postgresql_server, killing)
        killing.kill()
    killing.end()
    assert killing.check()
    assert killing.working >= kills // 2


def crash(server, killing):
    """Crash the database under a service that works; the service goes on when it is back."""
    killing._until_listening()
    before = killing.acknowledged
    until(lambda: killing.acknowledged > before + 5, 30)
    server.stop("immediate")  # all its processes quit at once; the next start recovers
    server.start()
    before = killing.acknowledged
    until(lambda: killing.acknowledged > before + 2 * CLIENTS, 60)
