"""Numeric columns that may be codes are named once, with the options that settle it."""

import json

import numpy as np
import pandas as pd
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier, load
from tests.apps.running import boxwise

N = 400
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "machine": RNG.integers(1, 9, N),
        "my, flag": RNG.integers(0, 2, N),
        "children": RNG.poisson(1.2, N).clip(0, 5),
        "weight": RNG.normal(70, 9, N).round(1),
        "city": RNG.choice(["Rome", "Oslo"], N),
    }
)
LABELS = np.where(TABLE["machine"] % 2 == 0, "yes", "no")
NOTE = (
    "boxwise: numeric, but they may be codes: machine (8 different whole numbers), my, flag (2); "
    "--categorical machine --categorical 'my, flag' if so, "
    "--numeric machine --numeric 'my, flag' if not, which also ends this note\n"
)


@pytest.fixture
def data(tmp_path):
    TABLE.assign(label=LABELS).to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path / "rows.csv"


@pytest.mark.parametrize("chunk_rows", [1, 50, 2000])
def test_learn_and_evaluate_name_them_once(data, tmp_path, chunk_rows):
    options = ("--label", "label", "--chunk-rows", chunk_rows)
    for command in (("learn", data, "-o", tmp_path / "m.box"), ("evaluate", data)):
        run = boxwise(*command, *options)
        assert run.stderr.count("may be") == 1
        assert NOTE in run.stderr
        assert "may be" not in boxwise(*command, *options, "-q").stderr


def test_the_options_of_the_note_end_it(data, tmp_path):
    target = tmp_path / "m.box"
    learn = ("learn", data, "--label", "label", "-o", target)
    flag = ("--numeric", "my, flag")
    run = boxwise(*learn, *flag)
    assert "it may be a code: machine (8 different whole numbers); --categorical machine if" in (
        run.stderr
    )
    for option, kind in (("--numeric", "numeric"), ("--categorical", "categorical")):
        run = boxwise(*learn, *flag, option, "machine")
        assert "may be" not in run.stderr
        assert load(target).schema_.columns[0].kind == kind
    assert "may be" not in boxwise("learn", data, "--label", "label", "--into", target).stderr


def test_columns_of_one_value_are_named_with_the_option_that_leaves_them_out(tmp_path):
    file = tmp_path / "rows.csv"
    table = TABLE[["weight"]].assign(unit="kg", year=2024, gap=[1] * (N - 1) + [None], label=LABELS)
    table.to_csv(file, index=False)
    run = boxwise("evaluate", file, "--label", "label")
    note = (
        "one value each in all of the first rows: year (2024), unit (kg); --drop year,unit leaves"
    )
    assert note in run.stderr
    assert "one value in" not in boxwise("evaluate", file, "--label", "label", "-q").stderr
    run = boxwise("learn", file, "--label", "label", "-o", tmp_path / "m.box", "--drop", "unit")
    assert "boxwise: one value in all of the first rows: year (2024); --drop year" in run.stderr
    table[:99].to_csv(file, index=False)
    assert "one value" not in boxwise("evaluate", file, "--label", "label").stderr


def test_inspect_names_them(data, tmp_path):
    target = tmp_path / "m.box"
    boxwise("learn", data, "--label", "label", "-o", target, "-q")
    line = "machine, my, flag may be codes; if so, learn anew with --categorical machine"
    assert line in boxwise("inspect", target).stdout
    found = json.loads(boxwise("inspect", target, "--json").stdout)
    assert found["possible_codes"] == ["machine", "my, flag"]
    boxwise("learn", data, "--label", "label", "-o", target, "-q", "--categorical", "machine")
    assert json.loads(boxwise("inspect", target, "--json").stdout)["possible_codes"] == ["my, flag"]


def test_an_estimator_has_them_as_an_attribute_and_warns_of_nothing(recwarn):
    for clf in (HyperboxClassifier().fit(TABLE, LABELS), EIOLGFMM(scale="quantile")):
        clf = clf.partial_fit(TABLE, LABELS)
        assert clf.possible_codes_ == ["machine", "my, flag"]
    assert EIOLGFMM().fit(TABLE, LABELS).possible_codes_ == []
    clf = HyperboxClassifier(categorical_features=["machine", "my, flag", "city"])
    assert clf.fit(TABLE, LABELS).possible_codes_ == []
    assert not recwarn.list


def test_a_long_stream_still_knows_the_values_of_such_columns():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(3, 9, 60_000), rng.integers(0, 60_000, 60_000)])
    clf = HyperboxClassifier(max_boxes=20, additive=False).partial_fit(X, X[:, 0] % 2)
    assert clf.possible_codes_ == ["x0"]
