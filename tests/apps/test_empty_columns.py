"""Columns of files that are empty at first: no command stops, and a first value gives the kind."""

import json

import pytest

import boxwise as library
from boxwise.datasets import LoanStream
from tests.apps.running import boxwise, write_csv

N = 240
LATE = 150  # the row with the first value
ROWS = [
    {"note": "", "salary": row["salary"], "education": row["education"], "decision": label}
    for row, label in LoanStream(N, function=7, seed=5)
]
LABEL = ("--label", "decision")


def later(*values):
    """Return rows with values in the column `note` from a late row on."""
    given = [values[i % len(values)] if i >= LATE else "" for i in range(N)]
    return [row | {"note": cell} for row, cell in zip(ROWS, given, strict=True)]


def write(path, rows):
    if path.suffix == ".csv":
        return write_csv(path, rows)
    lines = [{k: None if v == "" else v for k, v in row.items()} for row in rows]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def learn(*arguments):
    return boxwise("learn", *arguments, *LABEL)


def note_of(path):
    return library.load(path).schema_.columns[0]


@pytest.fixture
def model(tmp_path):
    target = tmp_path / "m.box"
    run = learn(write_csv(tmp_path / "empty.csv", ROWS), "-o", target)
    assert run.exit_code == 0
    assert "  no value yet note\n" in run.stderr
    return target


def test_an_empty_column_takes_no_part_in_any_command(model, tmp_path):
    plain = tmp_path / "plain.box"
    without = write_csv(
        tmp_path / "plain.csv", [{k: v for k, v in row.items() if k != "note"} for row in ROWS]
    )
    assert learn(without, "-o", plain).exit_code == 0
    data = write_csv(tmp_path / "rows.csv", later("good", "bad"))
    for command in (
        ("predict", "--proba", "--why"),
        ("explain", "--limit", "3"),
        ("rules", "--data"),
    ):
        found, expected = (
            _run(command, which, rows) for which, rows in ((model, data), (plain, without))
        )
        assert found == expected
    page = tmp_path / "page.html"
    assert boxwise("report", model, "--data", data, *LABEL, "-o", page, "-q").exit_code == 0
    assert "no value yet" in page.read_text(encoding="utf-8")


def _run(command, model, data):
    name, *options = command
    if name == "rules":
        run = boxwise("rules", model, "--data", data, *LABEL)
    else:
        run = boxwise(name, model, data, *options)
    assert run.exit_code == 0, run.stderr
    return run.stdout


def test_inspect_shows_an_empty_column(model):
    assert "  note       unknown      no value yet\n" in boxwise("inspect", model).stdout
    found = json.loads(boxwise("inspect", model, "--json").stdout)
    assert found["columns"][0] == {"name": "note", "kind": "unknown"}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize(
    ("values", "kind"), [((3, 4.5), "numeric"), (("good", "bad"), "categorical")]
)
def test_the_first_value_gives_the_kind_when_a_model_goes_on(tmp_path, form, values, kind):
    target = tmp_path / "m.box"
    assert learn(write(tmp_path / f"a.{form}", ROWS), "-o", target).exit_code == 0
    assert note_of(target).kind == "unknown"
    assert learn(write(tmp_path / f"b.{form}", later(*values)), "--into", target).exit_code == 0
    assert note_of(target).kind == kind
    assert learn(write(tmp_path / f"c.{form}", later(*values)), "--into", target).exit_code == 0
    clf = library.load(target)
    assert clf.boxes_.n_samples.sum() == 3 * N
    assert clf.categorical_features == ["education", *(["note"] if kind == "categorical" else [])]


@pytest.mark.parametrize("values", [("3", "4.5"), ("good", "bad")])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_it_does_not_matter_how_a_file_is_cut(tmp_path, monkeypatch, values, form):
    monkeypatch.setattr("boxwise.files.kinds.KIND_ROWS", 100)
    whole = write(tmp_path / f"whole.{form}", later(*values))
    models = []
    for chunk_rows in (1, 37, 10_000):
        models.append(tmp_path / f"{chunk_rows}.box")
        run = learn(whole, "-o", models[-1], "--chunk-rows", chunk_rows)
        assert run.exit_code == 0, run.stderr
    for cut in (LATE + 1, 200):
        models.append(tmp_path / f"part{cut}.box")
        first = write(tmp_path / f"first.{form}", later(*values)[:cut])
        rest = write(tmp_path / f"rest.{form}", later(*values)[cut:])
        assert learn(first, "-o", models[-1]).exit_code == 0
        assert learn(rest, "--into", models[-1]).exit_code == 0
    contents = {path.read_bytes() for path in models}
    assert len(contents) == 1
    assert note_of(models[0]).kind != "unknown"


@pytest.mark.parametrize("values", [("3", "4.5"), ("good", "bad")])
def test_it_does_not_matter_how_a_stream_is_cut(tmp_path, monkeypatch, values):
    """A pipe is read once: until its first value a column is unknown, as in a first file."""
    monkeypatch.setattr("boxwise.files.kinds.KIND_ROWS", 100)
    text = write(tmp_path / "whole.csv", later(*values)).read_text()
    models = []
    for chunk_rows in (1, 37, 10_000):
        models.append(tmp_path / f"{chunk_rows}.box")
        options = ("-o", models[-1], "--chunk-rows", chunk_rows, *LABEL)
        run = boxwise("learn", "-", *options, given=text)
        assert run.exit_code == 0, run.stderr
    for cut in (110, LATE, LATE + 1):
        models.append(tmp_path / f"part{cut}.box")
        first = write(tmp_path / "first.csv", later(*values)[:cut])
        rest = write(tmp_path / "rest.csv", later(*values)[cut:])
        if cut <= LATE:
            assert learn(first, "-o", models[-1]).exit_code == 0
            assert learn(rest, "--into", models[-1]).exit_code == 0
        else:
            options = ("-o", models[-1], *LABEL)
            assert boxwise("learn", "-", *options, given=first.read_text()).exit_code == 0
            assert learn(rest, "--into", models[-1]).exit_code == 0
    assert len({path.read_bytes() for path in models}) == 1
    assert note_of(models[0]).kind != "unknown"


