"""``boxwise learn`` asks whether many numbers are classes, and refuses thousands."""

import json

import pytest

from boxwise import load
from tests.apps.running import boxwise, write_csv


def learn(*arguments):
    return boxwise("learn", *arguments, "--label", "decision")


def numbered_rows(n_classes, n=400, first=0):
    return [{"a": i % 7, "b": i % 3, "decision": first + i % n_classes} for i in range(n)]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_many_numbers_as_labels_are_questioned(tmp_path, form):
    def run(n_classes, *more):
        path = tmp_path / f"a.{form}"
        if form == "csv":
            write_csv(path, numbered_rows(n_classes))
        else:
            lines = [json.dumps(row) + "\n" for row in numbered_rows(n_classes)]
            path.write_text("".join(lines))
        found = learn(path, "-o", tmp_path / "m.box", *more)
        assert found.exit_code == 0
        return found.stderr

    remark = (
        "boxwise: column 'decision' has 74 different numbers so far, and each is a class of its "
        "own; if they are a quantity, choose another --label, or make classes of them, such as low "
        "and high; if not, --classes-are-numbers says so\n"
    )
    assert run(74).count(remark) == 1
    assert run(74, "--classes-are-numbers").count("different numbers") == 0
    assert run(74, "-q") == ""
    assert "different numbers" not in run(30)
    assert run(31).count("has 31 different numbers") == 1


def test_many_texts_as_labels_are_not_questioned(tmp_path):
    rows = [{**row, "decision": f"n{row['decision']}"} for row in numbered_rows(74)]
    run = learn(write_csv(tmp_path / "a.csv", rows), "-o", tmp_path / "m.box")
    assert "different numbers" not in run.stderr


@pytest.mark.parametrize("chunk_rows", [500, 2_000])
def test_thousands_of_numbers_as_labels_are_refused(tmp_path, chunk_rows):
    target = tmp_path / "m.box"
    options = ("-o", target, "--chunk-rows", chunk_rows)
    path = write_csv(tmp_path / "a.csv", numbered_rows(1_001, 1_200))
    run = learn(path, *options)
    assert run.exit_code == 1
    assert f"{path}, column 'decision': more than 1,000 different numbers, such as" in run.stderr
    assert "choose another --label" in run.stderr
    assert "give --classes-are-numbers" in run.stderr
    assert not target.exists()
    assert learn(path, *options, "--classes-are-numbers", "--only", "b").exit_code == 0
    assert len(load(target).classes_) == 1_001
    path = write_csv(tmp_path / "b.csv", numbered_rows(1_000, 1_200))
    assert learn(path, *options, "--only", "b").exit_code == 0


def test_thousands_of_numbers_as_labels_are_refused_when_they_come_late(tmp_path, monkeypatch):
    monkeypatch.setattr("boxwise.files.kinds.KIND_ROWS", 100)
    few, many = numbered_rows(2, 300), numbered_rows(1_100, 1_100)
    path = write_csv(tmp_path / "a.csv", [*few, *many, {"a": 1, "b": 1, "decision": ""}])
    run = learn(path, "-o", tmp_path / "m.box", "--chunk-rows", 50)
    assert run.exit_code == 1
    assert "more than 1,000 different numbers" in run.stderr
    assert run.stderr.count("different numbers so far") == 1
    assert "label is missing" not in run.stderr  # what comes after is not read
    assert not (tmp_path / "m.box").exists()


def test_numbers_that_are_classes_of_the_model_are_not_counted_again(tmp_path):
    target = tmp_path / "m.box"
    path = write_csv(tmp_path / "a.csv", numbered_rows(74))
    learn(path, "-o", target, "--classes-are-numbers")
    run = learn(path, "--into", target)
    assert (run.exit_code, run.stderr) == (0, "")
    before = target.read_bytes()
    others = write_csv(tmp_path / "b.csv", numbered_rows(1_001, 1_001, first=1_000))
    run = learn(others, "--into", target)
    assert run.exit_code == 1
    assert target.read_bytes() == before
    more = write_csv(tmp_path / "c.csv", numbered_rows(31, 62, first=1_000))
    assert "has 31 different numbers" in learn(more, "--into", target).stderr
