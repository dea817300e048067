"""Test-then-train, by learners whose every call is known and by real ones."""

import csv
import json
import math
import warnings
from itertools import count

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.svm import SVC

from boxwise import AgglomerativeGFMM, HyperboxClassifier
from boxwise.datasets import LoanStream, loans
from boxwise.evaluate import LearnerError, Prequential, prequential


class NoChange:
    """River's methods: predicts the label learned last, and keeps a diary."""

    def __init__(self):
        self.diary = []

    def predict_one(self, x):
        self.diary.append(("predict", x))
        learned = [what for what in self.diary if what[0] == "learn"]
        return learned[-1][2] if learned else None

    def learn_one(self, x, y):
        self.diary.append(("learn", x, y))


class InBlocks(NoChange):
    """Ours: the same, with many rows in one call."""

    unlabelled = None
    predict_one_by_one = NoChange.predict_one
    learn_one_by_one = NoChange.learn_one
    predict_one = learn_one = property()  # not there

    def test_then_train(self, X, y):
        guesses = []
        for row, label in zip(X, y, strict=True):
            guesses.append(self.predict_one_by_one(row))
            self.learn_one_by_one(row, label)
        return np.array(guesses, dtype=object)


class Failing(NoChange):
    def learn_one(self, x, y):
        if x["n"] == 7:
            raise ZeroDivisionError("seven is too many")
        super().learn_one(x, y)


def numbered(labels):
    return [({"n": n}, label) for n, label in enumerate(labels)]


def without_times(result):
    timed = ("seconds", "rows_per_second")
    return [{k: v for k, v in row.items() if k not in timed} for row in result.to_rows()]


def same(one, other):
    """Whether rows are equal, nan being equal to nan."""
    return repr(one) == repr(other)


def test_each_row_is_predicted_before_it_is_learned():
    learner = NoChange()
    prequential(learner, numbered("ab"))
    assert learner.diary == [
        ("predict", {"n": 0}),
        ("learn", {"n": 0}, "a"),
        ("predict", {"n": 1}),
        ("learn", {"n": 1}, "b"),
    ]


def test_a_row_without_a_prediction_is_not_scored_but_reported():
    (row,) = prequential(NoChange(), numbered("aab")).summary()
    assert (row["rows"], row["scored"], row["unpredicted"]) == (3, 2, 1)
    assert row["accuracy"] == 0.5


def test_the_window_is_over_the_last_rows_scored():
    (row,) = prequential(NoChange(), numbered("ababbbb"), window=3).summary()
    assert row["recent_accuracy"] == 1
    assert row["accuracy"] == 0.5


def test_points_are_made_every_so_many_rows_and_at_the_end():
    result = prequential(NoChange(), numbered("ab" * 5), every=4)
    assert [point.rows for point in result.points["NoChange"]] == [4, 8, 10]
    assert result.rows == 10


def test_points_are_made_every_window_unless_told():
    result = prequential(NoChange(), numbered("ab" * 5), window=5)
    assert [point.rows for point in result.points["NoChange"]] == [5, 10]


@pytest.mark.parametrize("block", [1, 7, 100, 5000])
def test_the_size_of_blocks_changes_nothing(monkeypatch, block):
    def run():
        learners = {"boxes": HyperboxClassifier(0.3, 1.0), "other": NoChange()}
        stream = LoanStream(1500, function=3, noise=0.1, drift_at=700)
        return without_times(prequential(learners, stream, window=200, every=130))

    wanted = run()
    monkeypatch.setitem(prequential.__globals__, "BLOCK", block)
    assert same(run(), wanted)


def test_predictions_in_blocks_are_those_of_predict_and_partial_fit_row_by_row():
    stream = LoanStream(400, function=2, noise=0.05)
    (row,) = prequential(HyperboxClassifier(0.3), stream).summary()
    clf, right, pairs = HyperboxClassifier(0.3), 0, [*stream]
    for number, (x, y) in enumerate(pairs):
        right += number > 0 and clf.predict([x])[0] == y
        clf.partial_fit([x], [y])
    assert row["accuracy"] == right / (len(pairs) - 1)
    assert row["boxes"] == len(clf.boxes_)
    assert row["memory"] > 0


