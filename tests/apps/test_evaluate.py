"""``boxwise evaluate``, on files as users have them."""

import csv
import gzip
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.apps.cli import app
from boxwise.apps.pictures import PICTURES
from boxwise.datasets import LoanStream
from boxwise.evaluate import prequential

ROWS = 1500


def write(path, pairs, delimiter=","):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", newline="") as file:
        table = csv.writer(file, delimiter=delimiter)
        for n, (row, label) in enumerate(pairs):
            if n == 0:
                table.writerow([*row, "decision"])
            table.writerow([*row.values(), label])
    return str(path)


def stream(rows=ROWS):
    # Postal codes look like numbers, to a file.
    for row, label in LoanStream(rows, function=3, noise=0.05):
        yield {k: v for k, v in row.items() if k != "zip_code"}, label


@pytest.fixture
def loans(tmp_path):
    return write(tmp_path / "loans.csv", stream())


def run(*arguments):
    done = CliRunner().invoke(app, ["evaluate", *map(str, arguments)], env={"COLUMNS": "200"})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def numbers(output, name="boxwise"):
    """Return the numbers on the first line of a learner."""
    cells = re.search(rf"^{name} +(.*)$", output, re.M).group(1).split()
    return [float(cell) for cell in cells[:4]]


def test_the_scores_are_those_of_a_prequential_run_over_the_rows(loans):
    done = run(loans, "--label", "decision")
    assert done.exit_code == 0, done.stderr
    (wanted,) = prequential(HyperboxClassifier(), stream()).summary()
    names = ("accuracy", "cba", "kappa", "balanced_accuracy")
    assert numbers(done.stdout) == [round(wanted[name], 3) for name in names]
    assert f"{wanted['boxes']:,}" in done.stdout


def test_the_table_is_all_of_standard_output(loans):
    done = run(loans, "--label", "decision")
    assert done.stdout.startswith("1,500 rows ")
    assert "last 1,000" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    assert "categorical  education, car" in done.stderr


def test_quiet_says_nothing_on_standard_error(loans):
    assert run(loans, "--label", "decision", "-q").stderr == ""


def test_settings_reach_the_model(loans):
    settings = ("--theta", 0.5, "--delta", 1, "--alpha", 0.3, "--version", 2)
    done = run(loans, "--label", "decision", "--algorithm", "eiol-gfmm", *settings)
    clf = EIOLGFMM(0.5, 1.0, 2, 0.3)
    (wanted,) = prequential(clf, stream()).summary()
    assert numbers(done.stdout)[1] == round(wanted["cba"], 3)


def test_numbers_may_be_measured_by_rank(loans):
    done = run(loans, "--label", "decision", "--scale", "quantile")
    (wanted,) = prequential(HyperboxClassifier(scale="quantile"), stream()).summary()
    assert numbers(done.stdout)[1] == round(wanted["cba"], 3)


def test_the_prior_of_the_classes_may_be_set(loans):
    done = run(loans, "--label", "decision", "--class-prior", "auto")
    clf = HyperboxClassifier(class_prior="auto")
    (wanted,) = prequential(clf, stream()).summary()
    assert numbers(done.stdout)[1] == round(wanted["cba"], 3)


def test_rare_classes_that_are_missed_bring_up_the_prior_of_the_classes(tmp_path, loans):
    rare = (({"x": i * 7 % 100}, "yes" if i % 20 == 0 else "no") for i in range(400))
    file, words = write(tmp_path / "rare.csv", rare), "--class-prior auto optimises CBA"
    assert words in run(file, "--label", "decision").stderr
    assert words in run(file, "--label", "decision", "--cv", 2).stderr
    assert words not in run(file, "--label", "decision", "--class-prior", "auto").stderr
    assert words not in run(file, "--label", "decision", "--algorithm", "eiol-gfmm").stderr
    assert words not in run(loans, "--label", "decision").stderr
    assert run(file, "--label", "decision", "--quiet").stderr == ""


