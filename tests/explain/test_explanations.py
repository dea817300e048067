"""Explanations of models small enough to check by hand."""

from __future__ import annotations

import json
import math
import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest

import boxwise
from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.datasets import loans

ROWS = [
    {"age": 20.0, "job": "cook"},
    {"age": 30.0, "job": "cook"},
    {"age": 30.0, "job": "smith"},
    {"age": 70.0, "job": "smith"},
]
LABELS = ["no", "no", "no", "yes"]


@pytest.fixture
def clf():
    """Two boxes: no from 20 to 30, two cooks and a smith; yes at 70, a smith."""
    return EIOLGFMM(delta=1.0, version=2).fit(ROWS, LABELS)


@pytest.fixture(scope="module")
def lender():
    rows, labels = loans(600, function=7, noise=0.05, seed=7)
    return HyperboxClassifier().fit(rows[:500], labels[:500]), rows[500:]


def features_of(why):
    return {feature.column: feature for feature in why.winner.features}


def one_line(why):
    return " ".join(str(why).split())


def test_costs_distances_and_shares_are_those_one_computes_by_hand(clf):
    (why,) = clf.explain([{"age": 35, "job": "cook"}], counterfactual=False)
    of = features_of(why)
    assert why.prediction == "no"
    assert (of["age"].lower, of["age"].upper, of["age"].outside) == (20, 30, 5)
    assert (of["age"].inside, of["job"].inside) == (False, True)
    assert of["age"].term == 0.9  # 5 of a range of 50
    assert math.isclose(of["age"].contribution, -0.05)  # alpha is one half
    assert (of["job"].count, of["job"].term) == (2, 2 / 3)
    assert math.isclose(of["job"].contribution, -1 / 6)
    assert math.isclose(why.winner.membership, 1 - 0.05 - 1 / 6)
    (rival,) = why.rivals
    assert (rival.label, rival.box.box) == ("yes", 1)
    assert math.isclose(rival.box.membership, 0.15)
    assert math.isclose(why.against.total, rival.margin)


def test_several_numbers_that_are_equally_far_share_the_cost():
    rows = [{"a": 0.0, "b": 0.0, "c": 0.0}, {"a": 10.0, "b": 10.0, "c": 10.0}]
    clf = EIOLGFMM(version=2, theta=0.1).fit(rows, [0, 1])
    (why,) = clf.explain([{"a": 2.0, "b": 2.0, "c": 1.0}], counterfactual=False)
    assert [f.contribution for f in why.winner.features] == pytest.approx([-0.1, -0.1, 0.0])


def test_a_missing_number_costs_nothing_and_a_new_category_is_called_by_its_name(clf):
    (why,) = clf.explain([{"age": None, "job": "pilot"}])
    of = features_of(why)
    assert (of["age"].value, of["age"].inside, of["age"].contribution) == (None, None, 0.0)
    assert (of["job"].value, of["job"].count, of["job"].inside) == ("pilot", 0, False)
    assert "pilot" in str(why)
    assert "missing" in str(why)
    assert clf.schema_.vocabularies[0].values == ["cook", "smith"]  # nothing was learned


def test_the_class_with_most_rows_wins_a_tie():
    rows = [{"x": 0.0}, {"x": 0.0}, {"x": 10.0}]
    clf = EIOLGFMM(version=2, theta=0).fit(rows, ["b", "b", "a"])
    (why,) = clf.explain([{"x": 5.0}], counterfactual=False)
    assert why.tie.decided_by == "rows"
    assert [(one.label, one.boxes, one.rows) for one in why.tie.classes] == [
        ("b", (0,), 2),
        ("a", (1,), 1),
    ]
    assert "the class with most rows in the tied boxes wins" in one_line(why)


@pytest.mark.parametrize("x", [5.0, 1e9])
def test_among_equals_and_where_no_box_comes_near_the_class_seen_first_wins(x):
    clf = EIOLGFMM(version=2, theta=0).fit([{"x": 0.0}, {"x": 10.0}], ["b", "a"])
    (why,) = clf.explain([{"x": x}], counterfactual=False)
    assert (why.prediction, why.tie.decided_by) == ("b", "first seen")


@pytest.mark.parametrize("x", [4.0, 4.5, 4.9])
def test_the_smallest_change_of_a_number_ends_where_the_other_box_becomes_the_closer(x):
    rows = [{"x": 0.25}, {"x": 9.75}]
    clf = EIOLGFMM(version=2, theta=0).fit(rows, ["b", "a"])
    (change,) = clf.explain([{"x": x}])[0].counterfactual.changes
    assert change.old == x
    assert 5.0 < change.new <= 5.11  # at most a hundredth of the range further than needed


def test_columns_of_whole_numbers_change_by_whole_numbers():
    rows = [{"children": 0}, {"children": 9}]
    clf = EIOLGFMM(version=2, theta=0).fit(rows, ["b", "a"])
    (change,) = clf.explain([{"children": 2}])[0].counterfactual.changes
    assert change.new == 5.0


def test_an_interval_is_moved_and_keeps_its_width():
    X = np.array([[0.0], [10.0]])
    clf = EIOLGFMM(version=2, theta=0).fit(X, ["b", "a"])
    (change,) = clf.explain([[2.0]], [[3.0]])[0].counterfactual.changes
    assert change.old == (2.0, 3.0)
    assert change.new[1] - change.new[0] == 1.0
    low, high = change.new
    assert clf.predict([[low]], upper=[[high]])[0] == "a"


def test_a_pair_is_found_where_no_single_change_is_enough():
    values = [{"a": "x", "b": "x", "c": "x"}, {"a": "y", "b": "y", "c": "y"}]
    clf = EIOLGFMM(version=2).fit(values, ["b", "a"])
    (why,) = clf.explain([values[0]])
    assert {change.column for change in why.counterfactual.changes} <= {"a", "b", "c"}
    assert len(why.counterfactual.changes) == 2
    assert why.counterfactual.size == 2.0