def test_learners_side_by_side_get_the_results_they_get_alone():
    def learners():
        return {"small": HyperboxClassifier(0.1), "large": HyperboxClassifier(0.5)}

    stream = LoanStream(1200, function=4)
    together = without_times(prequential(learners(), stream))
    for name, learner in learners().items():
        alone = without_times(prequential({name: learner}, stream))
        assert same([row for row in together if row["learner"] == name], alone)


def test_the_source_is_read_once():
    stream = iter(numbered("abab"))
    result = prequential({"one": NoChange(), "other": NoChange()}, stream)
    assert [row["rows"] for row in result.summary()] == [4, 4]


def test_a_stream_without_end_is_read_up_to_the_limit():
    source = (({"n": n}, n % 2) for n in count())
    assert prequential(NoChange(), source, limit=2500).rows == 2500
    assert next(source)[0] == {"n": 2500}


def test_no_rows_give_no_scores_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = prequential({"a": HyperboxClassifier(), "b": NoChange()}, [])
        assert "0 rows" in repr(result)
    for row in result.summary():
        assert row["rows"] == row["scored"] == 0
        assert math.isnan(row["cba"])
        assert math.isnan(row["rows_per_second"])
        assert row["boxes"] is None


def test_one_class_alone_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (row,) = prequential(HyperboxClassifier(), numbered("aaaa")).summary()
    assert row["accuracy"] == 1
    assert math.isnan(row["kappa"])


def test_progress_is_told_the_points_of_all_learners():
    told = []
    learners = {"one": NoChange(), "other": NoChange()}
    prequential(learners, numbered("abab"), every=2, progress=told.append)
    assert [[(p.learner, p.rows) for p in points] for points in told] == [
        [("one", 2), ("other", 2)],
        [("one", 4), ("other", 4)],
    ]


def test_an_interrupted_run_keeps_the_results_of_its_last_step():
    def source():
        yield from numbered("ab" * 50)
        raise KeyboardInterrupt

    run = Prequential(NoChange(), source(), every=30)
    with pytest.raises(KeyboardInterrupt):
        for _ in run:
            pass
    assert run.rows == run.summary()[0]["rows"] == 90
    assert [*run] == []


def test_an_interruption_of_one_learner_leaves_a_whole_step_for_each():
    class Interrupted(NoChange):
        def learn_one(self, x, y):
            if x["n"] == 70:
                raise KeyboardInterrupt

    run = Prequential({"one": NoChange(), "other": Interrupted()}, numbered("ab" * 50), every=30)
    with pytest.raises(KeyboardInterrupt):
        list(run)
    assert [(row["learner"], row["rows"]) for row in run.to_rows()] == [
        ("one", 30),
        ("other", 30),
        ("one", 60),
        ("other", 60),
    ]


def test_the_memory_of_a_river_model_is_measured_at_the_end_only():
    class Heavy(NoChange):
        _raw_memory_usage = 4711

    for rows, steps in ((8, 2), (9, 3)):
        result = prequential(Heavy(), numbered("a" * rows), every=4)
        memory = [point.memory for point in result.points["Heavy"]]
        assert memory == [None] * (steps - 1) + [4711]


@pytest.mark.parametrize("every", [3, 1000])
def test_an_error_says_which_learner_failed_on_which_row(every):
    learners = {"good": NoChange(), "bad": Failing()}
    with pytest.raises(LearnerError, match=r"'bad', row 7 .*: ZeroDivisionError: seven") as caught:
        prequential(learners, numbered("ab" * 9), every=every)
    assert (caught.value.learner, caught.value.row) == ("bad", 7)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_the_row_is_found_that_a_learner_of_blocks_cannot_take():
    pairs = [({"age": float(n)}, "a") for n in range(50)]
    pairs[33] = ({"age": "old"}, "b")
    with pytest.raises(LearnerError, match=r"row 33 of the stream.*column 'age': 'old'") as caught:
        prequential(HyperboxClassifier(), pairs, every=20)
    assert caught.value.row == 33


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_rows_without_a_label_are_learned_by_those_that_can_and_scored_for_none(missing):
    labels = ["a", None, "b", missing, "b"]
    plain, blocks = NoChange(), InBlocks()
    can = InBlocks()
    can.unlabelled = "?"
    learners = {"plain": plain, "blocks": blocks, "can": can}
    result = prequential(learners, numbered(labels))
    for learner in (plain, blocks):
        assert [what[2] for what in learner.diary if what[0] == "learn"] == ["a", "b", "b"]
    assert [what[2] for what in can.diary if what[0] == "learn"] == ["a", "?", "b", "?", "b"]
    for row in result.summary():
        assert (row["rows"], row["unlabelled"], row["unpredicted"]) == (5, 2, 1)
        assert row["scored"] == 2
    assert "2 rows have no label" in repr(result)


