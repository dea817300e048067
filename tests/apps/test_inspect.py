"""``boxwise inspect``: what is in a model file, in words and as JSON."""

import json
from pathlib import Path

import pytest

from boxwise import (
    AgglomerativeGFMM,
    CastilloGFMM,
    HyperboxClassifier,
    ImprovedOnlineGFMM,
    OnlineGFMM,
    ShindeGFMM,
)
from boxwise.learners.description import ALGORITHMS
from boxwise.learners.saved import _LEARNERS
from tests.apps.running import boxwise

TABLE = {"age": [31.0, 33.0, 70.0], "job": ["cook", "cook", None]}
LABELS = ["yes", "yes", "no"]


def inspect(path, *options):
    run = boxwise("inspect", path, *options)
    assert run.exit_code == 0, run.stderr
    return run.stdout


def test_columns_classes_boxes_and_sizes_are_told(tmp_path):
    clf = HyperboxClassifier(theta=1.25).partial_fit(TABLE, LABELS)
    clf.save(tmp_path / "m.box")
    text = inspect(tmp_path / "m.box")
    assert "algorithm   boxes by likelihood" in text
    assert "theta=1.25" in text
    assert "n_jobs" not in text  # which is no property of a model
    assert "n_jobs=None" in inspect(tmp_path / "m.box", "--full")
    assert all(len(line) <= 80 for line in text.splitlines()[1:])  # the first has the path
    assert "learned     3 rows, 2 boxes" in text
    assert "  age  numeric      31 to 70\n" in text
    assert "  job  categorical  2: cook, missing\n" in text
    assert "  no   1 row   1 box\n" in text
    assert "  yes  2 rows  1 box" in text
    assert f"{(tmp_path / 'm.box').stat().st_size / 1024:.1f} KB; " in text


def test_rows_of_fractional_weight_are_rounded(tmp_path):
    weights = [0.027511119, 0.027511119, 1.5]
    clf = HyperboxClassifier().partial_fit(TABLE, LABELS, sample_weight=weights)
    clf.save(tmp_path / "m.box")
    text = inspect(tmp_path / "m.box")
    assert "  no   1.5 rows      1 box\n" in text
    assert "  yes  0.05502 rows  2 boxes" in text


def test_json_holds_everything(tmp_path):
    clf = HyperboxClassifier(theta=1.25).partial_fit(TABLE, LABELS)
    clf.save(tmp_path / "m.box")
    data = json.loads(inspect(tmp_path / "m.box", "--json"))
    assert data["learner"] == "HyperboxClassifier"
    assert data["parameters"]["theta"] == 1.25
    assert (data["rows"], data["boxes"]) == (3, 2)
    assert data["file_bytes"] == (tmp_path / "m.box").stat().st_size
    assert data["memory_bytes"] > 0
    assert data["columns"] == [
        {"name": "age", "kind": "numeric", "low": 31, "high": 70},
        {"name": "job", "kind": "categorical", "values": ["cook", None]},
    ]
    assert data["classes"] == [
        {"class": "no", "boxes": 1, "rows": 1},
        {"class": "yes", "boxes": 1, "rows": 2},
    ]


def test_long_vocabularies_and_many_classes_are_shortened_unless_asked_for(tmp_path):
    names = [f"word{i}" for i in range(30)]
    clf = HyperboxClassifier().partial_fit({"w": names}, [f"class{i:02}" for i in range(30)])
    clf.save(tmp_path / "m.box")
    short, full = inspect(tmp_path / "m.box"), inspect(tmp_path / "m.box", "--full")
    assert "30: word0, word1" in short
    assert "and 22 more" in short
    assert "word29" not in short
    assert "and 10 more (--full shows all)" in short
    assert "word29" in full
    assert "class29" in full
    assert "more" not in full


def test_a_column_of_which_nothing_was_seen_and_boxes_without_a_class_are_told(tmp_path):
    clf = HyperboxClassifier(unlabelled="?", categorical_features=[])
    clf.partial_fit([{"a": None, "b": 1.0}, {"a": None, "b": 9.0}], ["?", "x"])
    clf.save(tmp_path / "m.box")
    text = inspect(tmp_path / "m.box")
    assert "  a  numeric  missing\n" in text
    assert "  ?  1 row  1 box" in text


@pytest.mark.parametrize(
    "learner",
    [
        AgglomerativeGFMM,
        CastilloGFMM,
        HyperboxClassifier,
        ImprovedOnlineGFMM,
        OnlineGFMM,
        ShindeGFMM,
    ],
)
def test_every_learner_can_be_inspected(tmp_path, learner):
    learner().fit({"a": [1.0, 2.0, 9.0]}, [1, 1, 2]).save(tmp_path / "m.box")
    text = inspect(tmp_path / "m.box")
    assert f"{learner.__name__}(" in text
    assert json.loads(inspect(tmp_path / "m.box", "--json"))["rows"] == 3


def test_every_learner_that_can_be_loaded_has_the_name_of_its_algorithm():
    assert ALGORITHMS.keys() == _LEARNERS.keys()


def test_what_is_no_model_file_is_named(tmp_path):
    (tmp_path / "m.box").write_text("hello")
    run = boxwise("inspect", tmp_path / "m.box")
    assert run.exit_code == 1
    assert "not a boxwise model file" in run.stderr


def test_a_warning_is_a_line_without_source(tmp_path):
    old = Path(__file__).parents[1] / "store" / "files" / "evidence_v1.box"
    run = boxwise("inspect", old)
    assert run.exit_code == 0
    assert "boxwise: the model was learned with alpha=0.3, which HyperboxClassifier" in run.stderr
    assert "UserWarning" not in run.stderr
    assert ".py" not in run.stderr