def test_why_nothing_was_found_is_said(clf):
    one_class = HyperboxClassifier().fit(ROWS, ["no"] * 4)
    assert one_class.explain(ROWS[:1])[0].no_counterfactual == "the model knows no other class"
    (why,) = clf.explain(ROWS[:1], fixed=["age", 1])
    assert why.no_counterfactual == "all columns are fixed"
    wide = [{f"c{j}": v for j in range(9)} for v in "xy"]
    (why,) = EIOLGFMM(version=2).fit(wide, ["b", "a"]).explain(wide[:1])
    assert "changes tried leads to another class" in why.no_counterfactual
    assert one_line(why).endswith(f"No change found: {why.no_counterfactual}.")


def test_wrong_columns_to_fix_are_named(clf):
    with pytest.raises(ValueError, match="there is no column 'wage'; there are age, job"):
        clf.explain(ROWS, fixed=["wage"])
    with pytest.raises(TypeError, match="give a list of columns"):
        clf.explain(ROWS, fixed="age")


def test_all_kinds_of_tables_give_the_same(lender):
    clf, rows = lender
    expected = [why.to_dict() for why in clf.explain(rows[:5])]
    for table in (pd.DataFrame(rows[:5]), pl.DataFrame(rows[:5])):
        assert [why.to_dict() for why in clf.explain(table)] == expected


def test_a_model_from_a_file_gives_the_same(lender, tmp_path):
    clf, rows = lender
    clf.save(tmp_path / "m.box")
    again = boxwise.load(tmp_path / "m.box")
    assert [w.to_dict() for w in again.explain(rows[:5])] == [
        w.to_dict() for w in clf.explain(rows[:5])
    ]


def test_explaining_teaches_nothing(lender, tmp_path):
    clf, rows = lender
    clf.save(tmp_path / "before.box")
    clf.explain([{**rows[0], "car": "tractor"}])
    clf.save(tmp_path / "after.box")
    assert (tmp_path / "before.box").read_bytes() == (tmp_path / "after.box").read_bytes()


@pytest.mark.parametrize("labels", [[3, 3, 3, 7], [True, True, True, False]])
def test_labels_stay_what_they_are(labels):
    (why,) = HyperboxClassifier().fit(ROWS, labels).explain(ROWS[:1])
    assert why.prediction is labels[0] or why.prediction == labels[0]
    assert json.loads(why.to_json())["prediction"] == labels[0]


def test_another_thread_may_learn_meanwhile():
    rows, labels = loans(900, function=7, seed=3)
    clf = HyperboxClassifier().fit(rows[:200], labels[:200])

    def learn():
        for i in range(200, 900):
            clf.partial_fit([{**rows[i], "car": f"car {i}"}], [labels[i]])

    learner = threading.Thread(target=learn)
    learner.start()
    explained = 0
    while learner.is_alive() or not explained:
        for why in clf.explain(rows[:3]):
            assert why.winner.rule.startswith(f"{why.prediction}, ")
            explained += 1
    learner.join()


def test_text_stays_short_with_many_columns():
    rng = np.random.default_rng(0)
    X = rng.random((300, 60))
    clf = HyperboxClassifier().fit(X, (X[:, 7] > 0.5).astype(int))
    text = str(clf.explain(X[:1], counterfactual=False)[0])
    assert len(text.splitlines()) <= 35
    assert max(map(len, text.splitlines())) <= 100
    assert "and 52 more columns" in text


def test_names_and_classes_of_several_lines_take_one():
    rows = [{"a\nb": "x\ny", "c": 1.0}, {"a\nb": "u\tv", "c": 2.0}]
    clf = HyperboxClassifier().fit(rows, ["one\nclass", "other\nclass"])
    text = str(clf.explain(rows[:1])[0])
    assert "one class to other class" in text
    assert "  a b  x y  " in text


def test_html_escapes_what_comes_from_the_data():
    rows = [{"<script>": "<b>", "x": 1.0}, {"<script>": "&", "x": 2.0}]
    (why,) = HyperboxClassifier().fit(rows, ["<i>", "ok"]).explain(rows[:1])
    html = why._repr_html_()
    for raw in ("<script>", "<b></", "<i>"):
        assert raw not in html.replace("<b>&lt;script&gt;</b>", "")
    assert "&lt;script&gt;" in html


def test_nothing_can_be_explained_before_a_label_was_learned():
    clf = HyperboxClassifier(unlabelled=-1).fit(ROWS, [-1] * 4)
    with pytest.raises(ValueError, match="no row with a label"):
        clf.explain(ROWS)


def test_boxes_without_a_class_are_no_rivals():
    clf = HyperboxClassifier(unlabelled="?", theta=0.1).fit(ROWS, ["no", "?", "?", "yes"])
    (why,) = clf.explain(ROWS[:1])
    assert [rival.label for rival in why.rivals] == ["yes"]


@pytest.mark.parametrize("learner", [HyperboxClassifier, EIOLGFMM])
def test_very_large_numbers_are_written_with_an_exponent(learner):
    rows = [{"a": 1.0}, {"a": 2.0}, {"a": 5e149}]
    clf = learner(scale="range").fit(rows, ["x", "x", "y"])
    for why in clf.explain([{"a": 1e150}, {"a": -1e150}]):
        text = str(why)
        assert "1e+150" in text
        assert all(len(word) < 30 for word in text.split())
        assert "0" * 20 not in why._repr_html_().replace(",", "")
    assert len(clf.boxes_.describe(clf.n_boxes_ - 1)) < 30
