"""``boxwise learn``: options, kinds of columns, and the law that parts make the whole."""

import json
import sys

import numpy as np
import pytest

import boxwise as library
from boxwise import AgglomerativeGFMM, HyperboxClassifier, ImprovedOnlineGFMM, ShindeGFMM
from boxwise.apps.progress.learning_bar import LearningBar
from boxwise.datasets import LoanStream
from tests.apps.running import boxwise, write_csv

N = 240
ROWS = [{**row, "decision": label} for row, label in LoanStream(N, function=7, seed=5)]
EIOL = ("--algorithm", "eiol-gfmm")
SETTINGS = ("--theta", "0.3", "--delta", "1")
LABEL = ("--label", "decision")


@pytest.fixture
def loans(tmp_path):
    return write_csv(tmp_path / "loans.csv", ROWS)


def learn(*arguments, **more):
    return boxwise("learn", *arguments, *LABEL, **more)


def test_the_model_is_that_of_the_library(loans, tmp_path):
    run = learn(loans, "-o", tmp_path / "m.box", *SETTINGS, "--categorical", "zip_code")
    assert run.exit_code == 0
    names = ["education", "car", "zip_code"]
    clf = HyperboxClassifier(theta=0.3, delta=1.0, categorical_features=names)
    rows = [{k: v for k, v in row.items() if k != "decision"} for row in ROWS]
    clf.partial_fit(rows, [row["decision"] for row in ROWS]).save(tmp_path / "same.box")
    assert (tmp_path / "m.box").read_bytes() == (tmp_path / "same.box").read_bytes()
    assert run.stdout == f"{tmp_path / 'm.box'}: 240 rows, {clf.n_boxes_} boxes, 2 classes\n"


@pytest.mark.parametrize("cut", [1, 100, 239])
@pytest.mark.parametrize("chunk_rows", [1, 37, 10_000])
def test_parts_learned_one_after_the_other_give_the_model_of_the_whole(
    loans, tmp_path, cut, chunk_rows
):
    whole, parts = tmp_path / "whole.box", tmp_path / "parts.box"
    learn(loans, "-o", whole, *SETTINGS)
    first, rest = (
        write_csv(tmp_path / "first.csv", ROWS[:cut]),
        write_csv(tmp_path / "rest.csv", ROWS[cut:]),
    )
    chunks = ("--chunk-rows", chunk_rows)
    assert learn(first, "-o", parts, *SETTINGS, *chunks).exit_code == 0
    assert learn(rest, "--into", parts, *chunks).exit_code == 0
    assert parts.read_bytes() == whole.read_bytes()
    assert learn(first, rest, "-o", parts, *SETTINGS, *chunks).exit_code == 0
    assert parts.read_bytes() == whole.read_bytes()


def test_a_model_that_goes_on_may_be_written_elsewhere(loans, tmp_path):
    learn(loans, "-o", tmp_path / "m.box")
    before = (tmp_path / "m.box").read_bytes()
    run = learn(loans, "--into", tmp_path / "m.box", "-o", tmp_path / "new.box")
    assert "240 rows more, 480 in all" in run.stdout
    assert (tmp_path / "m.box").read_bytes() == before
    assert library.load(tmp_path / "new.box").boxes_.n_samples.sum() == 480


def test_columns_may_come_in_another_order_and_with_others_when_a_model_goes_on(loans, tmp_path):
    learn(loans, "-o", tmp_path / "m.box")
    shuffled = [dict(reversed(row.items())) | {"note": "x"} for row in ROWS]
    run = learn(write_csv(tmp_path / "s.csv", shuffled), "--into", tmp_path / "m.box")
    assert run.exit_code == 0
    assert "ignored, not columns of the model: note" in run.stderr
    learn(loans, loans, "-o", tmp_path / "twice.box")
    assert (tmp_path / "m.box").read_bytes() == (tmp_path / "twice.box").read_bytes()


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_files_of_other_formats_give_the_same_model(loans, tmp_path, form):
    path = tmp_path / f"loans.{form}"
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    learn(loans, "-o", tmp_path / "a.box", "--categorical", "zip_code")
    assert learn(path, "-o", tmp_path / "b.box").exit_code == 0  # its zip codes are text
    assert (tmp_path / "a.box").read_bytes() == (tmp_path / "b.box").read_bytes()
    assert learn(path, "--into", tmp_path / "a.box").exit_code == 0


