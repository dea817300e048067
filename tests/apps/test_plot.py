"""``boxwise plot``: a picture of each kind into each kind of file, and what is refused."""

import gc

import pytest

from boxwise import EIOLGFMM, HyperboxClassifier
from tests.apps.running import boxwise, write_csv

plt = pytest.importorskip("matplotlib.pyplot")

ROWS = [
    {"age": 31, "job": "cook", "paid": "yes"},
    {"age": 33, "job": "cook", "paid": "yes"},
    {"age": 70, "job": "smith", "paid": "no"},
]
BEGINNINGS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture
def model(tmp_path):
    rows = [{"age": row["age"], "job": row["job"]} for row in ROWS]
    path = tmp_path / "m.box"
    HyperboxClassifier().fit(rows, [row["paid"] for row in ROWS]).save(path)
    return path


@pytest.mark.parametrize("ending", BEGINNINGS)
@pytest.mark.parametrize(
    "options",
    [
        ("--kind", "parallel"),
        ("--kind", "regions", "--columns", "age,job"),
        ("--kind", "box", "--box", 1, "--columns", "job"),
        ("--kind", "curves"),
        ("--kind", "regions"),
    ],
)
def test_a_picture_of_each_kind_is_written(tmp_path, model, ending, options):
    picture = tmp_path / f"p{ending}"
    run = boxwise("plot", model, "-o", picture, *options)
    assert run.exit_code == 0, run.stderr
    assert picture.read_bytes().startswith(BEGINNINGS[ending])


def test_rows_of_files_are_drawn_with_their_classes(tmp_path, model):
    data = write_csv(tmp_path / "rows.csv", ROWS)
    picture = tmp_path / "p.svg"
    given = ("--kind", "regions", "--columns", "age", "--columns", "job", "--data", data)
    with plt.rc_context({"svg.fonttype": "none"}):
        run = boxwise("plot", model, "-o", picture, *given, "--label", "paid")
    assert run.exit_code == 0, run.stderr
    assert "Points: 3 rows" in picture.read_text(encoding="utf-8")
    bad = write_csv(tmp_path / "bad.csv", [*ROWS, {"age": "old", "job": "cook", "paid": "no"}])
    box = ("--kind", "box", "--box", 0, "--data", bad)
    assert "'old' is not a number" in boxwise("plot", model, "-o", picture, *box).stderr
    assert boxwise("plot", model, "-o", picture, *box, "--on-error", "skip").exit_code == 3


def test_columns_over_time_are_learned_from_files(tmp_path, model):
    data = write_csv(tmp_path / "rows.csv", ROWS * 5)
    picture = tmp_path / "p.svg"
    options = ("--kind", "relevance", "--data", data, "--label", "paid")
    with plt.rc_context({"svg.fonttype": "none"}):
        run = boxwise("plot", model, "-o", picture, *options)
    assert run.exit_code == 0, run.stderr
    assert "Columns over 15 rows" in picture.read_text(encoding="utf-8")


def test_files_are_read_as_by_the_other_commands(tmp_path, model):
    picture = tmp_path / "p.png"
    box = ("--kind", "box", "--box", 0, "--chunk-rows", 1)
    more = write_csv(tmp_path / "more.csv", [{**row, "name": "x"} for row in ROWS])
    run = boxwise("plot", model, "-o", picture, *box, "--data", more, "--label", "paid")
    assert (run.exit_code, run.stderr) == (0, "boxwise: ignored, not columns of the model: name\n")
    run = boxwise("plot", model, "-o", picture, *box, "--data", more, "--label", "payed")
    assert run.exit_code == 1
    assert "no label column 'payed'" in run.stderr
    more.write_text("age,job,paid\n")
    run = boxwise("plot", model, "-o", picture, *box, "--data", more)
    assert run.stderr == f"boxwise: {more} has columns but no rows\n"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("-o", "p.gif"), 2, "pictures are written as .png, .svg, .pdf"),
        (("-o", "p.png", "--kind", "regions", "--columns", "age,wage"), 2, "there are age, job"),
        (("-o", "p.png", "--kind", "regions", "--columns", "age,age"), 1, "same column 'age'"),
        (("-o", "p.png", "--kind", "box"), 2, "needed with --kind box"),
        (("-o", "p.png", "--kind", "relevance"), 2, "needed with --kind relevance"),
        (("-o", "p.png", "--box", 1), 2, "for --kind box only"),
        (("-o", "p.png", "--kind", "box", "--box", 9), 1, "there is no box 9"),
        (("-o", "p.png", "--data", "rows.csv"), 2, "not with --kind parallel"),
        (("-o", "p.png", "--kind", "curves", "--data", "rows.csv"), 2, "not with --kind curves"),
        (("-o", "p.png", "--kind", "curves", "--columns", "wage"), 2, "there are age, job"),
        (("-o", "p.png", "--kind", "box", "--box", 0, "--label", "x"), 2, "column of --data"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path, monkeypatch, model, options, code, said):
    monkeypatch.chdir(tmp_path)
    run = boxwise("plot", model, *options)
    assert run.exit_code == code
    assert said in run.stderr
    assert not (tmp_path / "p.png").exists()


@pytest.mark.parametrize(
    ("clf", "said"),
    [
        (HyperboxClassifier(additive=False), "learn with additive=True"),
        (EIOLGFMM(), "EIOLGFMM has no curves; only HyperboxClassifier(additive=True) has"),
    ],
)
def test_a_model_without_curves_is_refused_in_words(tmp_path, clf, said):
    clf.fit([[1.0], [2.0]], ["a", "b"]).save(tmp_path / "m.box")
    run = boxwise("plot", tmp_path / "m.box", "-o", tmp_path / "p.png", "--kind", "curves")
    assert run.exit_code == 1
    assert said in run.stderr


def test_the_model_is_not_overwritten(tmp_path):
    path = tmp_path / "m.png"
    HyperboxClassifier().fit([[1.0]], ["a"]).save(path)
    before = path.read_bytes()
    assert boxwise("plot", path, "-o", path).exit_code == 2
    assert path.read_bytes() == before


def test_no_file_stays_open_when_a_command_refuses_it(tmp_path, model, recwarn):
    more = write_csv(tmp_path / "more.csv", ROWS)
    picture = tmp_path / "p.png"
    run = boxwise("plot", model, "-o", picture, "--kind", "box", "--box", 0,
                  "--data", more, "--label", "payed")  # fmt: skip
    assert run.exit_code == 1
    del run
    gc.collect()
    assert not [warning for warning in recwarn if str(more) in str(warning.message)]
