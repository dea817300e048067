"""Figures of predictions: those of scikit-learn, where the definitions agree."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    brier_score_loss,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)

from boxwise.evaluate import Confusion, assess, class_balanced_accuracy
from boxwise.evaluate.quality.figures import auc

LABELS = ["ash", "beech", "cedar"]


def drawn(n=400, k=3, seed=0, ties=False):
    """Return labels, probabilities that know something of them, and the classes."""
    random = np.random.default_rng(seed)
    codes = random.integers(k, size=n)
    p = random.random((n, k)) + 0.6 * np.eye(k)[codes]
    p /= p.sum(axis=1, keepdims=True)
    if ties:
        p = np.round(p[:, :1], 1)
        p = np.hstack([p, 1 - p])
    classes = LABELS[:k]
    return [classes[c] for c in codes], p, classes


@pytest.mark.parametrize("k", [2, 3])
def test_assess_gives_the_overall_figures_of_scikit_learn(k):
    y, p, classes = drawn(k=k)
    said = [classes[c] for c in p.argmax(axis=1)]
    found = {name: figure.value for name, figure in assess(y, p, classes).figures.items()}
    of_scores = p[:, 1] if k == 2 else p
    wanted = {
        "accuracy": accuracy_score(y, said),
        "cba": class_balanced_accuracy(y, said),
        "kappa": cohen_kappa_score(y, said),
        "balanced_accuracy": balanced_accuracy_score(y, said),
        "macro_f1": f1_score(y, said, average="macro"),
        "auc": roc_auc_score(y, of_scores, multi_class="ovr", average="macro"),
        "log_loss": log_loss(y, p, labels=classes),
        "brier": brier_score_loss(y, of_scores, labels=classes, pos_label=classes[1])
        if k == 2
        else brier_score_loss(y, p, labels=classes),
    }
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_assess_gives_the_figures_of_each_class_of_scikit_learn(k):
    y, p, classes = drawn(k=k, seed=1)
    said = [classes[c] for c in p.argmax(axis=1)]
    by_class = assess(y, p, classes).by_class
    matrix = confusion_matrix(y, said, labels=classes)
    for c, label in enumerate(classes):
        one = {"labels": [label], "average": None}
        is_label = [other == label for other in y]
        false_positives = matrix[:, c].sum() - matrix[c, c]
        wanted = {
            "precision": precision_score(y, said, **one)[0],
            "recall": recall_score(y, said, **one)[0],
            "f1": f1_score(y, said, **one)[0],
            "auc": roc_auc_score(is_label, p[:, c]),
            "selection_rate": said.count(label) / len(said),
            "false_positive_rate": false_positives / (len(y) - sum(is_label)),
        }
        found = {name: figure.value for name, figure in by_class[label].items()}
        assert found == pytest.approx(wanted, rel=1e-12)


def test_assess_counts_ties_of_probabilities_half_as_scikit_learn_does():
    y, p, classes = drawn(k=2, ties=True)
    assert len(np.unique(p[:, 1])) < 12
    found = assess(y, p, classes).figures["auc"].value
    assert found == pytest.approx(roc_auc_score(y, p[:, 1]), rel=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=2, max_size=40))
def test_auc_is_the_share_of_pairs_in_the_right_order(pairs):
    positive = np.array([is_true for is_true, _ in pairs])
    rank = np.array([rank for _, rank in pairs])
    found = auc(rank, 5, positive, np.ones(len(pairs)))
    won = [(a > b) + (a == b) / 2 for a in rank[positive] for b in rank[~positive]]
    assert found == pytest.approx(np.mean(won)) if won else math.isnan(found)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 3)), min_size=1))
def test_a_weight_counts_as_that_many_rows(rows):
    positive, rank, weight = (np.array(column) for column in zip(*rows, strict=True))
    weighted = auc(rank, 5, positive, weight.astype(float))
    again = np.repeat(rank, weight), 5, np.repeat(positive, weight), np.ones(weight.sum())
    assert weighted == pytest.approx(auc(*again), nan_ok=True)


def test_assess_has_the_confusion_matrix_of_the_predictions():
    y, p, classes = drawn()
    said = [classes[c] for c in p.argmax(axis=1)]
    wanted = Confusion()
    wanted.update(y, said)
    assert assess(y, p, classes).confusion.counts == wanted.counts


def test_predictions_may_be_other_than_the_most_probable_class():
    y, p, classes = drawn(k=2)
    found = assess(y, p, classes, y_pred=[classes[0]] * len(y))
    assert found.figures["accuracy"].value == y.count(classes[0]) / len(y)
    assert found.figures["auc"].value == assess(y, p, classes).figures["auc"].value
    assert math.isnan(found.by_class[classes[1]]["precision"].value)
    assert found.by_class[classes[1]]["f1"].value == 0


def test_without_probabilities_only_the_predictions_are_scored():
    found = assess(["a", "b", "b"], None, ["a", "b"], y_pred=["a", "b", "a"])
    assert found.figures["accuracy"].value == pytest.approx(2 / 3)
    assert all(math.isnan(found.figures[name].value) for name in ("auc", "log_loss", "brier"))
    with pytest.raises(ValueError, match="without probabilities, y_pred is needed"):
        assess(["a"], None, ["a"])


def test_a_class_that_was_never_learned_has_probability_0():
    found = assess(["a", "b", "c"], [[1, 0], [0, 1], [1, 0]], ["a", "b"])
    assert found.labels == ["a", "b", "c"]
    assert found.figures["log_loss"].value == pytest.approx(-math.log(np.finfo(float).eps) / 3)
    assert found.by_class["c"]["recall"].value == 0


def test_one_class_alone_has_no_auc_and_no_warning(recwarn):
    found = assess(["a"] * 9, [[0.9, 0.1]] * 9, ["a", "b"])
    assert math.isnan(found.figures["auc"].value)
    assert math.isnan(found.figures["auc"].low)
    assert found.figures["accuracy"].value == 1
    assert "-" in repr(found)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y_true": []}, "at least one row"),
        ({"y_pred": ["a"]}, "y_pred has 1"),
        ({"level": 1.0}, "level must be between 0 and 1"),
        ({"groups": {"g": [1, 2]}}, "group column 'g' has 2 rows, y_true has 3"),
        ({"positive": "x"}, "no class 'x' to be the positive one; there are 'a', 'b'"),
        ({"folds": [0, 1]}, "one for each row"),
        ({"folds": [0, 0, 0]}, "at least two"),
        ({"folds": [0, 2, 2]}, "numbered 0, 1"),
    ],
)
def test_what_cannot_be_assessed_is_named(change, words):
    given = {
        "y_true": ["a", "b", "b"],
        "probabilities": [[0.5, 0.5]] * 3,
        "classes": ["a", "b"],
    } | change
    if not given["y_true"]:
        given["probabilities"] = np.empty((0, 2))
    with pytest.raises(ValueError, match=words):
        assess(**given)


def test_the_text_fits_80_columns_whatever_the_names_are():
    names = ["a class with a name that goes on and on", "b" * 40]
    y = [names[i % 2] for i in range(120)]
    p = np.tile([[0.7, 0.3], [0.4, 0.6]], (60, 1))
    groups = {"g" * 30: ["x" * 50 if i % 3 else "y\nz" for i in range(120)]}
    found = assess(y, p, names, groups=groups, cost="fn=123456,fp=0.001")
    assert max(len(line) for line in repr(found).splitlines()) <= 80


def test_classes_are_named_whole_in_the_confusion_matrix_where_there_is_room():
    y = ["legitimate", "phishing"] * 10
    text = repr(assess(y, None, ["legitimate", "phishing"], y_pred=y))
    first, second = text[text.index("true, predicted") :].splitlines()[:2]
    assert first == "true, predicted   legitimate    phishing"
    assert second == "legitimate                10           0"


def test_many_classes_are_shown_by_their_most_frequent_confusions():
    y = [i % 9 for i in range(180)]
    said = [(i * i) % 9 for i in range(180)]
    text = repr(assess(y, None, range(9), y_pred=said))
    assert "most frequent confusions" in text
    assert "predicted as 0: 20 of 20" in text
    assert "true, predicted" not in text


def test_to_rows_has_every_number_under_the_same_keys():
    y, p, classes = drawn(k=2)
    found = assess(y, p, classes, groups={"half": [i % 2 for i in range(400)]}, cost="fn=2,fp=1")
    rows = found.to_rows()
    assert len({tuple(row) for row in rows}) == 1
    (auc,) = (r for r in rows if r["figure"] == "auc" and r["by"] is None and r["class"] is None)
    assert auc["value"] == found.figures["auc"].value
    cells = {(r["class"], r["predicted_as"]): r["value"] for r in rows if r["predicted_as"]}
    assert cells == found.confusion.counts
    assert {r["group"] for r in rows if r["by"] == "half"} == {0, 1, None}
    assert {r["note"] for r in rows if r["figure"] == "cost"} == {
        "best", "0.5", "calibrated", "always", "never",
    }  # fmt: skip


@pytest.mark.parametrize("kind", [np.array, pd.Series, pl.Series, tuple])
def test_labels_and_groups_may_be_of_any_column_type(kind):
    y, p, classes = drawn(k=2)
    column = [i % 2 for i in range(len(y))]
    found = assess(
        kind(y), pd.DataFrame(p), np.array(classes), groups={"g": kind(column)}, positive="ash"
    )
    assert [type(label) for label in found.labels] == [str, str]
    assert {g.value for g in found.groups["g"].groups} == {0, 1}
    with pytest.raises(ValueError, match=r"there are 'ash', 'beech'$"):
        assess(kind(y), p, np.array(classes), positive="x")
