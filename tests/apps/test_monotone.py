"""Columns with which a class only gets likelier, on the command line."""

import json

import numpy as np
import pytest

from boxwise import HyperboxClassifier, dumps, load
from boxwise.datasets import loans
from tests.apps.running import boxwise, write_csv

ROWS, LABELS = loans(600, function=7, noise=0.05, seed=1)
ROWS = [{name: value for name, value in row.items() if name != "zip_code"} for row in ROWS]
LABEL = ("--label", "decision")


@pytest.fixture
def data(tmp_path):
    rows = [{**row, "decision": label} for row, label in zip(ROWS, LABELS, strict=True)]
    return write_csv(tmp_path / "loans.csv", rows)


def chances(clf, column):
    place = clf.classes_.tolist().index("approved")
    values = np.linspace(-1e5, 7e5, 60).tolist()
    return clf.predict_proba([{**ROWS[0], column: x} for x in values])[:, place]


def test_learn_constrains_the_columns_and_inspect_shows_it(data, tmp_path):
    path = tmp_path / "m.box"
    options = ("--monotone", "salary:+approved", "--monotone", "loan:-approved")
    assert boxwise("learn", data, *LABEL, "-o", path, *options).exit_code == 0
    clf = load(path)
    assert clf.monotonic_cst == {"salary": {"approved": 1}, "loan": {"approved": -1}}
    assert np.diff(chances(clf, "salary")).min() >= -1e-12
    assert np.diff(chances(clf, "loan")).max() <= 1e-12
    shown = boxwise("inspect", path).output
    assert "the more, the likelier approved" in shown
    assert "the more, the less likely approved" in shown
    page = tmp_path / "m.html"
    assert boxwise("report", path, "-o", page).exit_code == 0
    assert "the more, the less likely approved" in page.read_text(encoding="utf-8")
    columns = json.loads(boxwise("inspect", path, "--json").output)["columns"]
    found = {c["name"]: c["monotone"] for c in columns if "monotone" in c}
    assert found == {"salary": ["approved", 1], "loan": ["approved", -1]}
    like = HyperboxClassifier(**clf.get_params()).partial_fit(ROWS, LABELS)
    assert dumps(like) == dumps(clf)
    assert boxwise("learn", data, *LABEL, "--into", path).exit_code == 0
    assert np.diff(chances(load(path), "salary")).min() >= -1e-12


def test_without_a_class_it_is_the_second_of_two(data, tmp_path):
    path = tmp_path / "m.box"
    assert boxwise("learn", data, *LABEL, "-o", path, "--monotone", "salary:-").exit_code == 0
    assert load(path).monotonic_cst == {"salary": {"declined": -1}}
    text = data.read_text().replace("declined", "referred", 40)
    data.write_text(text)
    refused = boxwise("learn", data, *LABEL, "-o", path, "--monotone", "salary:-")
    assert refused.exit_code == 2
    assert "the first rows have 3; name the class: salary:-" in refused.output


@pytest.mark.parametrize("command", ["learn", "evaluate"])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("salary", "'salary' has no sign; write salary:+CLASS"),
        ("salary:approved", "has no sign; write salary:+CLASS"),
        ("salry:+approved", "there is no column 'salry'"),
        ("car:+approved", "column 'car' is categorical"),
    ],
)
def test_what_makes_no_sense_is_refused(data, tmp_path, command, given, words):
    output = ("-o", tmp_path / "m.box") if command == "learn" else ()
    run = boxwise(command, data, *LABEL, *output, "--monotone", given)
    assert run.exit_code == 2
    assert words in run.output
    assert "--monotone" in run.output


def test_other_refusals(data, tmp_path):
    path = tmp_path / "m.box"
    twice = ("--monotone", "salary:+approved", "--monotone", "salary:-approved")
    run = boxwise("learn", data, *LABEL, "-o", path, *twice)
    assert (run.exit_code, "'salary' is given twice" in run.output) == (2, True)
    run = boxwise("learn", data, *LABEL, "-o", path, *twice[:2], "--algorithm", "eiol-gfmm")
    assert (run.exit_code, "it is for --algorithm hyperbox" in run.output) == (2, True)
    boxwise("learn", data, *LABEL, "-o", path)
    run = boxwise("learn", data, *LABEL, "--into", path, *twice[:2])
    assert (run.exit_code, "leave out --algorithm" in run.output) == (2, True)


def test_a_class_without_a_row_is_named(data, tmp_path):
    run = boxwise("learn", data, *LABEL, "-o", tmp_path / "m.box", "--monotone", "salary:+yes")
    assert run.exit_code == 0
    assert "no row has the class 'yes' of --monotone, so salary constrains nothing" in run.output


def test_parts_learned_apart_merge_to_a_monotone_model(data, tmp_path):
    path, other = tmp_path / "m.box", tmp_path / "b.csv"
    other.write_text(data.read_text())
    run = boxwise(
        "learn", data, other, *LABEL, "-o", path, "--jobs", 1, "--monotone", "salary:+approved"
    )
    assert run.exit_code == 0
    assert np.diff(chances(load(path), "salary")).min() >= -1e-12


def test_evaluate_cross_validates_with_it(data):
    run = boxwise("evaluate", data, *LABEL, "--cv", 3, "--monotone", "salary:+approved")
    assert run.exit_code == 0


def test_serve_and_consume_ask_for_the_class(tmp_path):
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"columns": [{"name": "salary", "kind": "numeric"}]}))
    monotone = ("--monotone", "salary:+")
    run = boxwise("serve", "--new", "--schema", schema, "--store", tmp_path / "s.db", *monotone)
    assert (run.exit_code, "name the class: salary:+CLASS" in run.output) == (2, True)
    rows = tmp_path / "rows.csv"
    rows.write_text("salary,decision\n" + "1,yes\n2,no\n" * 30)
    stream = (f"csv:{rows}", "--label", "decision", "--store", tmp_path / "c.db")
    run = boxwise("consume", *stream, *monotone)
    assert (run.exit_code, "name the class: salary:+CLASS" in run.output) == (2, True)
    run = boxwise("consume", *stream, "--monotone", "salary:+yes", "--save", tmp_path / "m.box")
    assert run.exit_code == 0, run.output
    clf = load(tmp_path / "m.box")
    assert clf._model.settings.monotone == [["salary", "yes", 1]]
    assert np.diff(clf.predict_proba([{"salary": x} for x in range(5)])[:, 1]).min() >= -1e-12