def test_ours_learns_unlabelled_rows_if_told_a_mark():
    pairs = [(x, None if n % 3 else y) for n, (x, y) in enumerate(LoanStream(300, function=1))]
    learners = {"told": HyperboxClassifier(unlabelled=-1), "not told": HyperboxClassifier()}
    told, not_told = prequential(learners, pairs).summary()
    assert told["scored"] + told["unpredicted"] == not_told["scored"] + 1 == 100


@pytest.mark.parametrize("kind", ["rows", "lists", "array", "pandas", "polars"])
def test_a_table_and_its_labels_are_a_source(kind):
    columns = {"a": [0.0, 1.0, 0.1, 0.9], "b": [5.0, 6.0, 5.0, 6.0]}
    rows = [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    table = {
        "rows": rows,
        "lists": [[*row.values()] for row in rows],
        "array": np.array([[*row.values()] for row in rows]),
        "pandas": pd.DataFrame(columns),
        "polars": pl.DataFrame(columns),
    }[kind]
    learners = {"ours": HyperboxClassifier(), "river": NoChange(), "sklearn": SGDClassifier()}
    labels = np.array([0, 1, 0, 1]) if kind == "array" else [0, 1, 0, 1]
    result = prequential(learners, (table, labels), classes=[0, 1])
    assert [row["scored"] for row in result.summary()] == [3, 3, 3]
    names = {"lists": [0, 1], "array": [0, 1]}.get(kind, ["a", "b"])
    assert [*learners["river"].diary[0][1]] == names


def test_scikit_learns_incremental_learners_take_rows_of_numbers():
    rows, labels = loans(600, function=7)
    numbers = [{k: v / 1e5 for k, v in row.items() if k in ("salary", "loan")} for row in rows]
    learner = SGDClassifier(random_state=0)
    source = zip(numbers, labels, strict=True)
    (row,) = prequential(learner, source, classes=["approved", "declined"]).summary()
    assert row["unpredicted"] == 1
    assert row["accuracy"] > 0.6
    assert learner.t_ == 601


def test_scikit_learns_demand_for_classes_is_passed_on():
    with pytest.raises(LearnerError, match="classes must be passed"):
        prequential(SGDClassifier(), [([1.0], "a")])


@pytest.mark.parametrize("learner", [SVC(), AgglomerativeGFMM(), object()])
def test_a_learner_that_needs_all_rows_is_refused(learner):
    with pytest.raises(TypeError, match=f"{type(learner).__name__} cannot learn row by row"):
        prequential(learner, numbered("ab"))


def test_one_object_under_two_names_is_refused():
    learner = NoChange()
    with pytest.raises(ValueError, match="'one' and 'other' are the same object"):
        prequential({"one": learner, "other": learner}, numbered("ab"))


def test_no_learner_is_refused():
    with pytest.raises(ValueError, match="no learner"):
        prequential({}, numbered("ab"))


@pytest.mark.parametrize("source", [{"a": 1}, "data.csv", 5, None])
def test_what_is_no_source_is_refused(source):
    with pytest.raises(TypeError, match=r"give pairs of a row and its label, or .*\(X, y\)"):
        prequential(NoChange(), source)


def test_rows_without_labels_are_refused():
    with pytest.raises(TypeError, match="row 0 of the source is not a pair"):
        prequential(NoChange(), [{"a": 1, "b": 2}])


def test_a_table_and_labels_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="2 rows, but there are 1 labels"):
        prequential(NoChange(), ([[1], [2]], ["a"]))


@pytest.mark.parametrize("name", ["window", "every"])
def test_no_rows_at_a_time_is_refused(name):
    with pytest.raises(
        ValueError, match=f"{name} must be a whole number of rows, at least 1, not 0"
    ):
        prequential(NoChange(), numbered("ab"), **{name: 0})


