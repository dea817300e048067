"""The quality of probabilities on a stream, predicted before they are learned."""

import json
import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from boxwise import EIOLGFMM, HyperboxClassifier, dumps
from boxwise.datasets import LoanStream
from boxwise.evaluate import Prequential, assess, prequential


def stream(n=600):
    return LoanStream(n, function=3, noise=0.1, seed=2)


class Majority:
    """River's methods, with probabilities."""

    def __init__(self):
        self.counts = {}

    def predict_proba_one(self, x):
        n = sum(self.counts.values())
        return {label: count / n for label, count in self.counts.items()}

    def predict_one(self, x):
        return max(self.counts, key=self.counts.get, default=None)

    def learn_one(self, x, y):
        self.counts[y] = self.counts.get(y, 0) + 1


def row_by_row(clf, pairs):
    """Return true labels and probabilities of the second class, by the public methods."""
    truth, p = [], []
    for x, y in pairs:
        if hasattr(clf, "_model"):
            shares = dict(zip(clf.classes_.tolist(), clf.predict_proba([x])[0], strict=True))
            p.append(shares.get("declined", 0.0))
            truth.append(y)
        clf.partial_fit([x], [y])
    return truth, np.array(p)


@pytest.mark.parametrize("learner", [HyperboxClassifier, EIOLGFMM])
def test_scores_are_those_of_scikit_learn_row_by_row(learner):
    truth, p = row_by_row(learner(), stream())
    (row,) = prequential(learner(), stream(), probabilities=True).summary()
    is_declined = [y == "declined" for y in truth]
    assert row["auc"] == pytest.approx(roc_auc_score(is_declined, p))
    assert row["brier"] == pytest.approx(brier_score_loss(is_declined, p))
    assert row["log_loss"] == pytest.approx(log_loss(is_declined, np.column_stack([1 - p, p])))


@pytest.mark.parametrize("weights", [None, {"declined": 2.5}])
def test_predictions_are_the_same_with_and_without_probabilities(weights):
    def run(**options):
        clf = HyperboxClassifier(class_weight=weights)
        result = prequential(clf, stream(), every=200, **options)
        same = ("accuracy", "cba", "boxes", "memory", "recent_kappa", "scored")
        return [[row[name] for name in same] for row in result.to_rows()], clf.predict_proba(
            [x for x, _ in stream(50)]
        ).tolist()

    assert run() == run(probabilities=True)


CLASSIFIERS = [HyperboxClassifier(), HyperboxClassifier(max_boxes=10), EIOLGFMM()]
CLASSIFIERS += [HyperboxClassifier(class_weight={"approved": 0, "declined": 1.7, "unsure": 2})]


@pytest.mark.parametrize("chosen", CLASSIFIERS, ids=repr)
def test_test_then_train_proba_gives_predict_proba_before_each_row(chosen):
    pairs = [(x, "unsure" if i % 9 == 5 else y) for i, (x, y) in enumerate(stream(80))]
    clf, other = clone(chosen), clone(chosen)
    said, p = clf.test_then_train_proba([x for x, _ in pairs], [y for _, y in pairs])
    is_new = True  # until something was learned
    for i, (x, y) in enumerate(pairs):
        if is_new:
            assert np.isnan(p[i]).all() and said[i] is None
        else:
            wanted = dict(zip(other.classes_, other.predict_proba([x])[0], strict=True))
            found = dict(zip(clf.classes_, p[i], strict=True))
            assert found == {label: wanted.get(label, 0) for label in clf.classes_}
            assert said[i] == other.predict([x])[0]
        other.partial_fit([x], [y])
        is_new = is_new and not len(getattr(other, "classes_", ()))
    assert dumps(clf) == dumps(other)


def test_probabilities_are_asked_of_learners_of_every_library():
    pairs = [({"a": float(i % 7), "b": 1.0}, i % 7 > 3) for i in range(400)]
    learners = {
        "ours": HyperboxClassifier(),
        "river": Majority(),
        "sklearn": SGDClassifier(loss="log_loss", random_state=0),
        "no probabilities": SGDClassifier(random_state=0),
    }
    result = prequential(learners, pairs, classes=[False, True], probabilities=True)
    rows = {row["learner"]: row for row in result.summary()}
    assert all(0 <= rows[name]["auc"] <= 1 for name in ("ours", "river", "sklearn"))
    assert rows["ours"]["auc"] > 0.95
    assert math.isnan(rows["no probabilities"]["auc"])
    assert rows["no probabilities"]["macro_f1"] > 0
    assert [*result.assessments()] == [*learners]


