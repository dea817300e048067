"""``boxwise merge``: the model of the library, and errors that name the files."""

import pytest

import boxwise as library
from boxwise.datasets import LoanStream
from tests.apps.running import boxwise, write_csv

ROWS = [
    {**row, "zip_code": int(row["zip_code"]), "decision": label}
    for row, label in LoanStream(700, function=7, seed=5)
]
LABEL = ("--label", "decision")


def table(rows):
    return [{k: v for k, v in row.items() if k != "decision"} for row in rows]


def labels(rows):
    return [row["decision"] for row in rows]


@pytest.fixture
def parts(tmp_path):
    """Three model files, learned by the command line."""
    return [learned(tmp_path / f"{i}.box", ROWS[200 * i : 200 * i + 200]) for i in range(3)]


@pytest.fixture
def withheld(tmp_path):
    return write_csv(tmp_path / "withheld.csv", ROWS[600:])


def learned(path, rows, *options, label="decision"):
    data = write_csv(path.with_suffix(".csv"), rows)
    run = boxwise("learn", data, "--label", label, "-o", path, "-q", *options)
    assert run.exit_code == 0, run.output
    return path


@pytest.mark.parametrize("in_order", [False, True])
def test_the_merged_model_is_that_of_the_library(parts, tmp_path, in_order):
    target = tmp_path / "m.box"
    run = boxwise("merge", *parts, "-o", target, *(["--in-order"] if in_order else []))
    assert run.exit_code == 0, run.output
    models = [library.load(path) for path in parts]
    same = library.merge(models, in_order=in_order)
    assert target.read_bytes() == library.dumps(same)
    before = sum(model.n_boxes_ for model in models)
    shown = f"{target}: 3 models, 600 rows, {same.n_boxes_} boxes ({before} before), 2 classes\n"
    assert run.stdout == shown
    assert run.stderr == ""


def test_the_order_of_the_parts_counts_only_if_it_is_given(parts, tmp_path):
    boxwise("merge", *parts, "-o", tmp_path / "a.box")
    boxwise("merge", *parts, "-o", tmp_path / "b.box", "--in-order")
    assert (tmp_path / "a.box").read_bytes() != (tmp_path / "b.box").read_bytes()


@pytest.mark.parametrize("more", [(), ("--chunk-rows", 7)])
def test_rows_to_tune_are_learned_as_tune_of_the_library_does(parts, withheld, tmp_path, more):
    target = tmp_path / "m.box"
    run = boxwise("merge", *parts, "-o", target, "--tune", withheld, *LABEL, *more)
    assert run.exit_code == 0, run.output
    tune = (table(ROWS[600:]), labels(ROWS[600:]))
    same = library.merge([library.load(path) for path in parts], tune=tune)
    assert target.read_bytes() == library.dumps(same)
    assert "3 models, 600 rows and 100 to tune, " in run.stdout


def test_several_files_to_tune_are_one_after_the_other(parts, withheld, tmp_path):
    halves = [
        write_csv(tmp_path / "a.csv", ROWS[600:650]),
        write_csv(tmp_path / "b.csv", ROWS[650:]),
    ]
    tune = [word for half in halves for word in ("--tune", half)]
    boxwise("merge", *parts, "-o", tmp_path / "a.box", *tune, "-q")
    boxwise("merge", *parts, "-o", tmp_path / "b.box", "--tune", withheld, "-q")
    assert (tmp_path / "a.box").read_bytes() == (tmp_path / "b.box").read_bytes()


def test_the_label_is_the_one_column_that_the_models_do_not_have(parts, withheld, tmp_path):
    run = boxwise("merge", *parts, "-o", tmp_path / "m.box", "--tune", withheld)
    assert run.exit_code == 0, run.output
    assert run.stderr == "boxwise: the classes are in column 'decision' (--label names another)\n"
    odd = write_csv(tmp_path / "odd.csv", [{**row, "note": "x"} for row in ROWS[600:]])
    run = boxwise("merge", *parts, "-o", tmp_path / "other.box", "--tune", odd)
    assert run.exit_code == 2
    assert "Invalid value for --tune: needs --label, the column of the classes" in run.stderr
    assert not (tmp_path / "other.box").exists()


def test_a_single_model_may_be_merged_as_a_pattern_of_names_may_give_one(parts, tmp_path):
    run = boxwise("merge", parts[0], "-o", tmp_path / "m.box")
    assert run.exit_code == 0
    assert "1 model, 200 rows, " in run.stdout


def test_quiet_prints_nothing(parts, withheld, tmp_path):
    run = boxwise("merge", *parts, "-o", tmp_path / "m.box", "--tune", withheld, "-q")
    assert (run.exit_code, run.output) == (0, "")


def test_models_of_other_algorithms_are_merged(tmp_path):
    paths = [
        learned(tmp_path / f"{i}.box", ROWS[50 * i : 50 * i + 50], "--algorithm", "agglo-2")
        for i in range(2)
    ]
    assert boxwise("merge", *paths, "-o", tmp_path / "m.box").exit_code == 0
    data = write_csv(tmp_path / "t.csv", ROWS[600:])
    run = boxwise("merge", *paths, "-o", tmp_path / "t.box", "--tune", data)
    assert run.exit_code == 1
    assert "AgglomerativeGFMM models cannot go on learning" in run.stderr
    assert not (tmp_path / "t.box").exists()