def test_the_table_has_a_line_for_each_learner_and_fits_a_terminal():
    learners = {"adaptive-hoeffding-tree": NoChange(), "boxwise": HyperboxClassifier()}
    text = repr(prequential(learners, LoanStream(1500)))
    assert all(len(line) <= 80 for line in text.splitlines())
    assert [line.split()[0] for line in text.splitlines() if line] == [
        "1,500",
        *learners,
        "last",
        *learners,
    ]


def test_results_are_written_as_csv_json_and_json_lines(tmp_path):
    learners = {"boxes, of ours": HyperboxClassifier(), "other": NoChange()}
    result = prequential(learners, LoanStream(250), every=100)
    for ending in ("csv", "json", "jsonl"):
        result.write(tmp_path / f"results.{ending}")
    table = [*csv.DictReader((tmp_path / "results.csv").read_text().splitlines())]
    whole = json.loads((tmp_path / "results.json").read_text())
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert whole == lines
    assert [(row["learner"], row["rows"]) for row in whole] == [
        (name, rows) for rows in (100, 200, 250) for name in learners
    ]
    assert [float(row["cba"]) for row in table] == [row["cba"] for row in whole]
    assert table[1]["boxes"] == ""
    assert whole[1]["boxes"] is None
    assert len([*tmp_path.iterdir()]) == 3


def test_what_is_not_a_number_is_null_in_json(tmp_path):
    prequential(NoChange(), []).write(tmp_path / "results.json")
    assert json.loads((tmp_path / "results.json").read_text())[0]["cba"] is None


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"results.txt: .* \.csv, \.json, \.jsonl"):
        prequential(NoChange(), numbered("ab")).write(tmp_path / "results.txt")


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(tmp_path):
    (tmp_path / "results.csv").mkdir()
    with pytest.raises(OSError, match=r"results\.csv"):
        prequential(NoChange(), numbered("ab")).write(tmp_path / "results.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["results.csv"]


def test_what_a_learner_takes_for_no_label_is_not_scored() -> None:
    pairs = [({"a": i % 7}, -1 if i % 5 == 0 else i % 2) for i in range(100)]
    (marked,) = prequential(HyperboxClassifier(unlabelled=-1), pairs).summary()
    none = [(x, None if y == -1 else y) for x, y in pairs]
    (other,) = prequential(HyperboxClassifier(unlabelled=-1), none).summary()
    assert marked["unlabelled"] == 20
    costs = {"seconds", "rows_per_second"}
    assert {k: v for k, v in marked.items() if k not in costs} == pytest.approx(
        {k: v for k, v in other.items() if k not in costs}, nan_ok=True
    )


def test_labels_keep_their_type_beside_rows_without_one() -> None:
    clf = HyperboxClassifier(unlabelled=math.nan)
    (row,) = prequential(clf, [({"a": 0}, None)] + [({"a": 1}, 2**53 + 1)] * 3).summary()
    assert row["accuracy"] == 1
    assert clf.classes_.tolist() == [2**53 + 1]


def test_the_row_that_fails_is_named_though_the_first_rows_have_gaps() -> None:
    pairs = [({"a": 1.0, "k": None}, "p"), *(({"a": float(i), "k": "t"}, "p") for i in range(9))]
    pairs[5] = pairs[5][0], 1.5
    with pytest.raises(LearnerError, match=r"row 5 of the stream .*the label 1\.5"):
        prequential(HyperboxClassifier(), pairs)


def test_names_that_look_alike_and_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="look alike"):
        prequential({1: HyperboxClassifier(), "1": HyperboxClassifier()}, [])
    for wrong in ({"window": 1.5}, {"limit": -1}, {"every": 0}):
        with pytest.raises(ValueError, match="must be a whole number of rows, at least 1"):
            prequential(HyperboxClassifier(), [], **wrong)


def test_a_table_may_be_a_mapping_of_columns() -> None:
    columns = {"a": [0.0, 1.0, 0.0, 1.0], "b": ["x", "y", "x", "y"]}
    (row,) = prequential(HyperboxClassifier(), (columns, ["p", "q", "p", "q"])).summary()
    assert row["rows"] == 4
