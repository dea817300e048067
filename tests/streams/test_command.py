"""``boxwise consume``: options, output, exit codes, pipes."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import boxwise
from boxwise import HyperboxClassifier
from boxwise.explain import rows_learned
from tests.apps.running import boxwise as command
from tests.apps.running import write_csv
from tests.streams.running import LABEL, json_lines, loans, model_bytes, rows_taken

ROWS = loans(600)
BOXWISE = Path(sys.executable).with_name("boxwise")


@pytest.fixture
def csv_file(tmp_path):
    return write_csv(tmp_path / "loans.csv", ROWS)


def consume(path, store, *options, label=LABEL, **more):
    return command("consume", f"csv:{path}", "--store", store, *label, *options, **more)


def test_the_model_is_that_of_learn_with_the_same_options(csv_file, store, tmp_path):
    options = (
        "--theta",
        "0.3",
        "--categorical",
        "zip_code",
        "--drop",
        "car,loan",
        "--max-boxes",
        50,
    )
    run = consume(csv_file, store, *options, "--save", tmp_path / "same.box")
    assert run.exit_code == 0
    command("learn", csv_file, "-o", tmp_path / "m.box", *LABEL, *options)
    assert (tmp_path / "same.box").read_bytes() == (tmp_path / "m.box").read_bytes()
    assert model_bytes(store) == (tmp_path / "m.box").read_bytes()
    clf = boxwise.load(tmp_path / "m.box")
    assert f"{store}: 600 rows, {clf.n_boxes_} boxes, 2 classes\n" in run.output
    assert "categorical  education, zip_code" in run.output


def test_the_same_command_again_goes_on_and_says_so(csv_file, store):
    assert consume(csv_file, store, "--theta", "0.3").exit_code == 0
    before = model_bytes(store)
    run = consume(csv_file, store, "--theta", "0.3")
    assert run.exit_code == 0
    assert f"goes on after 600 rows of csv:{csv_file}" in run.output
    assert "its algorithm and settings stay" in run.output
    assert f"{store}: 0 rows more, 600 of this source in all" in run.output
    assert model_bytes(store) == before


def test_a_stream_that_has_moved_keeps_its_position(csv_file, store, tmp_path):
    consume(csv_file, store, "--source-name", "loans")
    moved = csv_file.rename(tmp_path / "moved.csv")
    run = consume(moved, store, "--source-name", "loans")
    assert "0 rows more" in run.output
    assert rows_taken(store, "loans") == 600


def test_it_begins_with_a_model_file(csv_file, store, tmp_path):
    clf = HyperboxClassifier(theta=0.3)
    x = [{name: value for name, value in row.items() if name != "decision"} for row in ROWS]
    clf.partial_fit(x, [row["decision"] for row in ROWS])
    clf.save(tmp_path / "first.box")
    assert consume(csv_file, store, "--begin-with", tmp_path / "first.box").exit_code == 0
    command("learn", csv_file, *LABEL, "--into", tmp_path / "first.box")
    assert model_bytes(store) == (tmp_path / "first.box").read_bytes()


def test_alarms_are_printed_and_run_the_command(store, tmp_path):
    path = write_csv(tmp_path / "drift.csv", loans(4000, drift_at=2000, drift_to=2))
    told = tmp_path / "told.txt"
    run = consume(path, store, "--alarm-command", f'echo "$BOXWISE_EVENT" >> {told}')
    assert run.exit_code == 0
    assert "alarm: errors rose from" in run.output
    assert "alarm" in told.read_text().split()


def test_refused_rows_are_left_out_and_the_exit_code_says_so(store, tmp_path):
    path = write_csv(tmp_path / "a.csv", [*ROWS, {**ROWS[0], "age": "old"}])
    options = ("--numeric", "age")
    stopped = consume(path, store, *options)
    assert stopped.exit_code == 1
    assert "message 601: column 'age': 'old' is not a number" in stopped.output
    assert "--dead-letter" in stopped.output
    assert rows_taken(store, f"csv:{path}") == 600
    dead = tmp_path / "dead.jsonl"
    assert consume(path, store, "--dead-letter", dead).exit_code == 3
    assert [one["key"] for one in json_lines(dead)] == ["601"]
    told = consume(path, tmp_path / "other.db", *options, "--on-error", "report")
    assert told.exit_code == 3
    assert "message 601 is refused: column 'age'" in told.output
    assert "601 rows (1 refused)" in told.output


def test_rows_are_predicted_on_standard_output_without_a_label(csv_file, store, tmp_path):
    consume(csv_file, store, "--categorical", "zip_code")
    run = subprocess.run(
        [BOXWISE, "consume", "csv:-", "--store", store, "-o", "-", "--keep", "age", "-q"],
        input=csv_file.read_bytes(), capture_output=True, check=True,
    )  # fmt: skip
    found = [json.loads(line) for line in run.stdout.splitlines()]
    clf = boxwise.loads(model_bytes(store))
    x = [{name: value for name, value in row.items() if name != "decision"} for row in ROWS]
    assert [one["prediction"] for one in found] == clf.predict(x).tolist()
    assert found[0] == {"key": "1", "age": str(ROWS[0]["age"]), **found[0]}


def test_a_pipe_that_waits_does_not_hold_up_a_checkpoint(store, csv_file, tmp_path):
    lines = csv_file.read_bytes().splitlines(keepends=True)
    arguments = [BOXWISE, "consume", "csv:-", "--store", store, *LABEL, "--seconds", "0.1"]
    first = subprocess.Popen(arguments, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    first.stdin.write(b"".join(lines[:301]))
    first.stdin.flush()
    until = time.monotonic() + 30
    while rows_taken(store, "csv:-") < 300 and time.monotonic() < until:
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert rows_taken(store, "csv:-") == 300
    subprocess.run(arguments, input=csv_file.read_bytes(), check=True, capture_output=True)
    assert consume(csv_file, tmp_path / "whole.db").exit_code == 0
    assert model_bytes(store) == model_bytes(tmp_path / "whole.db")


def test_unlabelled_rows_are_learned_on_demand(store, tmp_path):
    path = write_csv(tmp_path / "a.csv", [{**row, "decision": ""} if i % 2 else row
                                          for i, row in enumerate(ROWS)])  # fmt: skip
    consume(path, store)
    consume(path, tmp_path / "all.db", "--learn-unlabelled")
    found = [boxwise.loads(model_bytes(one)) for one in (store, tmp_path / "all.db")]
    assert [rows_learned(clf._fitted()) for clf in found] == [300, 600]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--numeric", "decision"), "'decision' is the --label already"),
        (("--weight", "decision"), "'decision' is the --label already"),
        (("--numeric", "age", "--categorical", "age"), "'age' is given with --numeric and with"),
        (("--algorithm", "agglo-2"), "needs all rows at once"),
        (("--algorithm", "onln-gfmm", "--alarm-command", "true"), "raises no alarms"),
        (("--theta", "-1"), "theta"),
        (("-o", "loans.csv"), "is a file to read, and would be overwritten"),
    ],
)
def test_wrong_usage_is_refused_before_anything_is_read(
    csv_file, store, monkeypatch, options, problem
):
    monkeypatch.chdir(csv_file.parent)
    run = consume(csv_file, store, *options)
    assert run.exit_code == 2
    assert problem in run.output
    assert not store.exists()


@pytest.mark.parametrize(
    ("source", "options", "problem"),
    [
        ("loans.csv", (), "loans.csv is no stream; write csv:FILE"),
        ("csv:none.csv", (), "there is no file 'none.csv'"),
        ("csv:{file}", ("--model", "a b"), "a model cannot be called 'a b'"),
        ("csv:{file}", ("-o", "none/a.jsonl"), "none/a.jsonl cannot be written"),
        ("csv:{file}", ("--store", "none/m.db"), "there is no folder"),
        ("csv:{file}", ("-o", "a.jsonl", "--dead-letter", "a.jsonl"), "cannot both go to a.jsonl"),
    ],
)
def test_what_cannot_be_used_is_an_error(csv_file, store, monkeypatch, source, options, problem):
    monkeypatch.chdir(csv_file.parent)
    run = command("consume", source.format(file=csv_file), "--store", store, *LABEL, *options)
    assert run.exit_code == 1
    assert problem in run.output


def test_without_a_label_there_is_nothing_to_begin_with(csv_file, store):
    run = consume(csv_file, store, label=())
    assert run.exit_code == 1
    assert "without --label none can be learned" in run.output
