"""``boxwise.streams.learn`` on CSV files and Python iterables."""

import math
import random
from collections.abc import Sequence
from time import sleep

import pytest

import boxwise
from boxwise import HyperboxClassifier
from boxwise.database import ModelInUseError, open_store
from boxwise.streams import Message, RefusedRowError, StreamError, learn
from boxwise.streams.csv_rows import CHUNKS, CsvSource
from tests.apps.running import boxwise as command
from tests.apps.running import write_csv
from tests.streams.running import items, json_lines, loans, model_bytes, rows_taken

ROWS = loans(1500)
NAMES = [name for name in ROWS[0] if name != "decision"]


@pytest.fixture
def csv_file(tmp_path):
    return write_csv(tmp_path / "loans.csv", ROWS)


def test_a_file_gives_the_model_of_learn(csv_file, store, tmp_path):
    clf = learn(f"csv:{csv_file}", store, label="decision")
    assert (
        command("learn", csv_file, "--label", "decision", "-o", tmp_path / "m.box").exit_code == 0
    )
    assert boxwise.dumps(clf) == (tmp_path / "m.box").read_bytes() == model_bytes(store)


@pytest.mark.parametrize("every", [1, 7, 400])
def test_the_model_does_not_depend_on_when_it_is_saved(store, tmp_path, every):
    rows = ROWS[:60] if every == 1 else ROWS
    clf = learn(items(rows), store, label="decision", every=every)
    whole = learn(items(rows), tmp_path / "whole.db", label="decision")
    assert boxwise.dumps(clf) == boxwise.dumps(whole) == model_bytes(store)


def test_the_model_goes_on_where_it_stopped(store, tmp_path):
    for cut in (1, 200, 201, 1100, 1500):
        clf = learn(items(ROWS[:cut]), store, label="decision", numeric=["zip_code"])
    whole = learn(items(ROWS), tmp_path / "whole.db", label="decision", numeric=["zip_code"])
    assert boxwise.dumps(clf) == boxwise.dumps(whole)


def test_a_function_gives_the_rows_after_a_position(store, tmp_path):
    asked = []

    def rows_after(position):
        asked.append(position)
        return items(ROWS)[position or 0 : (position or 0) + 500]

    for _ in range(3):
        clf = learn(rows_after, store, label="decision")
    assert asked == [None, 500, 1000]
    whole = learn(items(ROWS), tmp_path / "whole.db", label="decision")
    assert boxwise.dumps(clf) == boxwise.dumps(whole)


def test_an_iterable_without_the_stored_position_is_an_error(store):
    learn(items(ROWS[:10]), store, label="decision")
    with pytest.raises(StreamError, match="no row has the position 10"):
        learn(items(ROWS[:5]), store, label="decision")


class Lists:
    """The smallest source: a list, one row at a time."""

    name, typed = "a list", True

    def open(self, state):
        self.at = state.get("at", 0)

    def read(self, most: int, seconds: float) -> Sequence[Message] | None:
        if self.at == len(ROWS):
            return None
        self.at += 1
        return [Message(str(self.at), {"at": self.at}, ROWS[self.at - 1], b"")]

    def stored(self, state):
        self.last = dict(state)

    def close(self):
        self.closed = True


def test_a_source_of_ones_own_is_enough(store, tmp_path):
    source = Lists()
    clf = learn(source, store, label="decision")
    whole = learn(items(ROWS), tmp_path / "whole.db", label="decision")
    assert boxwise.dumps(clf) == boxwise.dumps(whole)
    assert source.last == {"at": 1500}
    assert source.closed


@pytest.mark.parametrize("proba", [False, True])
@pytest.mark.parametrize("weight", [None, "loan"])
def test_each_row_is_predicted_by_the_model_before_it(store, tmp_path, proba, weight):
    rows = [
        dict(row, loan=random.Random(i).choice([0.5, 1, 3])) for i, row in enumerate(ROWS[:300])
    ]
    for i in range(0, 300, 7):
        rows[i]["decision"] = None
    output = tmp_path / "out.jsonl"
    learn(
        items(rows), store, label="decision", weight=weight, output=str(output), proba=proba,
        keep=["age"], every=90,
    )  # fmt: skip
    clf = HyperboxClassifier(categorical_features=["education", "car", "zip_code"])
    columns = [name for name in NAMES if name != weight]
    for row, told in zip(rows, json_lines(output), strict=True):
        x = [{name: row[name] for name in columns}]
        if hasattr(clf, "_model"):
            assert told["prediction"] == clf.predict(x)[0]
            if proba:
                assert [*told["probabilities"].values()] == clf.predict_proba(x)[0].tolist()
        else:
            assert told["prediction"] is None
        assert told["age"] == row["age"]
        if row["decision"] is not None:
            clf.partial_fit(x, [row["decision"]], sample_weight=[row[weight]] if weight else None)
    assert boxwise.dumps(clf) == model_bytes(store)