def test_a_value_of_the_other_kind_is_named_with_its_line(tmp_path, model):
    path = write_csv(tmp_path / "a.csv", later("3", "good"))
    run = learn(path, "--into", model)
    assert run.exit_code == 1
    assert f"{path}, line {LATE + 3}, column 'note': 'good' is not a number" in run.stderr
    assert note_of(model).kind == "unknown"
    run = learn(path, "--into", model, "--on-error", "skip")
    assert run.exit_code == 3
    assert note_of(model).kind == "numeric"


def test_a_first_value_in_a_row_that_is_left_out_does_no_harm(tmp_path, model):
    rows = [row | {"note": 7} for row in ROWS[:3]]
    rows[0] |= {"note": "seven", "decision": None}
    path = write(tmp_path / "a.jsonl", rows)
    run = learn(path, "--into", model, "--on-error", "skip")
    assert run.exit_code == 3
    assert note_of(model).kind == "categorical"
    assert note_of(model).vocabulary.values == [None, 7]


def test_a_model_without_names_gives_the_kind_by_position(tmp_path):
    target = tmp_path / "m.box"
    rows = [[None, row["salary"]] for row in ROWS]
    clf = library.HyperboxClassifier().fit(rows, [row["decision"] for row in ROWS])
    clf.save(target)
    path = write_csv(
        tmp_path / "a.csv", [{"n": 3.5, "s": 5, "decision": row["decision"]} for row in ROWS]
    )
    assert learn(path, "--into", target).exit_code == 0
    assert note_of(target).kind == "numeric"


def test_a_file_without_a_value_but_the_label_is_refused(tmp_path):
    rows = [{"a": "", "b": "", "decision": "no"}]
    run = learn(write_csv(tmp_path / "a.csv", rows), "-o", tmp_path / "m.box")
    assert run.exit_code == 1
    assert "no column but the label has a value among the first rows" in run.stderr


def test_settings_that_do_not_fit_the_new_column_are_told(tmp_path):
    target = tmp_path / "m.box"
    rows = [[None, row["salary"]] for row in ROWS]
    clf = library.ShindeGFMM(gamma=[2.0])
    clf.fit(rows, [row["decision"] for row in ROWS]).save(target)
    path = write_csv(tmp_path / "a.csv", [{"x0": 1, "x1": 2, "decision": "approved"}])
    before = target.read_bytes()
    run = learn(path, "--into", target)
    assert run.exit_code == 1
    assert "column 'x0' has its first value, but gamma has 1 numbers" in run.stderr
    assert target.read_bytes() == before


@pytest.mark.parametrize("more", [(), ("--cv", "3")])
@pytest.mark.parametrize("values", [("3", "4.5"), ("good", "bad"), ("",)])
def test_evaluate_takes_columns_that_are_empty_at_first(tmp_path, monkeypatch, values, more):
    monkeypatch.setattr("boxwise.files.kinds.KIND_ROWS", 100)
    path = write_csv(tmp_path / "a.csv", later(*values))
    for chunk_rows in (60, 10_000):
        run = boxwise("evaluate", path, *LABEL, "--chunk-rows", chunk_rows, "--every", 70, *more)
        assert run.exit_code == 0, run.stderr
        assert f"{N} rows" in run.stdout


@pytest.mark.parametrize("values", [("3", "4.5"), ("good", "bad"), ("",)])
@pytest.mark.parametrize("algorithm", ["eiol-gfmm", "onln-gfmm-m1", "onln-gfmm-m2", "agglo-2"])
def test_every_algorithm_takes_columns_that_are_empty_at_first(
    tmp_path, monkeypatch, algorithm, values
):
    monkeypatch.setattr("boxwise.files.kinds.KIND_ROWS", 100)
    path = write_csv(tmp_path / "a.csv", later(*values))
    options = ("-o", tmp_path / "m.box", "--algorithm", algorithm, "--chunk-rows", 60)
    run = learn(path, *options)
    assert run.exit_code == 0, run.stderr
    note = note_of(tmp_path / "m.box")
    assert (note.kind == "categorical") == (values[0] == "good")
    if values != ("",):
        assert note.kind != "unknown"
    assert boxwise("predict", tmp_path / "m.box", path).exit_code == 0


def test_an_algorithm_for_numbers_takes_an_empty_column_for_one(tmp_path):
    rows = [{k: v for k, v in row.items() if k != "education"} for row in ROWS]
    path = write_csv(tmp_path / "a.csv", rows)
    options = ("-o", tmp_path / "m.box", "--algorithm", "iol-gfmm")
    assert learn(path, *options).exit_code == 0
    assert note_of(tmp_path / "m.box").kind == "numeric"
    assert boxwise("evaluate", path, *LABEL, "--algorithm", "iol-gfmm").exit_code == 0