def test_kinds_are_inferred_shown_and_overridden(loans, tmp_path):
    target = ("-o", tmp_path / "m.box")
    assert "numeric      salary, commission, age, zip_code, house_value, years, loan\n" in (
        learn(loans, *target).stderr
    )
    run = learn(loans, *target, "--categorical", "zip_code,years", "--drop", "car", "--drop", "age")
    assert "  numeric      salary, commission, house_value, loan\n" in run.stderr
    assert "  categorical  education, zip_code, years\n" in run.stderr
    assert "  label        decision\n" in run.stderr
    schema = library.load(tmp_path / "m.box").schema_
    assert schema.categorical_names == ("education", "zip_code", "years")


def test_only_some_columns_are_kept_besides_the_label(loans, tmp_path):
    run = learn(loans, "-o", tmp_path / "m.box", "--only", "education,age", "--only", "decision")
    assert run.exit_code == 0, run.stderr
    assert "  numeric      age\n  categorical  education\n" in run.stderr
    assert library.load(tmp_path / "m.box").schema_.names == ("age", "education")
    others = [name for name in ROWS[0] if name not in ("age", "education", "decision")]
    learn(loans, "-o", tmp_path / "same.box", "--drop", ",".join(others))
    assert (tmp_path / "m.box").read_bytes() == (tmp_path / "same.box").read_bytes()


def test_a_label_that_is_a_measurement_is_refused(loans, tmp_path):
    run = boxwise("learn", loans, "--label", "loan", "-o", tmp_path / "m.box")
    assert run.exit_code == 1
    assert "column 'loan': its values, such as " in run.stderr
    assert "are no classes but measurements; choose another --label" in run.stderr
    assert not (tmp_path / "m.box").exists()
    learn(loans, "-o", tmp_path / "m.box")
    renamed = [{**row, "decision": row["loan"]} for row in ROWS]
    run = learn(write_csv(tmp_path / "r.csv", renamed), "--into", tmp_path / "m.box")
    assert run.exit_code == 1
    assert "are no classes but measurements" in run.stderr


@pytest.mark.parametrize("policy", ["skip", "report"])
def test_bad_rows_are_told_in_the_order_of_lines(tmp_path, policy):
    path = tmp_path / "a.csv"
    path.write_text("a,b,decision\n1,x,no\n2,x,\n3,x\n4,x,yes\n5,x,\n6,x,yes,x\n")
    for more in ((), ("--chunk-rows", 2)):
        run = learn(path, "-o", tmp_path / "m.box", "--on-error", policy, *more)
        assert run.exit_code == 3
        *told, last = [line for line in run.stderr.splitlines() if line.startswith("boxwise: ")]
        assert f"4 rows were left out; the first: {path}, line 3, column 'decision'" in last
        lines = [line.partition(", line ")[2][0] for line in told]
        assert lines == (["3", "4", "6", "7"] if policy == "report" else [])


