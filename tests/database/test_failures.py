"""What a store does when its disk is full or its server goes away."""

from __future__ import annotations

import resource
import signal
import sqlite3

import pytest

from boxwise.database import (
    Entry,
    ModelInUseError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
    open_store,
)
from tests.postgresql import until_released


def entries(first, number, size=1000):
    return [Entry(i, 1.0, "learn", 1, b"x" * size) for i in range(first, first + number)]


@pytest.fixture
def small_files():
    """Limit the size of files; beyond it writes fail as on a full disk."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def limit(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))

    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, old)
    signal.signal(signal.SIGXFSZ, handler)


def test_sqlite_store_without_room_keeps_nothing_and_goes_on_when_there_is(tmp_path, small_files):
    with open_store(tmp_path / "models.db") as store:
        store.create_model("loans", b"model")
        small_files(200_000)
        no_room = pytest.raises(StoreFullError, match=r"no room left for .*models\.db")
        with no_room, store.transaction() as writing:
            writing.append("loans", entries(1, 1000))
        assert store.last_position("loans") == 0
        assert store.latest_checkpoint("loans").data == b"model"
        small_files(10_000_000)
        with store.transaction() as writing:
            writing.append("loans", entries(1, 1000))
        assert store.last_position("loans") == 1000


def test_sqlite_store_at_its_page_limit_keeps_nothing(tmp_path):
    with open_store(tmp_path / "models.db") as store:
        store.create_model("loans", b"model")
        store._writer.execute("PRAGMA max_page_count = 40")
        with pytest.raises(StoreFullError), store.transaction() as writing:
            writing.append("loans", entries(1, 1000))
        store._writer.execute("PRAGMA max_page_count = 100000")
        with store.transaction() as writing:
            writing.append("loans", entries(1, 10))
        assert store.last_position("loans") == 10


def test_sqlite_store_locked_by_another_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("boxwise.database.sqlite.BUSY_SECONDS", 0.1)
    path = tmp_path / "models.db"
    with open_store(path) as store:
        store.create_model("loans", b"model")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match="locked by another process"):
            store.save_checkpoint("loans", 1, b"x")
        assert store.latest_checkpoint("loans").data == b"model"
        other.execute("ROLLBACK")
        other.close()
        store.save_checkpoint("loans", 1, b"x")


def test_open_store_names_the_file_that_is_none(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("no database " * 100)
    with pytest.raises(StoreError, match=r"notes\.txt: file is not a database"):
        open_store(path)
    with pytest.raises(StoreError, match="there is no folder"):
        open_store(tmp_path / "nowhere" / "models.db")


def test_postgresql_store_connects_again_after_a_restart_of_the_server(postgresql_server):
    url = postgresql_server.new_database()
    with open_store(url) as store:
        store.create_model("loans", b"model")
        store.hold("loans")
        assert store.last_position("loans") == 0
        postgresql_server.stop()
        with pytest.raises(StoreUnavailableError), store.transaction() as writing:
            writing.append("loans", entries(1, 1))
        with pytest.raises(StoreUnavailableError):
            store.last_position("loans")
        postgresql_server.start()
        with store.transaction() as writing:
            writing.append("loans", entries(1, 1))
        assert store.last_position("loans") == 1
        with open_store(url) as other, pytest.raises(ModelInUseError):
            other.hold("loans")


def test_postgresql_store_that_lost_its_lock_writes_no_more(postgresql_server):
    url = postgresql_server.new_database()
    with open_store(url) as store, open_store(url) as other:
        store.create_model("loans", b"model")
        store.hold("loans")
        other._writer.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
        until_released(lambda: other.hold("loans"))
        for _ in range(2):  # the first finds the connection gone
            with pytest.raises((StoreUnavailableError, ModelInUseError)):
                store.save_checkpoint("loans", 1, b"x")
        with pytest.raises(ModelInUseError):
            store.save_checkpoint("loans", 1, b"x")
