"""``boxwise rules``."""

import csv
import io

import pytest

from boxwise import HyperboxClassifier, load
from boxwise.rules import RuleSet
from tests.apps.running import boxwise
from tests.apps.staff import learned, rows


@pytest.fixture
def files(tmp_path):
    return learned(tmp_path, 300)


def test_every_box_is_a_rule_and_the_limit_is_said(files):
    model, _ = files
    run = boxwise("rules", model)
    assert run.exit_code == 0
    assert len(run.stdout.splitlines()) == load(model).n_boxes_
    assert "IF age " in run.stdout and "(from " in run.stdout
    run = boxwise("rules", model, "--limit", "2")
    assert len(run.stdout.splitlines()) == 2
    assert "more rules; --limit shows more" in run.stderr


def test_rules_are_measured_on_rows(files):
    model, data = files
    run = boxwise("rules", model, "--data", data, "--label", "pay", "-q")
    assert "(covers " in run.stdout and "% right)" in run.stdout


def test_simplified_rules_are_few_and_say_how_faithful_they_are(files):
    model, data = files
    run = boxwise("rules", model, "--data", data, "--label", "pay", "--simplify", "0.9")
    assert run.exit_code == 0
    assert run.stdout.splitlines()[-1].split(". ")[1].startswith("OTHERWISE ")
    assert "they agree with the model on" in run.stderr


def test_formats(files, tmp_path):
    model, data = files
    made = {}
    for form in ("text", "markdown", "html", "json", "csv"):
        out = tmp_path / f"rules.{form}"
        run = boxwise(
            "rules", model, "--data", data, "--label", "pay", "--to", form, "-o", out, "-q"
        )
        assert (run.exit_code, run.output) == (0, "")
        made[form] = out.read_text()
    clf = load(model)
    assert len(RuleSet.from_json(made["json"])) == clf.n_boxes_
    assert len([*csv.DictReader(io.StringIO(made["csv"]))]) == clf.n_boxes_
    assert made["markdown"].startswith("|  | if | then |")
    assert made["html"].startswith("<table")


def test_one_class_only(files):
    model, _ = files
    run = boxwise("rules", model, "--class", "high")
    assert all("THEN high" in line for line in run.stdout.splitlines())
    run = boxwise("rules", model, "--class", "middling")
    assert run.exit_code == 2
    assert "there is no class 'middling'; there are" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--label", "pay"], "needs --data as well"),
        (["--data", "staff.csv"], "needs --label as well"),
        (["--simplify", "0.9"], "give --data and --label"),
    ],
)
def test_wrong_usage_is_told(files, arguments, message):
    run = boxwise("rules", files[0], *arguments)
    assert run.exit_code == 2
    assert message in run.stderr


def test_bad_rows_are_named_or_left_out(files, tmp_path):
    model, _ = files
    bad = tmp_path / "bad.csv"
    bad.write_text("age,job,pay\n30,cook,low\nold,cook,low\n")
    run = boxwise("rules", model, "--data", bad, "--label", "pay")
    assert run.exit_code == 1
    assert "column 'age': 'old' is not a number" in run.stderr
    run = boxwise("rules", model, "--data", bad, "--label", "pay", "--on-error", "skip")
    assert run.exit_code == 3
    assert "1 row was left out" in run.stderr


@pytest.mark.parametrize(
    "command",
    [["predict"], ["explain"],
     ["rules", "--label", "pay", "--simplify", "0.9", "--data"]],
    ids=" ".join,
)  # fmt: skip
def test_a_model_without_a_class_is_refused_with_a_message(command, files, tmp_path):
    _, data = files
    known = [{"age": row["age"], "job": row["job"]} for row in rows(20)]
    model = tmp_path / "unlabelled.box"
    HyperboxClassifier(unlabelled="?").fit(known, ["?"] * 20).save(model)
    name, *options = command
    run = boxwise(name, model, *options, data)
    assert run.exit_code == 1
    assert "no row with a label" in run.stderr
