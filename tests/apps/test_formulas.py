"""Classes, categories and columns with names that a spreadsheet would run as formulas."""

import csv
import io
import json

import pytest

from tests.apps.running import boxwise, write_csv

LABELS = ["=cmd()", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-1", "+1", "home"]
WRITTEN = ["'=cmd()", "'+1+1", "'-2+3", "'@SUM(A1)", "'\t=1", "'\r=1", "-1", "+1", "home"]


@pytest.fixture
def model_and_data(tmp_path):
    rows = [{"=size": i * 10 - 45.5, "label": label} for i, label in enumerate(LABELS)]
    data = write_csv(tmp_path / "data.csv", rows)
    model = tmp_path / "m.box"
    assert boxwise("learn", data, "--label", "label", "-o", model, "-q").exit_code == 0
    return model, data


def table(text):
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    return [dict(zip(header, row, strict=True)) for row in rows]


def csv_of(tmp_path, *arguments):
    out = tmp_path / "out.csv"
    assert boxwise(*arguments, "-o", out, "-q").exit_code == 0
    return table(out.read_bytes().decode())


def test_predict_escapes_text_and_leaves_numbers(tmp_path, model_and_data):
    found = csv_of(tmp_path, "predict", *model_and_data, "--why", "--proba")
    assert [row["prediction"] for row in found] == WRITTEN
    assert found[0]["rule"].startswith("'=cmd(), 1 row: =size")
    assert found[6]["rule"].startswith("'-1, 1 row")  # text that goes on is no number
    assert found[8]["rule"].startswith("home")
    assert [row["row"] for row in found] == [str(i + 1) for i in range(len(LABELS))]
    assert all(0 <= float(row["share"]) <= 1 for row in found)


def test_predict_writes_text_as_it_is_if_asked(tmp_path, model_and_data):
    found = csv_of(tmp_path, "predict", *model_and_data, "--no-escape-formulas")
    assert [row["prediction"] for row in found] == LABELS


def test_predict_does_not_escape_json(model_and_data):
    run = boxwise("predict", *model_and_data, "--to", "jsonl", "-q")
    assert [json.loads(line)["prediction"] for line in run.stdout.splitlines()] == LABELS


def test_predict_leaves_classes_that_are_numbers(tmp_path):
    data = tmp_path / "data.jsonl"
    data.write_text('{"x": 1.5, "y": -1}\n{"x": -1.5, "y": 1}\n')
    learn = ("learn", data, "--label", "y", "-o", tmp_path / "m.box", "-q")
    assert boxwise(*learn).exit_code == 0
    found = csv_of(tmp_path, "predict", tmp_path / "m.box", data)
    assert [row["prediction"] for row in found] == ["-1", "1"]


def test_rules_escape_text_and_leave_numbers(tmp_path, model_and_data):
    model, _ = model_and_data
    found = csv_of(tmp_path, "rules", model, "--to", "csv")
    assert sorted(row["label"] for row in found) == sorted(WRITTEN)
    assert all(row["rule"].startswith("'=size ") for row in found)
    assert all(row["rows"] == "1" for row in found)
    plain = csv_of(tmp_path, "rules", model, "--to", "csv", "--no-escape-formulas")
    assert sorted(row["label"] for row in plain) == sorted(LABELS)
    assert all(row["rule"].startswith("=size ") for row in plain)
