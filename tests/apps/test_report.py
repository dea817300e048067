"""``boxwise report``."""

import pytest

from tests.apps.running import boxwise, write_csv
from tests.apps.staff import learned, rows
from tests.report.reading import read


@pytest.fixture
def files(tmp_path):
    return learned(tmp_path, 90)


def test_a_page_is_written_and_its_size_said(files, tmp_path):
    model, data = files
    out = tmp_path / "report.html"
    run = boxwise("report", model, "--data", data, "--label", "pay", "-o", out)
    assert (run.exit_code, run.stdout) == (0, "")
    assert "MB, loads nothing from elsewhere" in run.stderr
    page = read(out.read_text(encoding="utf-8"))
    assert page.text().startswith("staff.box")
    assert "Measured on 90 rows" in page.text("quality")
    assert "row 0:" not in page.text("decisions")  # rows are counted from 1, as in explain


def test_the_one_column_that_the_model_does_not_have_is_the_label(files, tmp_path):
    model, data = files
    out = tmp_path / "report.html"
    run = boxwise("report", model, "--data", data, "-o", out, "--max-rows", "20")
    assert run.exit_code == 0
    assert "the classes are in column 'pay'" in run.stderr
    assert "20 rows, drawn at random from 90" in read(out.read_text()).text("quality")
    more = write_csv(tmp_path / "more.csv", [{**row, "name": "x"} for row in rows(9)])
    run = boxwise("report", model, "--data", more, "-o", out)
    assert run.exit_code == 2
    assert "needs --label, the column of the classes: 'pay' or 'name'" in run.stderr


def test_without_data_it_shows_what_the_model_knows(files, tmp_path):
    out = tmp_path / "report.html"
    run = boxwise("report", files[0], "-o", out, "--title", "Staff & pay", "-q")
    assert (run.exit_code, run.output) == (0, "")
    page = read(out.read_text())
    assert page.text().startswith("Staff & pay")
    assert "No rows were given" in page.text("quality")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--label", "pay", "-o", "report.html"], 2, "column of --data, which is not given"),
        (["--data", "staff.csv", "-o", "staff.csv"], 2, "would be overwritten"),
        (["--data", "none.csv", "--label", "pay", "-o", "report.html"], 1, "none.csv"),
        (["--data", "staff.csv", "--label", "pey", "-o", "report.html"], 1, "pay"),
        (["-o", "nowhere/report.html"], 1, "there is no folder"),
        ([], 2, "--output"),
    ],
)
def test_wrong_usage_is_told_and_nothing_is_written(
    files, tmp_path, monkeypatch, arguments, code, message
):
    monkeypatch.chdir(tmp_path)
    run = boxwise("report", "staff.box", *arguments)
    assert run.exit_code == code
    assert message in run.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"staff.box", "staff.csv"}


def test_rows_that_are_left_out_are_told(files, tmp_path):
    bad = write_csv(tmp_path / "bad.csv", [*rows(30), {"age": "old", "job": "cook", "pay": "low"}])
    out = tmp_path / "report.html"
    given = ("report", files[0], "--data", bad, "--label", "pay", "-o", out)
    run = boxwise(*given)
    assert run.exit_code == 1
    assert "'old' is not a number" in run.stderr
    assert not out.exists()
    run = boxwise(*given, "--on-error", "skip")
    assert run.exit_code == 3
    assert "1 row was left out" in run.stderr
    assert "Measured on 30 rows" in read(out.read_text()).text("quality")


@pytest.mark.parametrize("label", [("--label", "pay"), ()])
def test_groups_may_be_columns_that_the_model_does_not_have(files, tmp_path, label):
    model, data = files
    lines = data.read_text().splitlines()
    grouped = [f"{line},{'team' if i == 0 else 'ab'[i % 2]}" for i, line in enumerate(lines)]
    more = tmp_path / "more.csv"
    more.write_text("\n".join(grouped))
    out = tmp_path / "report.html"
    run = boxwise("report", model, "--data", more, *label, "--group", "team", "-o", out)
    assert run.exit_code == 0, run.output
    assert "ignored" not in run.stderr
    assert "a * 45 " in read(out.read_text()).text("groups")


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--group", "team"), 2, "there is no column 'team'"),
        (("--group", "pay"), 2, "'pay' is the --label"),
        (("--cost", "fn=5"), 2, "the cost fp is not given"),
        (("--positive", "x"), 2, "no row read so far is of the class 'x'"),
    ],
)
def test_groups_and_costs_that_cannot_be_are_refused(files, tmp_path, options, code, words):
    out = tmp_path / "report.html"
    run = boxwise("report", files[0], "--data", files[1], "--label", "pay", "-o", out, *options)
    assert run.exit_code == code
    assert words in run.stderr
    assert not out.exists()


def test_groups_and_costs_need_data(files, tmp_path):
    run = boxwise("report", files[0], "-o", tmp_path / "report.html", "--cost", "fn=5,fp=1")
    assert run.exit_code == 2
    assert "need --data" in run.stderr
