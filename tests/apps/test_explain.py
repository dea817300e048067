"""``boxwise explain``: the explanations of the library, for rows of files."""

import json

import pytest

from boxwise import HyperboxClassifier, ImprovedOnlineGFMM, load
from boxwise.datasets import LoanStream
from tests.apps.running import boxwise, write_csv


@pytest.fixture(scope="module")
def rows():
    return list(LoanStream(60, function=7, seed=2))


@pytest.fixture
def model(tmp_path, rows):
    clf = HyperboxClassifier(theta=0.4, delta=1.0)
    clf.fit([row for row, _ in rows], [label for _, label in rows])
    clf.save(tmp_path / "m.box")
    return clf


@pytest.fixture
def data(tmp_path, rows):
    return write_csv(tmp_path / "new.csv", [{**row, "decision": y} for row, y in rows])


def explain(tmp_path, *arguments, **more):
    return boxwise("explain", tmp_path / "m.box", *arguments, **more)


def test_json_lines_are_the_explanations_of_the_library(model, data, tmp_path, rows):
    run = explain(tmp_path, data, "--to", "jsonl", "--limit", 5)
    assert run.exit_code == 0, run.stderr
    found = [json.loads(line) for line in run.stdout.splitlines()]
    expected = [why.to_dict() for why in model.explain([row for row, _ in rows[:5]])]
    assert found == [{**one, "row": i} for i, one in enumerate(expected, start=1)]


def test_json_lines_have_all_rows_and_the_result_does_not_depend_on_the_chunks(
    model, data, tmp_path
):
    options = ("--to", "jsonl", "--no-counterfactual")
    whole = explain(tmp_path, data, *options).stdout
    assert len(whole.splitlines()) == 60
    assert explain(tmp_path, data, *options, "--chunk-rows", 7).stdout == whole
    assert all(json.loads(line)["counterfactual"] is None for line in whole.splitlines())


def test_text_has_the_first_ten_rows_and_says_so(model, data, tmp_path):
    run = explain(tmp_path, data, "--no-counterfactual")
    assert run.stdout.count("\nrow ") == 9
    assert run.stderr == "boxwise: these are the first 10 rows; --row and --limit explain others\n"
    assert explain(tmp_path, data, "--no-counterfactual", "-q").stderr == ""
    assert (
        explain(tmp_path, data, "--no-counterfactual", "--limit", 60).stdout.count("\nrow ") == 59
    )


def test_rows_are_chosen_by_the_number_that_predict_gives_them(model, data, tmp_path, rows):
    run = explain(tmp_path, data, data, "--row", 61, "--row", 3, "--to", "jsonl")
    third, again = map(json.loads, run.stdout.splitlines())
    assert (third["row"], again["row"]) == (3, 61)
    assert again["prediction"] == model.predict([rows[0][0]])[0]
    assert run.stderr == ""


def test_a_row_that_is_not_there_is_named_and_no_file_is_written(model, data, tmp_path):
    run = explain(tmp_path, data, "--row", 3, "--row", 1234, "-o", tmp_path / "why.txt")
    assert run.exit_code == 1
    assert "there is no row 1,234" in run.stderr
    assert not (tmp_path / "why.txt").exists()


def test_a_row_that_is_not_there_is_named_where_the_limit_was_not_reached(model, data, tmp_path):
    options = ("--row", 3, "--row", 1234, "--no-counterfactual")
    assert explain(tmp_path, data, *options, "--limit", 1).exit_code == 0
    run = explain(tmp_path, data, *options, "--limit", 2)
    assert run.exit_code == 1
    assert "there is no row 1,234" in run.stderr


def test_files_without_rows_are_refused(model, data, tmp_path):
    header = data.read_text().splitlines(keepends=True)[0]
    data.write_text(header)
    run = explain(tmp_path, data, "-o", tmp_path / "why.txt")
    assert run.exit_code == 1
    assert run.stderr == f"boxwise: {data} has columns but no rows\n"
    data.write_text(header + "short\n")
    run = explain(tmp_path, data, "--on-error", "skip", "-o", tmp_path / "why.txt")
    assert run.exit_code == 1
    assert "no row could be used; nothing was written" in run.stderr
    assert not (tmp_path / "why.txt").exists()


def test_columns_that_are_fixed_are_not_changed(model, data, tmp_path, rows):
    every = [*rows[0][0]]
    run = explain(tmp_path, data, "--row", 1, "--fix", ",".join(every[:-1]), "--to", "jsonl")
    (why,) = map(json.loads, run.stdout.splitlines())
    found = why["counterfactual"]
    assert found is None or [change["column"] for change in found["changes"]] == [every[-1]]
    run = explain(tmp_path, data, "--fix", "shoe_size")
    assert run.exit_code == 2
    assert "there is no column 'shoe_size'" in run.stderr


