"""``boxwise predict``: the predictions of the library, by row number, with reasons."""

import csv
import io
import json

import pytest

import boxwise as library
from boxwise import (
    EIOLGFMM,
    AgglomerativeGFMM,
    CastilloGFMM,
    HyperboxClassifier,
    OnlineGFMM,
    ShindeGFMM,
)
from boxwise.datasets import LoanStream
from tests.apps.running import boxwise, write_csv


@pytest.fixture(scope="module")
def rows():
    return list(LoanStream(120, function=7, seed=2))


@pytest.fixture
def model(tmp_path, rows):
    clf = HyperboxClassifier(theta=0.4, delta=1.0)
    clf.fit([row for row, _ in rows[:80]], [label for _, label in rows[:80]])
    clf.save(tmp_path / "m.box")
    return clf


@pytest.fixture
def data(tmp_path, rows):
    return write_csv(tmp_path / "new.csv", [{**row, "decision": y} for row, y in rows])


def predict(tmp_path, *arguments, **more):
    return boxwise("predict", tmp_path / "m.box", *arguments, **more)


def table(run):
    return list(csv.DictReader(io.StringIO(run.stdout)))


def test_predictions_are_those_of_the_library_in_order(model, data, tmp_path, rows):
    run = predict(tmp_path, data)
    assert run.exit_code == 0
    expected = model.predict([row for row, _ in rows]).tolist()
    assert [row["prediction"] for row in table(run)] == expected
    assert [row["row"] for row in table(run)] == [str(i) for i in range(1, 121)]
    assert run.stderr == ""  # a single column besides is taken for the label


def test_columns_that_the_model_does_not_have_are_named(model, tmp_path, rows):
    more = [{**row, "decision": y, "note": "x"} for row, y in rows]
    run = predict(tmp_path, write_csv(tmp_path / "more.csv", more))
    assert run.stderr == "boxwise: ignored, not columns of the model: decision, note\n"


@pytest.mark.parametrize("chunk_rows", [1, 7, 10_000])
def test_the_result_does_not_depend_on_the_chunks(model, data, tmp_path, chunk_rows):
    whole = predict(tmp_path, data, "--proba", "--why")
    assert predict(tmp_path, data, "--proba", "--why", "--chunk-rows", chunk_rows).stdout == (
        whole.stdout
    )


def test_the_shares_of_the_classes_are_those_of_the_library(model, data, tmp_path, rows):
    shares = model.predict_proba([row for row, _ in rows]).tolist()
    read = [
        [float(row["proba_approved"]), float(row["proba_declined"])]
        for row in table(predict(tmp_path, data, "--proba"))
    ]
    assert read == shares


@pytest.mark.parametrize(
    ("learner", "measure", "ask"),
    [(HyperboxClassifier, "share", "responsibilities"), (EIOLGFMM, "membership", "membership")],
)
def test_the_reason_is_the_box_of_the_class_that_says_most(
    data, tmp_path, rows, learner, measure, ask
):
    model = learner(theta=0.4, delta=1.0).fit(*zip(*rows, strict=True))
    model.save(tmp_path / "m.box")
    degrees = getattr(model, ask)([row for row, _ in rows])
    labels = model.boxes_.labels
    for row, degree in zip(table(predict(tmp_path, data, "--why")), degrees, strict=True):
        box = int(row["box"])
        assert labels[box] == row["prediction"]
        assert float(row[measure]) == degree[box] == degree[labels == row["prediction"]].max()
        assert row["rule"] == model.boxes_.describe(box)


def test_json_lines_hold_the_same(model, data, tmp_path):
    rows = table(predict(tmp_path, data, "--proba", "--why"))
    lines = predict(tmp_path, data, "--proba", "--why", "--to", "jsonl").stdout.splitlines()
    for line, row in zip(map(json.loads, lines), rows, strict=True):
        assert list(line) == ["row", "prediction", "proba", "box", "share", "rule"]
        assert line["row"] == int(row["row"])
        assert line["prediction"] == row["prediction"]
        assert line["proba"]["approved"] == float(row["proba_approved"])
        assert (line["box"], line["rule"]) == (int(row["box"]), row["rule"])