def other(tmp_path, how):
    """Return a model file that does not fit to the others, and the words about it."""
    path, rows = tmp_path / "odd.box", ROWS[:200]
    if how == "theta":
        learned(path, rows, "--theta", "0.3")
        return path, "0.box and odd.box: the models differ in theta: 0.5 and 0.3"
    if how == "column":
        learned(path, rows, "--drop", "car")
        return path, "0.box and odd.box cannot be merged: odd.box has no column 'car'"
    if how == "more":
        learned(path, [{"extra": 1, **row} for row in rows])
        return path, "0.box and odd.box cannot be merged: 0.box has no column 'extra'"
    if how == "order":
        learned(path, [dict(reversed(row.items())) for row in rows])
        return path, "0.box and odd.box cannot be merged: the order of their columns differs"
    if how == "kind":
        learned(path, rows, "--categorical", "years")
        return path, "column 'years' is numeric in 0.box and categorical in odd.box; learn one of"
    if how == "learner":
        learned(path, rows, "--algorithm", "eiol-gfmm")
        return path, "0.box and odd.box: a HyperboxClassifier and a EIOLGFMM cannot be merged"
    path.write_text("no model")
    return path, "odd.box: not a boxwise model file"


@pytest.mark.parametrize("how", ["theta", "column", "more", "order", "kind", "learner", "no model"])
def test_models_that_do_not_fit_together_are_named_by_their_files(
    parts, tmp_path, monkeypatch, how
):
    path, words = other(tmp_path, how)
    monkeypatch.chdir(tmp_path)
    run = boxwise("merge", "0.box", "1.box", path.name, "-o", "m.box")
    assert run.exit_code == 1
    assert f"boxwise: {words}" in run.stderr
    assert not (tmp_path / "m.box").exists()


def test_an_algorithm_that_cannot_be_merged_is_an_error(tmp_path):
    path = learned(tmp_path / "c.box", ROWS[:50], "--algorithm", "onln-gfmm-m1")
    run = boxwise("merge", path, "-o", tmp_path / "m.box")
    assert run.exit_code == 1
    assert f"{path}: CastilloGFMM models cannot be merged" in run.stderr


def test_a_file_that_is_not_there_is_an_error(parts, tmp_path):
    run = boxwise("merge", parts[0], tmp_path / "nix.box", "-o", tmp_path / "m.box")
    assert run.exit_code == 1
    assert f"boxwise: {tmp_path / 'nix.box'}: No such file or directory" in run.stderr
    run = boxwise("merge", *parts, "-o", tmp_path / "m.box", "--tune", tmp_path / "nix.csv")
    assert run.exit_code == 1
    assert f"there is no file '{tmp_path / 'nix.csv'}'" in run.stderr
    assert not (tmp_path / "m.box").exists()


def test_no_file_that_is_read_is_overwritten(parts, withheld, tmp_path):
    before = [path.read_bytes() for path in (*parts, withheld)]
    for target in (parts[1], withheld):
        run = boxwise("merge", *parts, "-o", target, "--tune", withheld)
        assert run.exit_code == 2
        assert "is a file to read, and would be overwritten" in run.stderr
    assert [path.read_bytes() for path in (*parts, withheld)] == before


def test_a_model_given_twice_under_any_name_is_wrong_usage(parts, tmp_path):
    link = tmp_path / "link.box"
    link.hardlink_to(parts[0])
    for twice in (parts[0], link):
        run = boxwise("merge", *parts, twice, "-o", tmp_path / "m.box")
        assert run.exit_code == 2
        assert f"{twice} is given twice" in run.stderr


def test_a_label_without_rows_to_tune_is_wrong_usage(parts, tmp_path):
    run = boxwise("merge", *parts, "-o", tmp_path / "m.box", *LABEL)
    assert run.exit_code == 2
    assert "it is a column of --tune, which is not given" in run.stderr


def test_bad_rows_to_tune_stop_it_or_are_left_out(parts, tmp_path):
    rows = [dict(row) for row in ROWS[600:]]
    rows[3]["age"] = "old"
    data = write_csv(tmp_path / "bad.csv", rows)
    command = ("merge", *parts, "-o", tmp_path / "m.box", "--tune", data)
    run = boxwise(*command)
    assert run.exit_code == 1
    assert f"{data}, line 5, column 'age': 'old' is not a number" in run.stderr
    assert not (tmp_path / "m.box").exists()
    run = boxwise(*command, "--on-error", "skip")
    assert run.exit_code == 3
    assert " and 99 to tune, " in run.stdout
    assert "1 row was left out; the first: " in run.stderr
    rows = [{**row, "age": "old"} for row in rows]
    write_csv(data, rows)
    (tmp_path / "m.box").unlink()
    run = boxwise(*command, "--on-error", "skip")
    assert run.exit_code == 1
    assert "no row could be used; nothing was written" in run.stderr
    assert not (tmp_path / "m.box").exists()


def test_a_column_without_a_value_in_some_models_has_the_kind_of_the_others(tmp_path):
    empty = [{**row, "car": ""} for row in ROWS[:200]]
    paths = [learned(tmp_path / "a.box", empty), learned(tmp_path / "b.box", ROWS[200:400])]
    run = boxwise("merge", *paths, "-o", tmp_path / "m.box")
    assert run.exit_code == 0, run.output
    model = library.load(tmp_path / "m.box")
    assert model.schema_.categorical_names == ("education", "car")
    assert sorted(model.categorical_features) == ["car", "education"]