def test_the_file_is_written_and_is_never_one_that_is_read(model, data, tmp_path):
    run = explain(tmp_path, data, "--row", 1, "-o", tmp_path / "why.txt")
    assert run.stdout == ""
    assert (tmp_path / "why.txt").read_text(encoding="utf-8").startswith("row 1: ")
    assert explain(tmp_path, data, "-o", data).exit_code == 2


def test_a_model_without_column_names_takes_columns_by_position(tmp_path):
    clf = HyperboxClassifier(categorical_features=[1])
    clf.fit([[20.0, "a"], [60.0, "b"]] * 3, ["no", "yes"] * 3).save(tmp_path / "m.box")
    data = write_csv(tmp_path / "new.csv", [{"age": 30, "job": "a"}])
    run = explain(tmp_path, data, "--fix", "job", "--to", "jsonl")
    (change,) = json.loads(run.stdout)["counterfactual"]["changes"]
    assert change["column"] == "x0"
    assert run.stderr == ""


def test_models_of_other_algorithms_are_refused_with_a_way_out(tmp_path):
    rows = [{"age": 20.0}, {"age": 60.0}]
    ImprovedOnlineGFMM().fit(rows, ["no", "yes"]).save(tmp_path / "m.box")
    run = explain(tmp_path, write_csv(tmp_path / "new.csv", rows))
    assert run.exit_code == 1
    assert "boxwise predict --why shows the box that decides" in run.stderr


def test_a_row_that_is_left_out_keeps_its_number(model, data, tmp_path):
    lines = data.read_text().splitlines(keepends=True)
    lines[1] = "short\n"
    data.write_text("".join(lines))
    run = explain(tmp_path, data, "--on-error", "skip", "--limit", 1, "--no-counterfactual")
    assert run.exit_code == 3
    assert run.stdout.startswith("row 2: ")


def test_several_counterfactuals_are_those_of_the_library(model, data, tmp_path, rows):
    run = explain(tmp_path, data, "--row", 1, "--counterfactuals", 3, "--to", "jsonl")
    (found,) = map(json.loads, run.stdout.splitlines())
    (expected,) = model.explain([rows[0][0]], counterfactuals=3)
    assert found == {**expected.to_dict(), "row": 1}
    assert len(found["counterfactuals"]) > 1
    text = explain(tmp_path, data, "--row", 1, "--counterfactuals", 3).stdout
    assert text.count("It would be") == len(found["counterfactuals"])
    run = explain(tmp_path, data, "--counterfactuals", 2, "--no-counterfactual")
    assert run.exit_code == 2
    assert "leave out one of them" in run.stderr


def test_columns_fixed_by_learn_are_kept_in_the_model(tmp_path, data, rows):
    target = tmp_path / "m.box"
    options = ("--label", "decision", "-o", target, "-q")
    assert boxwise("learn", data, *options, "--fix", "age,salary").exit_code == 0
    assert load(target).immutable == ["salary", "age"]
    asked = ("--counterfactuals", 9, "--to", "jsonl")
    for more in ((), ("--fix", "loan")):
        kept = {"age", "salary", *more[1:]}
        for line in explain(tmp_path, data, *asked, *more).stdout.splitlines():
            for one in json.loads(line)["counterfactuals"]:
                assert not kept & {change["column"] for change in one["changes"]}
    into = ("--label", "decision", "--into", target, "-q")
    assert boxwise("learn", data, *into, "--fix", "loan").exit_code == 0
    assert load(target).immutable == ["salary", "age", "loan"]
    assert boxwise("learn", data, *into).exit_code == 0
    assert load(target).immutable == ["salary", "age", "loan"]
    parts = ("--label", "decision", "-o", target, "-q", "--jobs", 2)
    assert boxwise("learn", data, data, *parts, "--fix", "age").exit_code == 0
    assert load(target).immutable == ["age"]


def test_wrong_columns_to_fix_are_refused_before_learning(tmp_path, data):
    target = tmp_path / "m.box"
    options = ("--label", "decision", "-o", target)
    for more, words in (
        (("--fix", "wage"), "there is no column 'wage'"),
        (("--fix", "decision"), "'decision' is the --label"),
        (("--fix", "age", "--algorithm", "onln-gfmm-m2"), "decisions of ShindeGFMM are not"),
    ):
        run = boxwise("learn", data, *options, *more)
        assert run.exit_code == 2
        assert words in run.stderr
    assert not target.exists()
