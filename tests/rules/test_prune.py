"""Boxes that do harm go, and nothing else."""

import json

import numpy as np
import pytest

from boxwise import EIOLGFMM, AgglomerativeGFMM, HyperboxClassifier, load
from boxwise.evaluate import class_balanced_accuracy


def noisy(learner=EIOLGFMM):
    """Return a model of two halves that has learned wrong labels in one place; rows to test it."""
    rng = np.random.default_rng(0)
    X = rng.random((400, 1))
    wrong = (X[:, 0] > 0.2) & (X[:, 0] < 0.28)
    clf = learner(0.1)
    clf.fit(X, np.where(wrong, "high", labels_of(X)))
    return clf, rng.random((300, 1))


def labels_of(X):
    return np.where(X[:, 0] < 0.5, "low", "high")


def test_prune_refuses_a_learner_in_which_all_boxes_vote():
    clf, X = noisy(HyperboxClassifier)
    n = clf.n_boxes_
    with pytest.raises(TypeError, match="all its boxes vote"):
        clf.prune(X, labels_of(X))
    assert clf.n_boxes_ == n


def test_the_box_that_decides_wrongly_goes_and_cba_does_not_fall():
    clf, X = noisy()
    y = labels_of(X)
    before = class_balanced_accuracy(y, clf.predict(X))
    n = clf.n_boxes_
    report = clf.prune(X, y)
    after = class_balanced_accuracy(y, clf.predict(X))
    assert (report.cba_before, report.cba_after) == (before, after)
    assert after >= before
    assert report.boxes_before == n
    assert clf.n_boxes_ == report.boxes_after == n - len(report.removed)
    assert all(box.wrong > box.right for box in report.removed)
    assert after > before
    assert {box.label for box in report.removed} == {"high"}


def test_a_dry_run_says_the_same_and_leaves_the_model_alone():
    clf, X = noisy()
    dry = clf.prune(X, labels_of(X), dry_run=True)
    assert clf.n_boxes_ == dry.boxes_before
    assert clf.prune(X, labels_of(X)).removed == dry.removed != ()
    assert "would go" in str(dry)


def test_the_last_box_of_a_class_stays_unless_asked():
    X, y = [[0.1], [0.12], [0.9]], ["a", "a", "b"]
    asked = [[0.9]] * 5
    clf = EIOLGFMM().fit(X, y)
    assert clf.prune(asked, ["a"] * 5).removed == ()
    report = clf.prune(asked, ["a"] * 5, whole_classes=True)
    assert [box.label for box in report.removed] == ["b"]
    assert clf.predict(asked).tolist() == ["a"] * 5
    assert clf.prune([[0.1]], ["b"], whole_classes=True).removed == ()  # one box must be left


def test_boxes_that_decide_nothing_go_only_when_asked():
    clf = EIOLGFMM(0.1).fit([[0.0], [0.5], [1.0]], ["a", "b", "a"])
    X, y = [[0.0], [0.5]], ["a", "b"]
    assert clf.prune(X, y).removed == ()
    (gone,) = clf.prune(X, y, unused=True).removed
    assert (gone.box, gone.right, gone.wrong) == (2, 0, 0)
    assert clf.boxes_.lower.ravel().tolist() == [0.0, 0.5]


def test_a_pruned_model_goes_on_learning_and_is_saved_and_loaded(tmp_path):
    clf, X = noisy()
    clf.prune(X, labels_of(X), unused=True)
    clf.partial_fit(X[:50], labels_of(X[:50]))
    clf.save(tmp_path / "m.box")
    again = load(tmp_path / "m.box")
    assert again.predict(X).tolist() == clf.predict(X).tolist()
    again.prune(X, labels_of(X), unused=True)


def test_the_report_as_a_dict_goes_into_json():
    clf, X = noisy()
    content = json.loads(json.dumps(clf.prune(X, labels_of(X)).to_dict()))
    assert content["boxes_after"] == clf.n_boxes_
    assert set(content["removed"][0]) == {"box", "rule", "label", "rows", "right", "wrong"}


def test_rows_without_a_label_do_not_count():
    clf = EIOLGFMM(unlabelled=-1).fit([[0.0], [1.0]], [0, 1])
    assert clf.prune([[0.0], [1.0], [1.0]], [0, 1, -1]).rows == 2
    with pytest.raises(ValueError, match="prune needs rows with labels"):
        clf.prune([[0.0]], [-1])


def test_other_learners_can_be_pruned_and_have_rules():
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    clf = AgglomerativeGFMM().fit(X, labels_of(X))
    assert clf.prune(X, labels_of(X)).cba_after >= 0
    assert len(clf.rules()) == clf.n_boxes_


@pytest.mark.parametrize("categories", [40, 400])
def test_a_pruned_model_says_the_same_after_it_was_saved(tmp_path, categories):
    """Values that went with their boxes do not count any more, before saving as after."""
    rng = np.random.default_rng(0)
    rows = [{"a": float(rng.random()), "c": f"v{i * categories // 150}"} for i in range(150)]
    clf = EIOLGFMM(0.1, 0.1).fit(rows, rng.choice(["p", "q"], 150))
    report = clf.prune(rows[:40], rng.choice(["p", "q"], 40), unused=True, progress=False)
    assert report.removed
    clf.save(tmp_path / "pruned.bxw")
    again = load(tmp_path / "pruned.bxw")
    assert (again.predict_proba(rows) == clf.predict_proba(rows)).all()


def test_values_of_a_box_that_got_its_class_later_go_with_it_too(tmp_path):
    clf = HyperboxClassifier(0.3, 0.3, unlabelled="?")
    rows = [{"c": value} for value in ["u", "v", "w", "w"]]
    clf.partial_fit(rows, ["p", "q", "?", "q"])  # in this order
    assert clf.boxes_.labels.tolist() == ["p", "q", "q"]  # the third had none at first
    clf._model.remove([2])
    clf.save(tmp_path / "removed.bxw")
    again = load(tmp_path / "removed.bxw")
    assert (again.predict_proba(rows) == clf.predict_proba(rows)).all()


def test_where_whole_classes_may_go_the_last_box_with_a_class_stays():
    clf = EIOLGFMM(0.3, unlabelled="?")
    clf.fit([[0.0], [1.0], [0.5]], ["?", "p", "q"])
    clf.prune([[1.0], [0.5]], ["z", "z"], margin=1, whole_classes=True, progress=False)
    assert sorted(clf.boxes_.labels)[0] == "?"
    assert clf.n_boxes_ == 2
    clf.predict([[0.0]])


def test_another_thread_may_learn_meanwhile():
    clf, X = noisy()
    n = clf.n_boxes_

    def learn(done, total):
        clf.partial_fit([[2.0 + clf.n_boxes_]], ["far"])

    report = clf.prune(X, labels_of(X), progress=learn)
    assert report.removed
    assert report.boxes_before == n
    learned = np.count_nonzero(clf.boxes_.labels == "far")
    assert clf.n_boxes_ == report.boxes_after + learned
    assert learned > 0