def test_a_row_that_is_left_out_keeps_its_number(model, tmp_path, data):
    lines = data.read_text().splitlines(keepends=True)
    lines[5] = "short\n"
    lines[3] = lines[3].replace(lines[3].split(",")[0], "much", 1)
    data.write_text("".join(lines))
    run = predict(tmp_path, data, "--on-error", "skip")
    assert run.exit_code == 3
    numbers = [int(row["row"]) for row in table(run)]
    assert numbers == [i for i in range(1, 121) if i not in (3, 5)]
    assert "2 rows were left out; the first: " in run.stderr
    assert "new.csv, line 4, column 'salary': 'much' is not a number" in run.stderr


def test_rows_are_numbered_over_several_files(model, data, tmp_path):
    numbers = [int(row["row"]) for row in table(predict(tmp_path, data, data))]
    assert numbers == [*range(1, 241)]


def test_standard_input_is_read(model, data, tmp_path):
    run = predict(tmp_path, "-", given=data.read_bytes())
    assert run.stdout == predict(tmp_path, data).stdout


def test_a_file_appears_only_when_all_is_written(model, data, tmp_path):
    out = tmp_path / "p.csv"
    assert predict(tmp_path, data, "-o", out).stdout == ""
    assert out.read_text() == predict(tmp_path, data).stdout
    before = out.read_text()
    data.write_text(data.read_text() + "short\n")
    run = predict(tmp_path, data, "-o", out, "--chunk-rows", 10)
    assert run.exit_code == 1
    assert out.read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.box", "new.csv", "p.csv"]


def test_no_rows_give_a_header_only(model, tmp_path, data):
    data.write_text(data.read_text().splitlines()[0] + "\n")
    run = predict(tmp_path, data, "--quiet")
    assert (run.exit_code, run.stdout, run.stderr) == (0, "row,prediction\n", "")


def test_a_column_that_the_model_needs_is_named(model, tmp_path, data):
    data.write_text(data.read_text().replace("salary", "Salery", 1))
    run = predict(tmp_path, data)
    assert run.exit_code == 1
    assert "has no column that the model needs, 'salary'; did you mean 'Salery'?" in run.stderr
    assert run.stdout == ""


def test_new_categories_and_missing_values_are_no_errors(model, tmp_path, rows):
    row = {**rows[0][0], "car": "Trabant", "education": "", "salary": "?"}
    run = predict(tmp_path, write_csv(tmp_path / "n.csv", [row]), "--missing", "?")
    assert run.exit_code == 0
    expected = model.predict([{**row, "education": None, "salary": None}])
    assert [r["prediction"] for r in table(run)] == expected.tolist()


@pytest.mark.parametrize("learner", [AgglomerativeGFMM, CastilloGFMM, ShindeGFMM])
def test_models_of_other_learners_predict_too(tmp_path, data, rows, learner):
    clf = learner().fit([row for row, _ in rows], [label for _, label in rows])
    clf.save(tmp_path / "m.box")
    run = predict(tmp_path, data, "--proba", "--why")
    expected = clf.predict([row for row, _ in rows]).tolist()
    assert [row["prediction"] for row in table(run)] == expected
    for row in table(run):
        assert clf.boxes_.labels[int(row["box"])] == row["prediction"]


def test_models_of_numbers_without_names_predict_too(tmp_path):
    OnlineGFMM().fit([[1.0, 2.0], [3.0, 4.0]], [0, 1]).save(tmp_path / "m.box")
    data = write_csv(tmp_path / "n.csv", [{"a": 1, "b": 2}, {"a": 3, "b": 4}])
    run = predict(tmp_path, data, "--to", "jsonl")
    assert [json.loads(line)["prediction"] for line in run.stdout.splitlines()] == [0, 1]


def test_what_is_no_model_file_is_named(tmp_path, data):
    (tmp_path / "m.box").write_text("hello")
    run = predict(tmp_path, data)
    assert run.exit_code == 1
    assert "m.box: not a boxwise model file" in run.stderr
    (tmp_path / "m.box").unlink()
    run = predict(tmp_path, data)
    assert run.exit_code == 1
    assert "No such file" in run.stderr


def test_the_library_reads_the_same_model(model, tmp_path):
    assert library.load(tmp_path / "m.box").n_boxes_ == model.n_boxes_


def test_neither_the_model_nor_the_rows_are_overwritten(model, data, tmp_path):
    for target in (data, tmp_path / "m.box"):
        before = target.read_bytes()
        run = predict(tmp_path, data, "-o", target)
        assert run.exit_code == 2
        assert "is a file to read, and would be overwritten" in run.stderr
        assert target.read_bytes() == before
