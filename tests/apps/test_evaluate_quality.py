"""``boxwise evaluate``: probabilities, groups, costs, and scikit-learn's learners beside."""

import csv
import json
import random
import re

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from boxwise import HyperboxClassifier
from boxwise.evaluate import prequential
from boxwise.evaluate.batch_peers import batch_peer, batch_peer_names
from tests.apps.running import boxwise, write_csv

SEXES = ["f", "m", ""]


def people(n=500, seed=0):
    """Return rows in which one group is predicted less well than the others."""
    random.seed(seed)
    rows = []
    for _ in range(n):
        sex = random.choices(SEXES, [40, 55, 5])[0]
        income = random.gauss(50, 15)
        odds = (income - 50) / (5 if sex == "m" else 20) + random.gauss(0, 0.5)
        rows.append({"income": round(income, 1), "job": random.choice(["cook", "smith", ""]),
                     "sex": sex, "grade": "yes" if odds > 0 else "no"})  # fmt: skip
    return rows


@pytest.fixture
def file(tmp_path):
    return write_csv(tmp_path / "people.csv", people())


def evaluate(*arguments):
    return boxwise("evaluate", *arguments, "--label", "grade", columns=80)


def pairs(without=()):
    for row in people():
        x = {k: v or None for k, v in row.items() if k != "grade" and k not in without}
        yield x, row["grade"]


def written(path):
    """Return the rows of a file of figures by what they are of."""
    with path.open(newline="") as lines:
        rows = [*csv.DictReader(lines)]
    keys = ("learner", "by", "group", "class", "predicted_as", "figure", "note")
    return {tuple(row[key] for key in keys): row for row in rows}


def test_auc_log_loss_brier_and_f1_are_shown_with_intervals(file):
    done = evaluate(file, "-q")
    found = prequential(HyperboxClassifier(), pairs(), probabilities=True).assessments()
    (found,) = found.values()
    table = done.output.partition("AUC")[2]
    values, ends = (re.findall(r"-?\d\.\d{3}", line) for line in table.splitlines()[1:3])
    its = [found.figures[name] for name in ("auc", "log_loss", "brier", "macro_f1")]
    assert values == [f"{f.value:.3f}" for f in its]
    assert ends == [f"{end:.3f}" for f in its for end in (f.low, f.high)]
    assert "95% intervals: bootstrap over 50 blocks" in done.output


def test_details_show_classes_and_the_confusion_matrix_only_if_asked(file):
    assert "true, predicted" not in evaluate(file, "-q").output
    output = evaluate(file, "-q", "--details").output
    assert "precision" in output
    matrix = output[output.index("true, predicted") :].splitlines()[1:3]
    cells = [int(n) for line in matrix for n in line.split()[1:]]
    assert sum(cells) == 499


def test_all_tables_fit_80_columns(file):
    output = evaluate(
        file, "-q", "--details", "--group", "sex,job", "--cost", "fn=5,fp=1", "--cv", 3,
        "--against", "hist-gradient-boosting",
    ).output  # fmt: skip
    assert max(len(line) for line in output.splitlines()) <= 80


def test_groups_are_compared_and_missing_values_are_one(file, tmp_path):
    out = tmp_path / "figures.csv"
    done = evaluate(file, "--group", "sex", "--figures", out)
    assert done.exit_code == 0, done.output
    assert "groups of sex (selected: predicted as yes)" in done.stdout
    assert re.search(r"^missing \* +\d+", done.stdout, re.M)
    assert re.search(r"^ratio of the selection rates: \d\.\d{3} \(", done.stdout, re.M)
    assert "group        sex\n" in done.stderr
    rows = written(out)
    sizes = {g: int(rows["boxwise", "sex", g, "", "", "accuracy", note]["rows"])
             for g, note in (("m", ""), ("f", ""), ("missing", "small"))}  # fmt: skip
    assert sizes == {g or "missing": sum(r["sex"] == g for r in people()[1:]) for g in SEXES}


@pytest.mark.parametrize("option", [("--drop", "sex"), ("--only", "income,job")])
@pytest.mark.parametrize("cv", [(), ("--cv", 3)])
def test_a_group_column_need_not_be_learned(file, option, cv):
    done = evaluate(file, "--group", "sex", *option, *cv)
    assert done.exit_code == 0, done.output
    assert "group        sex (not learned)" in done.stderr
    assert "numeric      income\n  categorical  job\n" in done.stderr
    without = evaluate(file, "-q", *option, *cv)
    scores = re.search(r"^boxwise +(.*)$", without.output, re.M).group(1).split()[:4]
    assert re.search(r"^boxwise +(.*)$", done.stdout, re.M).group(1).split()[:4] == scores
    assert "groups of sex" in done.stdout


def test_groups_stay_with_their_rows_where_rows_are_left_out(tmp_path):
    rows = [{"x": i % 10, "g": "even" if i % 2 == 0 else "odd", "grade": i % 2} for i in range(300)]
    for i in range(0, 300, 7):
        rows[i]["grade"] = ""
    path = write_csv(tmp_path / "gaps.csv", rows)
    out = tmp_path / "figures.csv"
    done = evaluate(path, "-q", "--group", "g", "--on-error", "skip", "--figures", out)
    assert done.exit_code == 3, done.output
    table = written(out)
    # In a group all rows are of one class.
    assert float(table["boxwise", "g", "even", "0", "", "recall", ""]["value"]) > 0.9
    assert table["boxwise", "g", "even", "1", "", "recall", ""]["value"] == ""