def test_the_first_bad_row_stops_it_whatever_is_wrong_with_the_next(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,decision\n1,no\n2,\n3\n")
    run = learn(path, "-o", tmp_path / "m.box")
    assert run.exit_code == 1
    assert f"{path}, line 3, column 'decision': the label is missing" in run.stderr


def test_nearly_a_box_per_row_is_remarked_on(tmp_path):
    rows = [{**row, "decision": label} for row, label in LoanStream(600, function=7)]
    path, target = write_csv(tmp_path / "many.csv", rows), ("-o", tmp_path / "m.box")
    remark = "boxwise: nearly one box per row: try a larger --theta or --delta, or --max-boxes\n"
    small = ("--theta", 0, "--delta", 0)
    assert learn(path, *target, *small).stderr.endswith(remark)
    assert learn(path, *target, *small, "-q").stderr == ""
    many = [{**row, "decision": label} for row, label in LoanStream(1_500, function=7)]
    assert "a box per row" not in learn(write_csv(path, many), *target).stderr
    few = write_csv(tmp_path / "few.csv", rows[:400])
    assert "a box per row" not in learn(few, *target, *small).stderr
    assert "a box per row" not in learn(path, "--into", tmp_path / "m.box").stderr


def test_a_column_that_is_declared_needs_no_values_yet(tmp_path):
    path = write_csv(tmp_path / "a.csv", [{"a": "?", "b": "x", "decision": "no"}])
    run = learn(path, "-o", tmp_path / "m.box", "--missing", "?", "--numeric", "a")
    assert run.exit_code == 0
    assert library.load(tmp_path / "m.box").schema_.columns[0].kind == "numeric"


def test_a_name_with_a_comma_is_one_name(tmp_path):
    path = write_csv(tmp_path / "a.csv", [{"a": 1, "size, in m": 2, "decision": "no"}])
    run = learn(path, "-o", tmp_path / "m.box", "--drop", "size, in m")
    assert run.exit_code == 0
    assert library.load(tmp_path / "m.box").schema_.names == ("a",)


def test_settings_reach_the_model(loans, tmp_path):
    options = ("--alpha", "0.25", "--gamma", "1,2,3,4,5,6,7", "--version", "2")
    run = learn(loans, "-o", tmp_path / "m.box", "--algorithm", "eiol-gfmm", *SETTINGS, *options)
    assert run.exit_code == 0
    clf = library.load(tmp_path / "m.box")
    assert (clf.theta, clf.delta, clf.alpha, clf.version) == (0.3, 1.0, 0.25, 2)
    assert clf.gamma == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--theta", "-1"), "theta must be a number from 0 up"),
        (("--theta", "wide"), "--theta"),
        (("--delta", "2"), "delta must be"),
        ((*EIOL, "--alpha", "estimate"), "alpha cannot be estimated row by row"),
        ((*EIOL, "--alpha", "much"), "'much' is not a number"),
        ((*EIOL, "--gamma", "1,2"), "gamma has 2 numbers, but there are 7 numeric columns"),
        ((*EIOL, "--version", "3"), "version must be 1 or 2"),
        (("--version", "2"), "hyperbox has no such setting; it is for --algorithm eiol-gfmm"),
        (("--beta", "0.5"), "it is for --algorithm onln-gfmm-m2"),
        ((*EIOL, "--adapt"), "eiol-gfmm has no such setting; it is for --algorithm hyperbox"),
        (("--algorithm", "iol-gfmm"), "takes numbers only, and education, car are categorical"),
        (("--delimiter", "::"), "'::' is not one character"),
        (("--drop", "nix"), "there is no column 'nix'"),
        (("--numeric", "car", "--categorical", "car"), "with --numeric and with --categorical"),
        (("--numeric", "decision"), "'decision' is the --label"),
        (("--categorical", "decision"), "'decision' is the --label"),
        (("--drop", "car,decision"), "'decision' is the --label"),
        (("--only", "age,car", "--drop", "car"), "'car' is given with --only and with --drop"),
        (("--only", "nix"), "there is no column 'nix'"),
        (("--only", "age", "--numeric", "loan"), "there is no column 'loan'; there are age"),
        (("--chunk-rows", "0"), "--chunk-rows"),
        (("--format", "xml"), "--format"),
        (("--into", "m.box", "--theta", "0.5"), "the model has its algorithm, settings"),
        (("--into", "m.box", "--only", "age"), "the model has its algorithm, settings"),
        (("--into", "m.box", *EIOL), "the model has its algorithm, settings"),
        (("--into", "m.box", "--algorithm", "hyperbox"), "the model has its algorithm, settings"),
        (("--into", "m.box", "--version", "2"), "the model has its algorithm, settings"),
        (("--algorithm", "lot"), "'lot' is not one of"),
    ],
)
def test_wrong_usage_ends_with_2_and_writes_nothing(loans, tmp_path, options, words):
    run = learn(loans, "-o", tmp_path / "m.box", *options)
    assert run.exit_code == 2
    assert words in run.stderr
    assert not (tmp_path / "m.box").exists()


