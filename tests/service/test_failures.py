"""Disk full, database away, failures in the midst: predictions go on, and nothing is lost."""

from __future__ import annotations

import sqlite3

import pytest
from tests.service.serving import (
    LABELS,
    ROWS,
    learn,
    model_of,
    predict,
    replayed,
    served,
    serving,
    until,
)

from boxwise.database import StoreUnavailableError, open_store
from boxwise.service.chronicle import Chronicle


def test_disk_full_stops_learning_and_keeps_predicting(tmp_path):
    long = [{"age": 1, "job": "x" * 3000}] * 50
    with open_store(tmp_path / "m.db") as store, serving(store) as client:
        learn(client)
        pages = store._writer.execute("PRAGMA page_count")[0][0]
        store._writer.execute(f"PRAGMA max_page_count = {pages + 10}")
        answers = [learn(client, long, ["a"] * 50, key="big") for _ in range(3)]
        assert {answer.status_code for answer in answers} == {507}
        told = answers[0].json()["detail"]
        assert "nothing of this was learned" in told and "free some space" in told
        assert answers[0].headers["retry-after"]
        assert predict(client).status_code == 200
        assert predict(client, long, remember=True).status_code == 507
        assert "no room" in client.get("/v1/model").json()["trouble"]
        assert client.get("/readyz").json()["learning_blocked"] == ["loans"]
        assert 'boxwise_store_full{model="loans"} 1.0' in client.get("/metrics").text
        assert served(client).position == 1
        store._writer.execute("PRAGMA max_page_count = 100000")
        assert learn(client, long, ["a"] * 50, key="big").status_code == 200
        assert client.get("/v1/model").json()["trouble"] is None
        assert model_of(client) == replayed(store, "loans")


def test_disk_full_at_the_end_costs_only_the_checkpoint(tmp_path):
    with open_store(tmp_path / "m.db") as store:
        with serving(store) as client:
            learn(client)
            data = model_of(client)
            pages = store._writer.execute("PRAGMA page_count")[0][0]
            store._writer.execute(f"PRAGMA max_page_count = {pages}")
        assert store.latest_checkpoint("loans").info.position == 0
        store._writer.execute("PRAGMA max_page_count = 100000")
        with serving(store) as client:
            assert model_of(client) == data


def test_database_that_is_locked_is_waited_for_and_said(tmp_path, monkeypatch):
    monkeypatch.setattr("boxwise.database.sqlite.BUSY_SECONDS", 0.1)
    with open_store(tmp_path / "m.db") as store, serving(store) as client:
        other = sqlite3.connect(tmp_path / "m.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        answer = learn(client, key="k")
        assert answer.status_code == 503 and "not learned" in answer.json()["detail"]
        assert predict(client).status_code == 200
        other.execute("ROLLBACK")
        other.close()
        assert learn(client, key="k").status_code == 200
        assert served(client).live.rows == 3


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("known", [True, False])
def test_commit_whose_answer_is_lost_is_learned_once(tmp_path, monkeypatch, kept, known):
    """The connection fails at the commit; the journal may, or may not, be read afterwards."""
    with open_store(tmp_path / "m.db") as store, serving(store, point_seconds=1e6) as client:
        learn(client)
        connection = store._writer
        original, since = connection.transaction, store.journal_since

        def failing():
            from contextlib import contextmanager

            @contextmanager
            def transaction():
                monkeypatch.setattr(connection, "transaction", original)
                if kept:
                    with original():
                        yield
                else:
                    try:
                        with original():
                            yield
                            raise KeyError
                    except KeyError:
                        pass
                raise StoreUnavailableError("the connection was lost")

            return transaction()

        def unreadable(*arguments):
            monkeypatch.setattr(store, "journal_since", since)
            raise StoreUnavailableError("the connection was lost")

        monkeypatch.setattr(connection, "transaction", failing)
        if not known:
            monkeypatch.setattr(store, "journal_since", unreadable)
        first = learn(client, key="k")
        if known:
            assert first.status_code == (200 if kept else 503)
        else:
            assert first.status_code == 503 and "not known" in first.json()["detail"]
        again = learn(client, key="k")
        assert again.status_code == 200 and again.json()["position"] == 2
        assert served(client).live.rows == 6
        assert model_of(client) == replayed(store, "loans")


def test_failure_in_the_midst_of_learning_is_made_good_from_the_journal(tmp_path, monkeypatch):
    with open_store(tmp_path / "m.db") as store, serving(store) as client:
        learn(client)
        live = served(client).live

        def fail(prepared):
            raise MemoryError

        monkeypatch.setattr(live, "score_and_learn", fail)
        answer = learn(client, key="k")
        assert answer.status_code == 500 and "MemoryError" not in answer.text
        assert served(client).live is not live
        assert learn(client, key="k").json()["position"] == 2
        assert served(client).live.rows == 6
        assert model_of(client) == replayed(store, "loans")


def test_failure_of_a_command_harms_nobody(client, monkeypatch):
    learn(client)
    before = model_of(client)
    monkeypatch.setattr(Chronicle, "save_checkpoint", lambda *_, **__: 1 / 0)
    assert client.post("/v1/models/loans/checkpoint").status_code == 500
    assert client.get("/readyz").json()["learning_blocked"] == []
    monkeypatch.undo()
    assert model_of(client) == before and learn(client).json()["position"] == 2


def test_failure_of_the_history_harms_nobody(tmp_path, monkeypatch):
    def fail(self):
        raise StoreUnavailableError("away")

    monkeypatch.setattr(Chronicle, "save_point", fail)
    with open_store(tmp_path / "m.db") as store, serving(store, point_seconds=0.01) as client:
        for _ in range(5):
            assert learn(client).status_code == 200


def test_another_writer_is_noticed_by_the_journal(tmp_path):
    """Without the lock, say on Windows, the positions of the journal are the guard."""
    with open_store(tmp_path / "m.db") as store, serving(store) as client:
        learn(client)
        from boxwise.database import Entry
        from boxwise.service.http.wire import to_json

        payload = to_json({"rows": ROWS[:1], "labels": LABELS[:1]})
        with open_store(tmp_path / "m.db") as other, other.transaction() as writing:
            writing.append("loans", [Entry(2, 1.0, "learn", 1, payload)])
        assert learn(client, key="k").status_code == 503
        assert learn(client, key="k").json()["position"] == 3
        assert model_of(client) == replayed(store, "loans")


def test_postgresql_restart_is_survived(postgresql_server):
    with open_store(postgresql_server.new_database()) as store, serving(store) as client:
        learn(client)
        postgresql_server.stop()
        try:
            answer = learn(client, key="k")
            assert answer.status_code == 503
            assert predict(client).status_code == 200
        finally:
            postgresql_server.start()
        until(lambda: learn(client, key="k").status_code == 200, 30)
        assert served(client).live.rows == 6
        assert model_of(client) == replayed(store, "loans")