@pytest.mark.parametrize("option", ["--output", "--plot"])
def test_a_file_to_evaluate_is_not_overwritten(loans, tmp_path, option):
    file = tmp_path / {"--output": "loans.csv", "--plot": "loans.png"}[option]
    before = open(loans, "rb").read()  # noqa: PTH123, SIM115
    file.write_bytes(before)
    done = run(file, "--label", "decision", option, file)
    assert done.exit_code == 2
    assert f"Invalid value for {option}" in done.stderr
    assert "is a file to read, and would be overwritten" in done.stderr
    assert file.read_bytes() == before


@pytest.mark.parametrize("wrong", [("--theta", "-1"), ("--alpha", "2"), ("--alpha", "estimate")])
def test_wrong_settings_are_refused_before_any_work(loans, wrong):
    done = run(loans, "--label", "decision", "--algorithm", "eiol-gfmm", *wrong)
    assert done.exit_code == 2
    assert wrong[0].strip("-") in done.stderr
    assert done.stdout == ""


def test_learners_of_river_get_the_same_rows(loans):
    pytest.importorskip("river")
    names = ["hoeffding-tree", "naive-bayes", "majority"]
    done = run(loans, "--label", "decision", "--against", "hoeffding-tree, naive-bayes",
               "--against", "majority")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert all(len(numbers(done.stdout, name)) == 4 for name in names)


def test_gaps_and_text_are_no_trouble_to_any_learner(tmp_path):
    pytest.importorskip("river")
    holed = (
        ({k: "?" if (n + i) % 7 == 0 else v for i, (k, v) in enumerate(row.items())}, label)
        for n, (row, label) in enumerate(stream(300))
    )
    file = write(tmp_path / "holed.csv", holed)
    done = run(file, "--label", "decision", "--missing", "?", "--against",
               "hoeffding-tree,adaptive-hoeffding-tree,naive-bayes,arf,no-change")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "arf" in done.stdout


def test_an_unknown_learner_lists_the_known(loans):
    done = run(loans, "--label", "decision", "--against", "svm")
    assert done.exit_code == 2
    assert "no learner 'svm'; there are hoeffding-tree" in done.stderr


def test_without_river_it_says_what_to_install(loans, monkeypatch):
    monkeypatch.setitem(sys.modules, "river", None)
    done = run(loans, "--label", "decision", "--against", "arf")
    assert done.exit_code == 1
    assert 'pip install "boxwise[river]"' in done.stderr


def test_results_are_written_every_so_many_rows(loans, tmp_path):
    out = tmp_path / "scores.jsonl"
    done = run(loans, "--label", "decision", "--every", 400, "--window", 300, "--output", out)
    assert done.exit_code == 0, done.stderr
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["rows"] for row in rows] == [400, 800, 1200, 1500]
    assert "last 300" in done.stdout


@pytest.mark.parametrize("ending", PICTURES)
def test_a_picture_is_drawn(loans, tmp_path, ending):
    pytest.importorskip("matplotlib")
    picture = tmp_path / f"scores{ending}"
    assert run(loans, "--label", "decision", "--plot", picture).exit_code == 0
    assert picture.stat().st_size > 1000


def test_a_plot_with_hardly_any_points_suggests_a_smaller_window(loans, tmp_path):
    pytest.importorskip("matplotlib")
    plot = ("--label", "decision", "--plot", tmp_path / "scores.svg")
    done = run(loans, *plot)
    assert "has only 2 points; --window 150 draws about 10" in done.stderr
    assert "points" not in run(loans, *plot, "--window", 150).stderr
    assert "points" not in run(loans, *plot, "-q").stderr


