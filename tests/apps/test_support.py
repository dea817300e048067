"""``boxwise predict`` and ``boxwise explain`` on rows of which the model knows few like them."""

import csv
import io
import json

import pytest

import boxwise as library
from tests.apps.running import boxwise, write_csv
from tests.apps.staff import learned

STRANGE = [{"age": 40, "job": "smith"}, {"age": 400, "job": "pilot"}]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("staff")
    model, _ = learned(folder, 300)
    return model, write_csv(folder / "new.csv", STRANGE)


def test_predict_adds_the_support_of_each_row(files):
    model, data = files
    run = boxwise("predict", model, data, "--support")
    assert run.exit_code == 0, run.stderr
    rows = [*csv.DictReader(io.StringIO(run.stdout))]
    expected = library.load(model).support(STRANGE)
    assert [float(row["support"]) for row in rows] == expected.tolist()
    assert [*rows[0]] == ["row", "prediction", "support"]
    assert run.stderr == ""


def test_support_stands_between_probabilities_and_reason_and_in_json(files):
    model, data = files
    header = boxwise("predict", model, data, "--support", "--proba", "--why").stdout
    assert header.splitlines()[0] == ("row,prediction,proba_high,proba_low,support,box,share,rule")
    run = boxwise("predict", model, data, "--support", "--to", "jsonl")
    assert {*json.loads(run.stdout.splitlines()[0])} == {"row", "prediction", "support"}


def test_with_proba_a_line_counts_rows_like_few(files):
    model, data = files
    run = boxwise("predict", model, data, "--proba")
    assert run.stderr == "boxwise: low support: 1 of 2 rows below 5 learned rows\n"
    assert boxwise("predict", model, data, "--proba", "-q").stderr == ""
    assert boxwise("predict", model, data).stderr == ""


def test_explain_says_that_few_rows_are_like_this(files):
    model, data = files
    run = boxwise("explain", model, data, "--no-counterfactual")
    known, strange = run.stdout.split("-" * 80)
    assert "low support" not in known
    assert "low support: " in strange


def test_models_without_support_say_so(tmp_path):
    rows = [{"age": 20, "pay": "low"}, {"age": 60, "pay": "high"}]
    data, model = write_csv(tmp_path / "a.csv", rows), tmp_path / "m.box"
    boxwise("learn", data, "--label", "pay", "-o", model, "--algorithm", "eiol-gfmm", "-q")
    run = boxwise("predict", model, data, "--support")
    assert run.exit_code == 1
    assert "is a EIOLGFMM, which knows no support; leave out --support" in run.stderr
    assert boxwise("predict", model, data, "--proba").stderr == ""