@pytest.mark.parametrize("prior", ["data", "balanced", "auto"])
def test_parts_make_the_whole_whatever_the_prior(loans, tmp_path, prior):
    settings = (*SETTINGS, "--class-prior", prior)
    assert learn(loans, "-o", tmp_path / "whole.box", *settings).exit_code == 0
    clf = library.load(tmp_path / "whole.box")
    assert clf.class_prior == prior
    learn(write_csv(tmp_path / "a.csv", ROWS[:100]), "-o", tmp_path / "parts.box", *settings)
    learn(write_csv(tmp_path / "b.csv", ROWS[100:]), "--into", tmp_path / "parts.box")
    assert (tmp_path / "parts.box").read_bytes() == (tmp_path / "whole.box").read_bytes()
    run = boxwise("predict", tmp_path / "whole.box", loans, "--why", "--proba")
    assert run.exit_code == 0
    assert len(run.stdout.splitlines()) == N + 1


def test_a_file_to_learn_from_is_not_overwritten(loans, tmp_path):
    before = loans.read_bytes()
    other = tmp_path / "link.box"
    other.hardlink_to(loans)
    for target in (("-o", loans), ("-o", other), ("--into", loans)):
        run = learn(loans, *target)
        assert run.exit_code == 2
        assert "is a file to read, and would be overwritten" in run.stderr
        assert loans.read_bytes() == before


def test_the_model_to_go_on_with_may_be_named_twice(loans, tmp_path):
    learn(loans, "-o", tmp_path / "m.box")
    run = learn(loans, "--into", tmp_path / "m.box", "-o", tmp_path / "m.box")
    assert "240 rows more, 480 in all" in run.stdout


