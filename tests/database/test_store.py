"""What is written to a store is what is read from it, in SQLite and in PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from boxwise.database import (
    LEARN,
    REPLACE,
    Answer,
    ConflictError,
    Entry,
    ModelInUseError,
    Prediction,
    StoreError,
    UnknownModelError,
    open_store,
    shadow_name,
)
from tests.postgresql import until_released


def entry(position, payload=b"{}", kind=LEARN, rows=1):
    return Entry(position, 1000.5 + position, kind, rows, payload)


@pytest.fixture
def loans(store):
    store.create_model("loans", b"model 0")
    return store


def test_store_returns_the_model_and_its_first_checkpoint(loans):
    (record,) = loans.models()
    assert (record.name, record.version, record.shadow_of) == ("loans", 1, None)
    found = loans.latest_checkpoint("loans")
    assert found.data == b"model 0"
    assert (found.info.position, found.info.reason, found.info.kept) == (0, "created", True)
    assert found.info.size == len(b"model 0")


def test_store_keeps_what_was_committed_when_opened_again(url):
    everything = bytes(range(256))
    with open_store(url) as store:
        store.create_model("loans", everything)
        with store.transaction() as writing:
            writing.append("loans", [entry(1, everything), entry(2, b"second", REPLACE, 7)])
    with open_store(url) as store:
        assert store.latest_checkpoint("loans").data == everything
        first, second = store.journal_since("loans", 0)
        assert first == entry(1, everything)
        assert second == entry(2, b"second", REPLACE, 7)


def test_transaction_keeps_nothing_after_an_exception(loans):
    with pytest.raises(RuntimeError), loans.transaction() as writing:
        writing.append("loans", [entry(1)])
        writing.save_checkpoint("loans", 1, b"model 1")
        raise RuntimeError
    assert list(loans.journal_since("loans", 0)) == []
    assert loans.last_position("loans") == 0
    with loans.transaction() as writing:
        writing.append("loans", [entry(1)])
    assert loans.last_position("loans") == 1


def test_append_refuses_a_position_that_is_taken(loans):
    with loans.transaction() as writing:
        writing.append("loans", [entry(1)])
    with pytest.raises(ConflictError), loans.transaction() as writing:
        writing.append("loans", [entry(2), entry(1)])
    assert loans.last_position("loans") == 1


def test_append_refuses_an_unknown_model(loans):
    with pytest.raises(ConflictError), loans.transaction() as writing:
        writing.append("other", [entry(1)])


def test_journal_is_read_in_order_over_many_pages(loans):
    with loans.transaction() as writing:
        writing.append("loans", [entry(i, str(i).encode()) for i in range(1, 1302)])
    assert [e.position for e in loans.journal_since("loans", 100)] == [*range(101, 1302)]
    assert loans.last_position("loans") == 1301


def test_save_checkpoint_writes_the_position_of_the_source_with_it(loans):
    assert loans.consumed("loans", "redis://x/loans") is None
    loans.save_checkpoint("loans", 40, b"model 40", "redis://x/loans", "1700-3")
    loans.save_checkpoint("loans", 80, b"model 80", "redis://x/loans", "1700-9")
    assert loans.consumed("loans", "redis://x/loans") == "1700-9"
    assert loans.latest_checkpoint("loans").data == b"model 80"
    assert loans.last_position("loans") == 80


def test_save_checkpoint_twice_at_one_position_keeps_the_later(loans):
    loans.save_checkpoint("loans", 0, b"again")
    (only,) = loans.checkpoints("loans")
    assert only.kept and loans.checkpoint("loans", 0).data == b"again"


def test_save_checkpoint_keeps_the_last_ones_and_those_marked(loans):
    with loans.transaction() as writing:
        for position in range(1, 21):
            writing.save_checkpoint("loans", position, b"x", kept=position == 3, keep_last=4)
    assert [info.position for info in loans.checkpoints("loans")] == [0, 3, 17, 18, 19, 20]


def test_save_checkpoint_refuses_an_unknown_model(store):
    with pytest.raises(UnknownModelError, match="no model 'loans'"):
        store.save_checkpoint("loans", 1, b"x")


def test_model_that_is_not_there_is_named_with_those_that_are(loans):
    with pytest.raises(UnknownModelError, match=r"no model 'loan' .* there are 'loans'"):
        loans.model("loan")
    assert loans.checkpoint("loans", 7) is None


@pytest.mark.parametrize("name", ["", "a b", "a/b", "../x", "-a", "x~shadow", "é", "a" * 65, None])
def test_create_model_refuses_such_a_name(store, name):
    with pytest.raises(ValueError, match="cannot be called"):
        store.create_model(name, b"x")


def test_create_model_refuses_a_name_that_is_taken(loans):
    with pytest.raises(ConflictError):
        loans.create_model("loans", b"x")


def test_shadow_goes_with_its_model(loans):
    shadow = shadow_name("loans")
    with loans.transaction() as writing:
        writing.append("loans", [entry(1)])
        writing.create_model(shadow, b"shadow", position=1, shadow_of="loans")
    assert [record.name for record in loans.models()] == ["loans"]
    assert loans.model(shadow).shadow_of == "loans"
    assert loans.latest_checkpoint(shadow).info.position == 1
    with loans.transaction() as writing:
        writing.delete_model("loans")
    assert not loans.has_model(shadow)
    assert list(loans.journal_since("loans", 0)) == []


def test_set_version_is_that_of_later_checkpoints(loans):
    with loans.transaction() as writing:
        writing.set_version("loans", 2)
        writing.save_checkpoint("loans", 5, b"x")
    assert loans.model("loans").version == 2
    assert [info.version for info in loans.checkpoints("loans")] == [1, 2]


def test_answers_are_found_by_key_within_the_model(loans):
    loans.create_model("other", b"x")
    given = {"key é": Answer(b"\x00\xff", 200, b"{}"), "b": Answer(b"d", 422, b"no")}
    with loans.transaction() as writing:
        writing.save_answers("loans", given)
        assert writing.answers("loans", ["b", "key é", "c"]) == given
        assert writing.answers("other", ["b"]) == {}
    with pytest.raises(ConflictError), loans.transaction() as writing:
        writing.save_answers("loans", {"b": Answer(b"other", 200, b"")})


@pytest.mark.parametrize("one", ["17", "a\x00b", "é\U0001f600", "'; DROP TABLE x", "\ud800", " "])
def test_predictions_are_found_by_any_id(loans, one):
    made = Prediction(one, 5.0, b'{"age":1}', b"{}")
    with loans.transaction() as writing:
        writing.save_predictions("loans", [made])
        writing.save_truths("loans", {one: b'"yes"'}, 7)
    found = loans.prediction("loans", one)
    assert found == Prediction(one, 5.0, b'{"age":1}', b"{}", b'"yes"', 7)
    assert loans.latest_predictions("loans", 5) == [found]
    assert loans.prediction("loans", one + "x") is None


def test_prediction_made_again_waits_for_its_label_again(loans):
    with loans.transaction() as writing:
        writing.save_predictions("loans", [Prediction("a", 1.0, b"1", b"2", b"3", 4)])
        writing.save_predictions("loans", [Prediction("a", 2.0, b"5", b"6")])
        assert writing.predictions("loans", ["a", "b"]) == {"a": Prediction("a", 2.0, b"5", b"6")}


def test_expire_removes_what_is_old_or_too_many(loans):
    with loans.transaction() as writing:
        made = [Prediction(str(i), float(i), b"", b"") for i in range(10)]
        writing.save_predictions("loans", made)
        writing.save_answers("loans", {"k": Answer(b"", 200, b"")})
        writing.expire("loans", before=2.0, keep_predictions=5, answers_before=0.0)
        assert writing.answers("loans", ["k"])
    assert [p.id for p in loans.latest_predictions("loans", 20)] == ["9", "8", "7", "6", "5"]
    with loans.transaction() as writing:
        writing.expire("loans", before=9.0, keep_predictions=5, answers_before=1e12)
        assert not writing.answers("loans", ["k"])
    assert [p.id for p in loans.latest_predictions("loans", 20)] == ["9"]


def test_history_keeps_the_last_points(loans):
    with loans.transaction() as writing:
        for i in range(10):
            writing.save_point("loans", float(i), str(i).encode(), keep_last=4)
    assert loans.history("loans", 3) == [b"7", b"8", b"9"]
    assert len(loans.history("loans", 100)) == 4


def test_trim_journal_keeps_what_a_replay_needs(loans):
    with loans.transaction() as writing:
        writing.append("loans", [entry(i) for i in range(1, 101)])
        writing.save_checkpoint("loans", 30, b"x")
        writing.save_checkpoint("loans", 60, b"x")
        writing.trim_journal("loans", keep_last=5)
    assert [e.position for e in loans.journal_since("loans", 0)] == [*range(31, 101)]
    with loans.transaction() as writing:
        writing.trim_journal("loans", keep_last=90)
    assert [e.position for e in loans.journal_since("loans", 0)] == [*range(31, 101)]


def test_hold_refuses_a_model_that_another_process_holds(url):
    program = (
        "import sys, boxwise.database as d\n"
        "s = d.open_store(sys.argv[1]); s.hold('loans'); print('held', flush=True)\n"
        "sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert other.stdout.readline() == b"held\n"
        with open_store(url) as store:
            with pytest.raises(ModelInUseError, match=f"'loans' .* written by .*{other.pid}"):
                store.hold("loans")
            store.hold("other")
            other.kill()
            other.wait()
            until_released(lambda: store.hold("loans"))
            store.hold("loans")
    finally:
        other.kill()
        other.communicate()


def test_release_lets_another_store_hold_the_model(url):
    with open_store(url) as first, open_store(url) as second:
        first.hold("loans")
        with pytest.raises(ModelInUseError):
            second.hold("loans")
        first.release("loans")
        second.hold("loans")
        with pytest.raises(ModelInUseError):
            first.hold("loans")


def test_hold_is_the_same_by_a_link_to_the_file(tmp_path):
    (tmp_path / "link.db").symlink_to(tmp_path / "models.db")
    with open_store(tmp_path / "models.db") as first, open_store(tmp_path / "link.db") as second:
        first.hold("loans")
        with pytest.raises(ModelInUseError):
            second.hold("loans")


def test_hold_is_for_one_schema_of_a_database(postgresql_server):
    first, second = postgresql_server.new_database(), postgresql_server.new_database()
    with open_store(first) as store, open_store(second) as other:
        store.hold("loans")
        other.hold("loans")
        with open_store(second) as third, pytest.raises(ModelInUseError):
            third.hold("loans")


def test_store_is_read_while_another_thread_writes(loans):
    failures = []

    def read():
        try:
            for _ in range(200):
                seen = [e.position for e in loans.journal_since("loans", 0)]
                assert seen == [*range(1, len(seen) + 1)]
                assert len(seen) % 2 == 0
        except BaseException as error:
            failures.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for i in range(1, 100, 2):
        with loans.transaction() as writing:
            writing.append("loans", [entry(i), entry(i + 1)])
    reader.join()
    assert not failures


@pytest.mark.parametrize("url", ["redis://x", "mysql://x/y"])
def test_open_store_names_the_kinds_of_stores(url):
    with pytest.raises(ValueError, match="SQLite file, sqlite:///path or postgresql"):
        open_store(url)


def test_open_store_refuses_a_file_of_a_newer_version(url):
    with open_store(url) as store, store.transaction() as writing:
        writing._connection.execute("UPDATE boxwise_schema SET version = 99")
    with pytest.raises(StoreError, match=r"newer boxwise .*; upgrade"):
        open_store(url)


def test_open_store_never_shows_the_password(postgresql_server):
    plain = postgresql_server.new_database()
    with open_store(plain.replace("postgres@", "postgres:secret1@")) as store:
        assert "secret1" not in store.url and store.url.startswith("postgresql://127.0.0.1")
    with pytest.raises(StoreError) as caught:
        open_store(f"postgresql://u:secret1@127.0.0.1:{os.getpid() % 1000 + 1}/x")
    assert "secret1" not in str(caught.value)