def test_results_in_a_file_go_on_after_the_last_checkpoint(store, tmp_path):
    output, dead = tmp_path / "out.jsonl", tmp_path / "dead.jsonl"
    output.write_text('{"key": "of an earlier run"}\n')
    rows = [*ROWS[:500], {**ROWS[0], "age": "old"}]
    options = {"label": "decision", "output": str(output), "dead_letter": str(dead)}
    options["numeric"] = ["age"]
    learn(items(rows), store, **options)
    kept = output.read_bytes(), dead.read_bytes()
    for path in (output, dead):  # as a kill before the next checkpoint leaves them
        with path.open("a") as file:
            file.write('{"key": "5')
    learn(items([*rows, ROWS[501]]), store, **options)
    assert output.read_bytes().startswith(kept[0])
    assert [one["key"] for one in json_lines(output)][-2:] == ["500", "502"]
    assert dead.read_bytes() == kept[1]
    (letter,) = json_lines(dead)
    assert letter["key"] == "501"
    assert letter["reason"].startswith("column 'age': 'old' is not a number")
    assert letter["payload"]["age"] == "old"


def test_a_refused_row_stops_and_the_rows_before_are_saved(store, tmp_path):
    rows = [*ROWS[:40], {**ROWS[0], "age": "old"}, *ROWS[40:80]]
    with pytest.raises(RefusedRowError, match=r"message 41: column 'age': 'old' is not a number"):
        learn(items(rows), store, label="decision", numeric=["age"])
    assert rows_taken(store, "iterable") == 40
    with pytest.raises(RefusedRowError):
        learn(items(rows), store, label="decision")
    clf = learn(items(rows), store, label="decision", on_error="skip")
    good = learn(items(ROWS[:80]), tmp_path / "good.db", label="decision")
    assert boxwise.dumps(clf) == boxwise.dumps(good)


def test_a_row_that_only_the_model_refuses_goes_to_the_dead_letters(store, tmp_path):
    dead = tmp_path / "dead.jsonl"
    rows = [{"age": i, "w": 9_000 if i == 30 else 1, "label": "ab"[i % 2]} for i in range(60)]
    estimator = HyperboxClassifier(class_weight={"a": 2})
    for output in (None, str(tmp_path / "out.jsonl")):
        stream = [(i, row, row["label"]) for i, row in enumerate(rows)]
        learn(
            stream, tmp_path / f"{output is None}.db", estimator=estimator, weight="w",
            dead_letter=str(dead), output=output,
        )  # fmt: skip
    assert [one["key"] for one in json_lines(dead)] == ["30", "30"]
    assert "class_weight of 'a' times sample_weight" in json_lines(dead)[0]["reason"]
    assert len(json_lines(tmp_path / "out.jsonl")) == 59


def test_rows_that_csv_cannot_read_go_to_the_dead_letters_as_they_are(tmp_path, store):
    path, dead = tmp_path / "a.csv", tmp_path / "dead.jsonl"
    lines = ["age,label", "1,a", "2", '3,"b"x', "4,b", "5,\udcff", '6,"open', "7,a"]
    path.write_bytes("\n".join(lines).encode(errors="surrogateescape"))
    learn(f"csv:{path}", store, dead_letter=str(dead))
    letters = json_lines(dead)
    assert [one["key"] for one in letters] == ["2", "3", "5", "6"]
    assert [one["payload"].rstrip("\n") for one in letters] == ["2", '3,"b"x', "5,", '6,"open']
    assert letters[0]["reason"].startswith("line 3: '2' has 1 value, but the header has 2 columns")
    assert rows_taken(store, f"csv:{path}") == 7


