"""`boxwise learn` makes the model of `partial_fit` with all rows, byte for byte."""

import json

import numpy as np
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier, dumps, load
from boxwise.datasets import loans
from tests.apps.running import boxwise, write_csv

FIRST = 120  # rows that decide the kinds of columns here
N = 400
ROWS, LABELS = loans(N, function=7, noise=0.05, seed=3)
ROWS = [{name: row[name] for name in ("salary", "age", "education")} for row in ROWS]
LEARNERS = {"hyperbox": HyperboxClassifier, "eiol-gfmm": EIOLGFMM}
TABLES = {
    "plain": ROWS,
    "numbers become text": [
        r | {"x": i % 7 if i < 60 else f"t{i % 3}"} for i, r in enumerate(ROWS)
    ],
    "late numbers": [r | {"x": None if i < 200 else i % 7 / 2} for i, r in enumerate(ROWS)],
    "late text": [r | {"x": None if i < 200 else f"t{i % 3}"} for i, r in enumerate(ROWS)],
    "late text, then numbers": [
        r | {"x": None if i < 200 else f"t{i % 3}" if i < 205 else i % 4}
        for i, r in enumerate(ROWS)
    ],
    "never a value": [r | {"x": None} for r in ROWS],
    "missing values": [
        r | {"age": None if i % 3 else r["age"], "x": None if i % 5 else "v"}
        for i, r in enumerate(ROWS)
    ],
}


@pytest.fixture(autouse=True)
def _few_first_rows(monkeypatch):
    monkeypatch.setattr("boxwise.files.kinds.KIND_ROWS", FIRST)


def table_of(rows, numeric, *, typed):
    """Return the rows as columns; text files know no numbers but in numeric columns."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return {
        name: np.array(cells, dtype=np.float64)
        if name in numeric
        else cells
        if typed
        else [None if cell is None else str(cell) for cell in cells]
        for name, cells in columns.items()
    }


def learned(tmp_path, rows, *options, form="csv"):
    every = [row | {"label": label} for row, label in zip(rows, LABELS, strict=True)]
    path = tmp_path / f"rows.{form}"
    if form == "csv":
        write_csv(path, every)
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in every))
    model = tmp_path / "m.box"
    return boxwise("learn", path, "--label", "label", "-o", model, "-q", *options), model


@pytest.mark.parametrize("algorithm", LEARNERS)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("name", TABLES)
def test_learn_makes_the_model_of_partial_fit_with_the_whole_table(tmp_path, name, form, algorithm):
    rows = TABLES[name]
    run, path = learned(tmp_path, rows, "--algorithm", algorithm, "--chunk-rows", "37", form=form)
    assert run.exit_code == 0, run.stderr
    schema = load(path).schema_
    table = table_of(rows, schema.numeric_names, typed=form == "jsonl")
    clf = LEARNERS[algorithm](categorical_features=[*schema.categorical_names])
    if schema.unknown:  # a list says of all columns what they are
        clf.set_params(categorical_features="from_dtype")
    clf.partial_fit(table, LABELS)
    assert clf.schema_ == schema
    if schema.unknown:
        clf.set_params(categorical_features=[*schema.categorical_names])
    assert dumps(clf) == path.read_bytes()


def test_numbers_that_become_text_late_are_refused_with_the_remedy_which_works(tmp_path):
    rows = [r | {"x": i % 7 if i < 200 else f"t{i % 3}"} for i, r in enumerate(ROWS)]
    run, path = learned(tmp_path, rows)
    assert run.exit_code == 1
    assert not path.exists()
    assert "line 202, column 'x': 't2' is not a number" in run.stderr
    assert "--categorical" in run.stderr
    run, path = learned(tmp_path, rows, "--categorical", "x")
    assert run.exit_code == 0
    clf = HyperboxClassifier(categorical_features=["education", "x"])
    clf.partial_fit(table_of(rows, ("salary", "age"), typed=False), LABELS)
    assert dumps(clf) == path.read_bytes()


def test_help_says_what_differs_from_fit():
    text = " ".join(boxwise("learn", "--help").stdout.split())
    assert (
        "The model is that of partial_fit with all rows, byte for byte; that of fit differs" in text
    )