def test_probabilities_of_the_majority_are_scored_as_written():
    pairs = [({"a": 0}, label) for label in "aabab"]
    (row,) = prequential(Majority(), pairs, probabilities=True).summary()
    p_of_truth = [1.0, np.finfo(float).eps, 2 / 3, 1 / 4]
    assert row["log_loss"] == pytest.approx(-np.mean(np.log(p_of_truth)))


def test_without_asking_there_are_no_probabilities():
    result = prequential(HyperboxClassifier(), stream(50))
    assert result.assessments() == {}
    assert math.isnan(result.summary()[0]["log_loss"])


def test_log_loss_and_brier_are_noted_at_each_step_and_auc_at_the_end():
    result = prequential(HyperboxClassifier(), stream(), every=200, window=100, probabilities=True)
    rows = result.to_rows()
    assert all(0 < row["recent_log_loss"] < 2 and 0 < row["brier"] < 0.5 for row in rows)
    assert [math.isnan(row["auc"]) for row in rows] == [True, True, False]


@pytest.mark.parametrize("group", ["education", ["education"], {"level": lambda x: x["education"]}])
def test_groups_are_read_from_the_rows(group):
    result = prequential(HyperboxClassifier(), stream(), group=group)
    (comparison,) = result.assessments()["HyperboxClassifier"].groups.values()
    assert sum(g.rows for g in comparison.groups) == 599
    values = [x["education"] for x, _ in stream()]
    assert {g.value: g.rows for g in comparison.groups} == {
        v: values[1:].count(v) for v in set(values)
    }


def test_groups_of_rows_without_a_label_are_left_out():
    pairs = [(x, None if i % 2 else y) for i, (x, y) in enumerate(stream(200))]
    result = prequential(HyperboxClassifier(), pairs, group="education")
    (comparison,) = result.assessments()["HyperboxClassifier"].groups.values()
    assert sum(g.rows for g in comparison.groups) == 99


def test_a_group_column_that_no_row_has_is_named():
    with pytest.raises(ValueError, match="no column 'sex' for group; they have 'salary'"):
        prequential(HyperboxClassifier(), stream(20), group="sex")
    with pytest.raises(ValueError, match="no column 5"):
        prequential(HyperboxClassifier(), [([1.0, 2.0], "a")] * 5, group=[5])


def test_costs_are_those_of_the_predictions_made_before_learning():
    truth, p = row_by_row(HyperboxClassifier(), stream())
    result = prequential(HyperboxClassifier(), stream(), cost="fn=5,fp=1", positive="declined")
    found = result.assessments()["HyperboxClassifier"].cost
    shares = np.column_stack([1 - p, p])
    wanted = assess(truth, shares, ["approved", "declined"], cost="fn=5,fp=1").cost
    assert found == wanted


def test_what_is_no_cost_is_refused_before_any_row():
    learner = Majority()
    with pytest.raises(ValueError, match="no cost 'x'"):
        prequential(learner, stream(), cost="x=1,fp=1")
    assert learner.counts == {}


def test_the_memory_of_a_long_stream_is_that_of_the_sample():
    result = prequential(HyperboxClassifier(), stream(3000), probabilities=True, max_rows=500)
    found = result.assessments()["HyperboxClassifier"]
    assert (found.rows, found.sampled) == (2999, 500)


def test_scores_of_probabilities_are_in_the_files(tmp_path):
    result = prequential(HyperboxClassifier(), stream(), probabilities=True)
    result.write(tmp_path / "scores.json")
    (row,) = json.loads((tmp_path / "scores.json").read_text())
    assert {"auc", "log_loss", "brier", "macro_f1", "recent_log_loss", "recent_brier"} <= row.keys()
    assert "recent_auc" not in row


def test_an_interrupted_run_has_the_quality_of_its_last_step():
    def source():
        yield from stream(250)
        raise KeyboardInterrupt

    run = Prequential(HyperboxClassifier(), source(), every=100, probabilities=True)
    with pytest.raises(KeyboardInterrupt):
        for _ in run:
            pass
    found = run.assessments()["HyperboxClassifier"]
    assert found.rows == run.summary()[0]["scored"] == 199
    assert found.figures["log_loss"].value == pytest.approx(run.summary()[0]["log_loss"])