def test_a_shorter_file_is_another_one(tmp_path, store):
    path = write_csv(tmp_path / "loans.csv", ROWS[:100])
    learn(f"csv:{path}", store, label="decision")
    write_csv(path, ROWS[:60])
    with pytest.raises(StreamError, match=r"has 60 rows only, .* learned 100 .*--skip-lost"):
        learn(f"csv:{path}", store, label="decision")
    told = []
    learn(f"csv:{path}", store, label="decision", skip_lost=True, tell=told.append)
    assert any(text.endswith("skipped") for text in told)
    assert rows_taken(store, f"csv:{path}") == 160


def test_a_model_begins_with_one_that_has_learned(store, tmp_path):
    first = HyperboxClassifier().partial_fit(
        [{name: row[name] for name in NAMES} for row in ROWS[:700]],
        [row["decision"] for row in ROWS[:700]],
    )
    before = boxwise.dumps(first)
    clf = learn(items(ROWS[700:]), store, label="decision", estimator=boxwise.loads(before))
    first.partial_fit(
        [{name: row[name] for name in NAMES} for row in ROWS[700:]],
        [row["decision"] for row in ROWS[700:]],
    )
    assert boxwise.dumps(clf) == boxwise.dumps(first)


def test_unlabelled_rows_are_learned_if_the_model_wants_them(store):
    rows = [(i, {"age": i}, None if i % 3 else "ab"[i % 2]) for i in range(60)]
    clf = learn(rows, store, estimator=HyperboxClassifier(unlabelled=math.nan))
    same = HyperboxClassifier(unlabelled=math.nan, categorical_features=[])
    same.partial_fit([{"age": row["age"]} for _, row, _ in rows], [label for *_, label in rows])
    assert boxwise.dumps(clf) == boxwise.dumps(same)


def test_a_column_without_a_value_gets_its_kind_later(store, tmp_path):
    rows = [{**row, "note": None if i < 1200 else "xy"[i % 2]} for i, row in enumerate(ROWS)]
    for every, folder in ((100, "a"), (5_000, "b")):
        clf = learn(items(rows), tmp_path / f"{folder}.db", label="decision", every=every)
    assert clf.schema_.columns[-1].vocabulary.values == [None, "x", "y"]
    assert model_bytes(tmp_path / "a.db") == model_bytes(tmp_path / "b.db")


def test_classes_that_are_a_quantity_are_refused(store):
    rows = [(i, {"age": i % 7}, i) for i in range(1100)]
    with pytest.raises(StreamError, match="more than 1,000 different numbers are no classes"):
        learn(rows, store)


def test_two_models_of_a_store_have_positions_of_their_own(store):
    for name in ("one", "two"):
        learn(items(ROWS[:100]), store, model=name, label="decision")
    assert model_bytes(store, "one") == model_bytes(store, "two")
    assert rows_taken(store, "iterable", "two") == 100


def test_a_model_is_written_by_one_process_at_a_time(store):
    learn(items(ROWS[:10]), store, label="decision")
    with open_store(store) as other:
        other.hold("default")
        with pytest.raises(ModelInUseError):
            learn(items(ROWS), store, label="decision")


def test_no_row_at_all_is_an_error(store):
    with pytest.raises(StreamError, match="there was no row"):
        learn([], store)


@pytest.mark.parametrize("item", [3, (1, {"age": 3}), (1.5, {"age": 3}, "a")])
def test_an_item_that_is_no_row_is_an_error(store, item):
    with pytest.raises(StreamError, match="iterable:"):
        learn([item], store)


def test_the_memory_is_bounded_by_the_batch(store):
    ahead = []

    class Slow(Lists):
        def read(self, most, seconds):
            ahead.append(most)
            return super().read(most, seconds)

    learn(Slow(), store, label="decision", every=300)
    assert len(ahead) == 1501
    assert max(ahead) <= 1000
    assert max(ahead[1000:]) <= 300  # those before determine the kinds


def test_a_file_is_read_ahead_by_some_chunks_only(tmp_path):
    path = write_csv(tmp_path / "loans.csv", ROWS * 4)
    source = CsvSource(str(path))
    source.open({})
    assert len(source.read(10, 5)) == 10
    sleep(0.3)
    assert source._chunks.qsize() <= CHUNKS
    source.close()