def test_an_index_of_pandas_is_left_out_and_said_to_be(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [{**row, "__index_level_0__": i} for i, row in enumerate(ROWS)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "loans.parquet")
    run = learn(tmp_path / "loans.parquet", "-o", tmp_path / "m.box")
    assert "  left out     __index_level_0__ (an index of pandas)\n" in run.stderr
    assert "__index_level_0__" not in library.load(tmp_path / "m.box").schema_.names
    dropped = ("--drop", "__index_level_0__")
    assert learn(tmp_path / "loans.parquet", "-o", tmp_path / "m.box", *dropped).exit_code == 0


def test_a_model_file_must_be_named(loans):
    run = learn(loans)
    assert run.exit_code == 2
    assert "name the model file to write" in run.stderr


def test_a_file_with_the_label_only_is_refused(tmp_path):
    run = learn(write_csv(tmp_path / "a.csv", [{"decision": "no"}]), "-o", tmp_path / "m.box")
    assert run.exit_code == 1
    assert "has no column but the label 'decision'" in run.stderr


def test_a_file_without_a_usable_row_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,decision\n1\n2\n")
    run = learn(path, "-o", tmp_path / "m.box", "--on-error", "skip")
    assert run.exit_code == 1
    assert "2 rows were left out" in run.stderr
    assert "no row could be used; nothing was written" in run.stderr


@pytest.mark.parametrize("learner", [ShindeGFMM, ImprovedOnlineGFMM])
def test_every_online_learner_goes_on(tmp_path, learner):
    learner().fit({"a": [1.0, 2.0]}, ["x", "y"]).save(tmp_path / "m.box")
    path = write_csv(tmp_path / "a.csv", [{"a": 3, "decision": "y"}])
    assert "1 row more, 3 in all" in learn(path, "--into", tmp_path / "m.box").stdout
    assert isinstance(library.load(tmp_path / "m.box"), learner)


def test_a_learner_that_needs_all_rows_cannot_go_on(tmp_path):
    AgglomerativeGFMM().fit({"a": [1.0, 2.0]}, ["x", "y"]).save(tmp_path / "m.box")
    path = write_csv(tmp_path / "a.csv", [{"a": 3, "decision": "y"}])
    run = learn(path, "--into", tmp_path / "m.box")
    assert run.exit_code == 1
    assert "holds a AgglomerativeGFMM, which cannot go on learning" in run.stderr


def test_labels_and_categories_are_written_as_the_model_knows_them(tmp_path):
    table = {"a": [1.0, 2.0], "ward": [3, 7]}
    clf = HyperboxClassifier(categorical_features=["ward"]).partial_fit(table, [0, 1])
    clf.save(tmp_path / "m.box")
    path = write_csv(tmp_path / "a.csv", [{"a": 3, "ward": 7, "decision": 1}])
    assert learn(path, "--into", tmp_path / "m.box").exit_code == 0
    clf = library.load(tmp_path / "m.box")
    assert clf.classes_.tolist() == [0, 1]
    assert clf.schema_.vocabularies[0].values == [3, 7]


def test_rows_without_a_label_are_learned_by_a_model_that_learns_from_them(tmp_path):
    clf = HyperboxClassifier(unlabelled=float("nan"))
    clf.fit({"a": [1.0, 2.0]}, ["x", "y"]).save(tmp_path / "m.box")
    path = write_csv(tmp_path / "a.csv", [{"a": 9, "decision": ""}])
    assert learn(path, "--into", tmp_path / "m.box").exit_code == 0


def test_a_model_without_names_takes_columns_by_position(tmp_path):
    HyperboxClassifier().fit([[1.0, "x"], [2.0, "y"]], ["n", "y"]).save(tmp_path / "m.box")
    path = write_csv(tmp_path / "a.csv", [{"size": 1.5, "word": "x", "decision": "n"}])
    run = learn(path, "--into", tmp_path / "m.box")
    assert (run.exit_code, run.stderr) == (0, "")
    wide = write_csv(tmp_path / "b.csv", [{"a": 1.5, "b": "x", "c": 1, "decision": "n"}])
    run = learn(wide, "--into", tmp_path / "m.box")
    assert run.exit_code == 1
    assert "has 3 columns, but the model has 2, without names" in run.stderr


def test_a_column_that_the_model_needs_is_named(loans, tmp_path):
    learn(loans, "-o", tmp_path / "m.box")
    lacking = [{k: v for k, v in row.items() if k != "age"} for row in ROWS]
    run = learn(write_csv(tmp_path / "l.csv", lacking), "--into", tmp_path / "m.box")
    assert run.exit_code == 1
    assert "has no column that the model needs, 'age'" in run.stderr


def test_if_the_place_becomes_unusable_the_model_is_saved_elsewhere(loans, tmp_path, monkeypatch):
    save = HyperboxClassifier.save

    def refuse(self, path):
        if path == tmp_path / "m.box":
            raise OSError(28, "No space left on device")
        save(self, path)

    monkeypatch.setattr(HyperboxClassifier, "save", refuse)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run = learn(loans, "-o", tmp_path / "m.box")
    assert run.exit_code == 1
    assert "No space left" in run.stderr
    (saved,) = tmp_path.glob("boxwise-*.box")
    assert str(saved) in run.stderr
    assert library.load(saved).boxes_.n_samples.sum() == N


def test_watching_does_not_change_the_model(loans, tmp_path, monkeypatch):
    learn(loans, "-o", tmp_path / "alone.box", *SETTINGS)
    seen = []

    class Watched(LearningBar):
        def after(self, model, piece):
            super().after(model, piece)
            seen.append((self._rows, len(self._scores), self._scores.cba))

    monkeypatch.setattr("boxwise.apps.learning.PIECE", 50)
    monkeypatch.setattr("boxwise.apps.commands.learn.LearningBar", Watched)
    monkeypatch.setenv("FORCE_COLOR", "1")  # by which rich takes anything for a terminal
    learn(loans, "-o", tmp_path / "watched.box", *SETTINGS)
    assert (tmp_path / "alone.box").read_bytes() == (tmp_path / "watched.box").read_bytes()
    pieces = np.diff([0, *(rows for rows, _, _ in seen)])
    assert sum(pieces) == N
    assert 1 <= min(pieces) <= max(pieces) <= 50
    scored = [0, *(np.ceil(pieces[1:] * 0.1).cumsum())]  # nothing is predicted before the first
    assert [n for _, n, _ in seen] == scored
    assert np.isnan(seen[0][2])
    assert 0 < seen[-1][2] <= 1


def test_it_needs_no_pandas_polars_or_pyarrow(loans, tmp_path, monkeypatch):
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    assert learn(loans, "-o", tmp_path / "m.box").exit_code == 0