def test_the_best_threshold_is_found_and_compared(file):
    done = evaluate(file, "-q", "--cost", "fn=5,fp=1", "--positive", "yes")
    (found,) = prequential(
        HyperboxClassifier(), pairs(), cost="fn=5,fp=1", positive="yes"
    ).assessments().values()  # fmt: skip
    for name, decision in zip(("best", "0.5"), found.cost.decisions, strict=False):
        line = re.search(rf"^{re.escape(name)} +(.*)$", done.output, re.M).group(1).split()
        assert float(line[0]) == pytest.approx(decision.threshold, abs=1e-4)
        assert line[1:3] == [str(decision.false_negatives), str(decision.false_positives)]
        assert float(line[3].replace(",", "")) == decision.cost
    for words in ("always yes", "never yes", "fp/(fn+fp)", "chosen on the first half"):
        assert words in done.output


def test_under_cross_validation_thresholds_are_chosen_on_the_other_folds(file):
    done = evaluate(file, "-q", "--cost", "fn=5,fp=1", "--cv", 3)
    assert "chosen on the other folds, used on each fold" in done.output


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--group", "age"), 2, "there is no column 'age'; there are income, job, sex, grade"),
        (("--group", "grade"), 2, "'grade' is the --label"),
        (("--group", "income"), 1, "--group income: the column has"),
        (("--cost", "fn=5,tp=1"), 2, "there is no cost 'tp'"),
        (("--cost", "fn=5"), 2, "the cost fp is not given"),
        (("--cost", "fn=0,fp=0"), 2, "both 0"),
        (("--positive", "yess"), 2, "is of the class 'yess'; did you mean 'yes'?"),
        (("--positive", "x"), 2, "there are 'no', 'yes'"),
        (("--figures", "figures.txt"), 2, ".csv, .json, .jsonl"),
        (("--against", "random-forest"), 2, "random-forest learns all rows at once"),
        (("--against", "arf", "--cv", 3), 2, "arf is a learner of River"),
        (("--against", "svm", "--cv", 3), 2, "no learner 'svm'; there are random-forest"),
    ],
)
def test_what_cannot_be_assessed_is_refused_before_any_score(file, options, code, words):
    done = evaluate(file, *options)
    assert (done.exit_code, done.stdout) == (code, "")
    assert words in " ".join(done.stderr.split())


def test_three_classes_need_a_positive_one_for_costs(tmp_path):
    rows = [{"x": i % 3 + random.random(), "grade": "abc"[i % 3]} for i in range(300)]
    path = write_csv(tmp_path / "three.csv", rows)
    done = evaluate(path, "--cost", "fn=5,fp=1")
    assert done.exit_code == 2
    assert "there are 3 classes, and costs need two" in " ".join(done.stderr.split())
    done = evaluate(path, "-q", "--cost", "fn=5,fp=1", "--positive", "b")
    assert done.exit_code == 0
    assert "always b" in done.output


def test_labels_that_are_numbers_can_be_positive(tmp_path):
    rows = [json.dumps({"x": i % 5, "grade": i % 2}) for i in range(100)]
    path = tmp_path / "numbers.jsonl"
    path.write_text("\n".join(rows))
    done = evaluate(path, "-q", "--cost", "fn=5,fp=1", "--positive", "0")
    assert done.exit_code == 0, done.output
    assert "positive: 0, 49 of 99 rows" in done.output


def test_figures_are_written_for_every_learner(file, tmp_path):
    out = tmp_path / "figures.csv"
    evaluate(file, "-q", "--figures", out, "--cv", 3, "--against", "logistic-regression")
    rows = written(out)
    assert {key[0] for key in rows} == {"boxwise", "logistic-regression"}
    auc = rows["logistic-regression", "", "", "", "", "auc", ""]
    assert 0.5 < float(auc["low"]) < float(auc["value"]) < float(auc["high"]) <= 1
    cells = [int(rows["boxwise", "", "", t, p, "confusion", ""]["value"])
             for t in ("no", "yes") for p in ("no", "yes")]  # fmt: skip
    assert sum(cells) == 500


def test_scores_of_folds_and_steps_have_the_new_columns(file, tmp_path):
    for more in ((), ("--cv", 3)):
        evaluate(file, "-q", "--output", tmp_path / "scores.json", *more)
        rows = json.loads((tmp_path / "scores.json").read_text())
        assert all(0 < row["log_loss"] < 2 and 0 < row["brier"] < 0.5 for row in rows)
        assert 0.5 < rows[-1]["auc"] <= 1
        assert 0.5 < rows[-1]["macro_f1"] <= 1


@pytest.mark.parametrize("name", batch_peer_names())
def test_learners_of_scikit_learn_are_scored_on_the_same_folds(file, tmp_path, name):
    out = tmp_path / "folds.json"
    done = evaluate(file, "-q", "--cv", 3, "--seed", 4, "--against", name, "-o", out)
    assert done.exit_code == 0, done.output
    found = [row for row in json.loads(out.read_text()) if row["learner"] == name]
    x, y = zip(*pairs(), strict=True)
    peer = batch_peer(name, ["income"], ["job", "sex"])
    folds = StratifiedKFold(3, shuffle=True, random_state=4)
    p = cross_val_predict(peer, [*x], [*y], cv=folds, method="predict_proba")[:, 1]
    wanted = [roc_auc_score(np.array(y)[test] == "yes", p[test]) for _, test in folds.split(x, y)]
    assert [row["auc"] for row in found] == pytest.approx(wanted)
    assert found[0]["boxes"] is None


def test_a_learner_that_fails_on_the_folds_is_named(tmp_path):
    path = write_csv(tmp_path / "one.csv", [{"x": i, "grade": "a"} for i in range(30)])
    done = evaluate(path, "--cv", 3, "--against", "logistic-regression")
    assert done.exit_code == 1
    assert "cannot be made or learned: logistic-regression: " in done.stderr