@pytest.mark.parametrize(
    ("option", "name", "said"),
    [
        ("--output", "scores.txt", ".csv, .json, .jsonl"),
        ("--plot", "scores.txt", ".png, .svg, .pdf"),
        ("--output", "nowhere/scores.csv", "there is no folder"),
        ("--plot", "nowhere/scores.png", "there is no folder"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_any_work(
    loans, tmp_path, option, name, said
):
    done = run(loans, "--label", "decision", option, tmp_path / name)
    assert done.exit_code in (1, 2)
    assert said in done.stderr
    assert done.stdout == ""


def test_the_run_ends_at_the_limit(loans):
    assert run(loans, "--label", "decision", "--limit", 123).stdout.startswith("123 rows ")


def test_files_are_read_as_learn_reads_them(tmp_path):
    pairs = [*stream()]
    one = write(tmp_path / "one.csv.gz", pairs[:700], delimiter=";")
    other = write(tmp_path / "other.csv.gz", pairs[700:], delimiter=";")
    done = run(one, other, "--label", "decision", "--drop", "car", "--categorical", "years")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("1,500 rows ")
    assert "categorical  education, years" in done.stderr


def test_a_column_declared_categorical_is_one_to_all_learners(tmp_path):
    pytest.importorskip("river")
    pairs = [({"code": n * 7 % 10, "noise": n % 3}, n * 7 % 10 in (1, 4, 6)) for n in range(1000)]
    file = tmp_path / "codes.jsonl"
    lines = (json.dumps({**row, "decision": str(label)}) for row, label in pairs)
    file.write_text("\n".join(lines))
    done = run(file, "--label", "decision", "--categorical", "code", "--window", 100,
               "--against", "hoeffding-tree", "--delta", 0)  # fmt: skip
    recent = done.stdout[done.stdout.index("last 100") :]
    assert numbers(recent)[0] == numbers(recent, "hoeffding-tree")[0] == 1


def test_only_some_columns_are_kept_besides_the_label(loans):
    done = run(loans, "--label", "decision", "--only", "age,education")
    assert done.exit_code == 0, done.stderr
    kept = (({k: row[k] for k in ("age", "education")}, label) for row, label in stream())
    (wanted,) = prequential(HyperboxClassifier(), kept).summary()
    assert numbers(done.stdout)[1] == round(wanted["cba"], 3)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--label", "loan"), 1, "column 'loan': its values, such as"),
        (("--label", "decision", "--drop", "decision"), 2, "'decision' is the --label"),
        (("--label", "decision", "--categorical", "decision"), 2, "'decision' is the --label"),
    ],
)
def test_a_label_that_cannot_be_one_is_refused(loans, options, code, words):
    done = run(loans, *options)
    assert (done.exit_code, done.stdout) == (code, "")
    assert words in done.stderr


def test_cross_validation_tells_mean_and_spread_over_the_folds(loans, tmp_path):
    out = tmp_path / "folds.csv"
    done = run(loans, "--label", "decision", "--cv", 4, "--output", out)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("1,500 rows, 4 folds ")
    folds = [*csv.DictReader(out.read_text().splitlines())]
    assert [fold["fold"] for fold in folds] == ["1", "2", "3", "4"]
    assert sum(int(fold["predicted"]) for fold in folds) == ROWS
    mean = sum(float(fold["cba"]) for fold in folds) / 4
    assert numbers(done.stdout)[1] == round(mean, 3)
    assert re.search(r"^ +(±0\.\d{3} *){4}$", done.stdout, re.M)


def test_cross_validation_is_that_of_scikit_learn(loans):
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    rows, labels = zip(*stream(), strict=True)
    folds = StratifiedKFold(3, shuffle=True, random_state=5)
    wanted = cross_val_score(HyperboxClassifier(), [*rows], [*labels], cv=folds).mean()
    done = run(loans, "--label", "decision", "--cv", 3, "--seed", 5)
    assert numbers(done.stdout)[0] == round(wanted, 3)


def test_one_class_alone_is_evaluated_without_what_needs_two(tmp_path):
    file = write(tmp_path / "one.csv", (({"x": i}, "only") for i in range(60)))
    for more in ((), ("--cv", 3)):
        done = run(file, "--label", "decision", "--cost", "fn=5,fp=1", *more)
        assert done.exit_code == 0, done.stderr
        assert numbers(done.stdout.replace("-", "0"))[0] == 1
        assert "no costs: costs need two classes, and all rows are 'only'" in done.stdout


@pytest.mark.parametrize("option", [("--against", "arf"), ("--plot", "a.png")])
def test_what_cross_validation_does_not_do_is_refused(loans, option):
    done = run(loans, "--label", "decision", "--cv", 3, *option)
    assert done.exit_code == 2
    assert option[0] in done.stderr


def test_more_folds_than_rows_of_a_class_are_refused(tmp_path):
    file = write(tmp_path / "few.csv", stream(6))
    done = run(file, "--label", "decision", "--cv", 20)
    assert done.exit_code == 1
    assert "20 folds cannot be made" in done.stderr


def test_a_missing_label_column_is_named(loans):
    done = run(loans, "--label", "decisions")
    assert done.exit_code == 1
    assert "no label column 'decisions'; did you mean 'decision'" in done.stderr


def test_a_bad_row_names_file_line_and_column_or_is_left_out(tmp_path):
    from boxwise.files import KIND_ROWS

    lines = ["age,decision", *(f"{n % 60},{n % 2}" for n in range(KIND_ROWS + 50)), "old,1"]
    file = tmp_path / "ages.csv"
    file.write_text("\n".join(lines))
    done = run(file, "--label", "decision")
    assert done.exit_code == 1
    assert f"ages.csv, line {len(lines)}, column 'age': 'old'" in done.stderr
    done = run(file, "--label", "decision", "--on-error", "skip")
    assert done.exit_code == 3
    assert "1 row was left out" in done.stderr
    assert done.stdout.startswith("10,050 rows ")


def test_a_file_of_which_no_row_can_be_used_fails(tmp_path):
    file = tmp_path / "none.csv"
    file.write_text("age,decision\n1,\n2,\n")
    for more in ((), ("--cv", 2)):
        done = run(file, "--label", "decision", "--on-error", "skip", *more)
        assert done.exit_code == 1
        assert "no row could be used" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send there")
def test_ctrl_c_shows_and_writes_the_scores_so_far(tmp_path):
    out = tmp_path / "scores.csv"
    command = [sys.executable, "-m", "boxwise.apps", "evaluate", "-", "--label", "decision"]
    done = subprocess.Popen(
        [*command, "--window", "500", "--chunk-rows", "1000", "--output", str(out)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    done.stdin.write("age,decision\n" + "".join(f"{n % 60},{n % 2}\n" for n in range(60_000)))
    done.stdin.flush()
    for line in done.stderr:  # the columns are shown when the first rows have come
        if "label" in line:
            break
    with pytest.raises(subprocess.TimeoutExpired):
        done.wait(3)  # it waits for more
    done.send_signal(signal.SIGINT)
    output, errors = done.communicate(timeout=60)
    assert done.returncode == 130, errors
    assert "Traceback" not in errors
    assert "stopped; the scores are those of the first" in errors
    rows = int(re.match(r"([\d,]+) rows ", output).group(1).replace(",", ""))
    assert rows >= 500
    assert rows % 500 == 0
    assert int([*csv.DictReader(out.open())][-1]["rows"]) == rows


@pytest.mark.parametrize("more", [(), ("--cv", "2")])
def test_many_numbers_as_labels_are_questioned_and_thousands_refused(tmp_path, more):
    path = write(tmp_path / "a.csv", [({"a": i % 7}, i % 40) for i in range(200)])
    done = run(path, "--label", "decision", *more)
    assert done.exit_code == 0
    assert "column 'decision' has 40 different numbers so far" in done.stderr
    done = run(path, "--label", "decision", "--classes-are-numbers", *more)
    assert done.exit_code == 0
    assert "different numbers" not in done.stderr
    path = write(tmp_path / "a.csv", [({"a": i % 7}, i) for i in range(1_001)])
    done = run(path, "--label", "decision", *more)
    assert done.exit_code == 1
    assert "column 'decision': more than 1,000 different numbers" in done.stderr
