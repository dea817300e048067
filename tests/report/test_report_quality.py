"""Scores with intervals, groups and costs on the page of a model."""

import re

import pytest

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.evaluate import assess
from boxwise.report import pictures, report_html, writing
from tests.report.reading import read


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """A page without what takes long."""
    monkeypatch.setattr(writing, "short_rules", lambda about, progress: None)
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)


@pytest.fixture(scope="module")
def loans():
    X, y = LoanStream(500, function=7, noise=0.1, seed=3).table()
    parts = (slice(0, 250), slice(250, None))
    return [({name: column[part] for name, column in X.items()}, y[part]) for part in parts]


@pytest.fixture(scope="module")
def model(loans):
    return HyperboxClassifier().fit(*loans[0])


def test_every_score_is_shown_with_its_interval(model, loans):
    X, y = loans[1]
    found = assess(y, model.predict_proba(X), model.classes_)
    shown = read(report_html(model, X, y)).text("quality")
    for title, name in (("AUC", "auc"), ("Log-loss", "log_loss"), ("Brier score", "brier")):
        figure = found.figures[name]
        wanted = f"{title} {figure.value:.3f} {figure.low:.3f} to {figure.high:.3f}"
        assert wanted in shown
    f1 = found.by_class["approved"]["f1"].value
    assert re.search(
        rf"approved .*%.*% {f1:.3f} {found.by_class['approved']['auc'].value:.3f}", shown
    )


def test_that_every_row_has_support_is_said_in_words():
    X, y = {"job": ["nurse", "cook"] * 50}, ["yes", "no"] * 50
    page = report_html(HyperboxClassifier().fit(X, y), X, y)
    assert "No row has a support of less than 5 learned rows." in read(page).text("quality")


def test_without_groups_and_costs_there_is_no_such_section(model, loans):
    page = read(report_html(model, *loans[1]))
    assert not {"#groups", "#costs"} & {a["href"] for a in page.all("a")}


def test_groups_are_compared_on_the_rows_that_are_used(model, loans):
    X, y = loans[1]
    column = [None if i % 5 == 0 else ("<odd>" if i % 2 else "even") for i in range(250)]
    options = {"groups": {"parity": column}, "positive": "declined"}
    page = read(report_html(model, X, y, **options))
    found = assess(y, model.predict_proba(X), model.classes_, **options).groups["parity"]
    shown = page.text("groups")
    for group in found.groups:
        rate = group.by_class["declined"]["selection_rate"].value
        assert f"{group.value} {group.rows} {rate:.3f}" in shown
    difference = found.differences["declined", "selection_rate"].figure
    wanted = f"difference {difference.value:.3f} {difference.low:.3f} to {difference.high:.3f}"
    assert wanted in shown
    assert "<odd>" not in page.html


def test_of_a_sample_of_rows_the_groups_are_those_of_the_sample(model, loans):
    X, y = loans[1]
    page = read(report_html(model, X, y, max_rows=100, groups={"all": ["x"] * 250}))
    assert "x 100 " in page.text("groups")


def test_costs_name_the_cheapest_threshold(model, loans):
    X, y = loans[1]
    options = {"cost": {"fn": 5, "fp": 1}, "positive": "declined"}
    found = assess(y, model.predict_proba(X), model.classes_, **options).cost
    shown = read(report_html(model, X, y, **options)).text("costs")
    best = found.best
    wanted = f"cheapest {best.threshold:.4g} {best.false_negatives} {best.false_positives}"
    assert wanted in shown
    assert f"always declined – 0 {250 - found.positives}" in shown


def test_three_classes_have_groups_but_no_costs_without_a_positive_one():
    X = {"x": [i % 3 + i / 1000 for i in range(200)]}
    y = ["abc"[i % 3] for i in range(200)]
    clf = HyperboxClassifier().fit(X, y)
    options = {"groups": {"half": [i // 100 for i in range(200)]}, "cost": "fn=5,fp=1"}
    page = read(report_html(clf, X, y, **options))
    assert "there are 3 classes, and costs need two" in page.text("costs")
    assert "balanced accuracy" in page.text("groups")
    assert "always b" in read(report_html(clf, X, y, **options, positive="b")).text("costs")


def test_a_model_that_decides_by_memberships_has_the_sections_too(loans):
    clf = EIOLGFMM().fit(*loans[0])
    page = read(report_html(clf, *loans[1], cost="fn=5,fp=1", groups={"g": [1, 2] * 125}))
    assert "cheapest" in page.text("costs")
    assert "difference" in page.text("groups")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"groups": {"g": [1, 2]}}, "group column 'g' has 2 rows, the table has 250"),
        ({"cost": "fn=5"}, "the cost fp is not given"),
        ({"positive": "maybe"}, "no class 'maybe'"),
    ],
)
def test_what_cannot_be_assessed_is_named(model, loans, options, words):
    with pytest.raises(ValueError, match=words):
        report_html(model, *loans[1], **options)


def test_groups_and_costs_need_rows(model):
    with pytest.raises(ValueError, match="need labelled rows"):
        report_html(model, cost="fn=5,fp=1")
