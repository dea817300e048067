"""The page on a model: all there is to say, whatever the model and the rows are."""

import json
import re
import warnings
from base64 import b64decode

import numpy as np
import pandas as pd
import polars as pl
import pytest

import boxwise
from boxwise import (
    EIOLGFMM,
    AgglomerativeGFMM,
    CastilloGFMM,
    HyperboxClassifier,
    ImprovedOnlineGFMM,
    OnlineGFMM,
    ShindeGFMM,
)
from boxwise.datasets import LoanStream
from boxwise.evaluate import class_balanced_accuracy
from boxwise.report import pictures, report_html, write_report, writing
from boxwise.report import rule_block as blocks
from tests.report.reading import read

SECTIONS = (
    "learned",
    "quality",
    "confusions",
    "relevance",
    "curves",
    "rules",
    "strongest",
    "decisions",
)


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture
def plain(monkeypatch):
    """A page without what takes long, for tests of all the rest."""
    monkeypatch.setattr(writing, "short_rules", lambda about, progress: None)
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)


@pytest.fixture(scope="module")
def loans():
    X, y = LoanStream(260, function=7, noise=0.05, seed=3).table()
    parts = (slice(0, 160), slice(160, None))
    return [({name: column[part] for name, column in X.items()}, y[part]) for part in parts]


@pytest.fixture(scope="module")
def model(loans):
    return HyperboxClassifier().fit(*loans[0])


@pytest.fixture(scope="module")
def page(model, loans):
    return read(report_html(model, *loans[1], name="July", first_row=1))


def test_every_section_is_there_and_in_the_contents(page):
    links = [a["href"] for a in page.all("a")]
    assert links == ["#content", *(f"#{name}" for name in SECTIONS)]
    assert all(len(page.text(name)) > 100 for name in SECTIONS)
    assert page.text().startswith("July")


def test_the_quality_is_that_of_the_predictions(page, model, loans):
    X, y = loans[1]
    said = model.predict(X).tolist()
    right = np.mean([a == b for a, b in zip(y, said, strict=True)])
    assert f"(CBA) {class_balanced_accuracy(y, said):.3f}" in page.text("quality")
    assert f"Accuracy {right:.3f}" in page.text("quality")
    assert "if the model has learned these rows" in page.text("quality")


def test_the_most_frequent_confusion_is_said_in_words(page, model, loans):
    X, y = loans[1]
    wrong = [(a, b) for a, b in zip(y, model.predict(X).tolist(), strict=True) if a != b]
    worst = max(set(wrong), key=wrong.count)
    of = sum(label == worst[0] for label in y)
    said = f"{worst[0]} predicted as {worst[1]} : {wrong.count(worst)} of {of} rows"
    assert said in page.text("confusions")


def test_the_column_that_decides_matters_most_and_noise_does_not(plain):
    random = np.random.default_rng(0)
    X = {"telling": random.random(600), "noise": random.random(600)}
    y = ["high" if x > 0.5 else "low" for x in X["telling"]]
    page = read(report_html(HyperboxClassifier().fit(X, y), X, y))
    text = page.text("relevance")
    table = text[text.index("Columns by importance") :]
    assert table.index("telling") < table.index("noise")
    assert "Most important columns: telling" in page.text("content")


def test_three_decisions_are_explained_under_the_numbers_of_their_rows(page, model, loans):
    p = model.predict_proba(loans[1][0])
    closest = int(np.argmin(np.abs(p[:, 0] - p[:, 1]))) + 1
    text = page.text("decisions")
    assert f"row {closest}:" in text
    assert "The most certain correct prediction" in text
    assert "The most certain error" in text


def test_every_rule_is_in_the_page_to_be_searched(page, model, loans):
    rules = model.rules(*loans[1])
    assert len(page.rules) == len(rules)
    for rule, (label, conditions, box, rows, covered, _) in zip(rules, page.rules, strict=True):
        assert (label, box, rows) == (rule.label, rule.boxes[0], f"{rule.rows:,}")
        assert conditions == [str(c) for c in rule.conditions]
        assert covered == f"{rule.covered:,}"


def test_the_same_model_and_rows_give_the_same_page(model):
    X, y = [{"age": a} for a in range(12)], ["young"] * 6 + ["old"] * 6
    clf = HyperboxClassifier().fit(X, y)
    assert report_html(clf, X, y) == report_html(clf, X, y)
    assert report_html(model) == report_html(model)  # with pictures


def test_without_rows_it_shows_what_the_model_knows_and_says_what_is_missing(model):
    page = read(report_html(model))
    assert "no labelled rows were given" in page.text("content")
    for name in ("quality", "confusions", "decisions"):
        assert "none were given" in page.text(name) or "No rows were given" in page.text(name)
    assert len(page.rules) == len(model.boxes_)
    assert "Box " in page.text("strongest")


def test_a_file_appears_when_it_is_complete(model, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(ValueError, match="give both X and y"):
        write_report(model, path, [[1]])
    assert path.read_text() == "old"
    write_report(model, path)
    read(path.read_text(encoding="utf-8"))
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_values_names_and_classes_are_text_and_never_markup():
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    quote = "\"'><b onclick=x>"
    X = pd.DataFrame({evil: [1.0, 2, 3, 4] * 5, quote: [evil, quote, None, "plain"] * 5})
    y = [evil, quote] * 10
    clf = HyperboxClassifier().fit(X, y)
    page = read(report_html(clf, X, y, name=evil))
    assert not page.all("b") or all("onclick" not in b for b in page.all("b"))
    assert page.all("img") == [i for i in page.all("img") if i["src"].startswith("data:")]
    assert {rule[0] for rule in page.rules} == {evil, repr(quote) if "," in quote else quote}


def test_without_matplotlib_it_says_so(model, monkeypatch):
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    page = read(report_html(model))
    assert not page.all("img")
    assert "matplotlib was not installed" in page.text("strongest")


def tables():
    random = np.random.default_rng(1)
    n = 60
    age, pay = random.integers(20, 70, n).astype(float), random.random(n) * 1e5
    job = [("cook", "smith", None)[i % 3] for i in range(n)]
    age[3] = np.nan
    numbers = np.column_stack([age, pay])
    mixed = {"age": age, "pay": pay, "job": job}
    yield "dict", mixed
    yield "pandas", pd.DataFrame(mixed)
    yield "polars", pl.DataFrame(mixed)
    yield "dicts", pd.DataFrame(mixed).to_dict("records")
    yield "numbers without names", numbers
    yield "one column", numbers[:, :1]
    yield "categories only", pd.DataFrame({"job": job, "ward": ["3", "7"] * 30})
    yield "never seen", pd.DataFrame({"age": [1.0, 2.0] * 30, "empty": [np.nan] * n})


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("numbers without names", marks=pytest.mark.long),
        "categories only",
        pytest.param("never seen", marks=pytest.mark.long),
    ],
)
def test_tables_with_pictures_and_a_few_rules(kind):
    X, y = dict(tables())[kind], ["no"] * 30 + ["yes"] * 30
    page = read(report_html(HyperboxClassifier().fit(X, y), X, y))
    assert "agrees with the model on" in page.text("rules")


@pytest.mark.parametrize(("kind", "X"), [*tables()], ids=[kind for kind, _ in tables()])
@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1], [True, False], [1, 2, 3], ["only"]],
                         ids=str)  # fmt: skip
def test_any_table_and_any_labels(kind, X, labels, plain):
    n = len(X["age"]) if isinstance(X, dict) else len(X)
    y = [labels[i * 7 // 5 % len(labels)] for i in range(n)]
    clf = HyperboxClassifier().fit(X, y)
    page = read(report_html(clf, X, y))
    assert "they may be the same" in page.text("quality")
    assert len(page.rules) == len(clf.boxes_)


LEARNERS = [
    AgglomerativeGFMM(),
    CastilloGFMM(),
    EIOLGFMM(),
    HyperboxClassifier(scale="quantile", max_boxes=3),
    ImprovedOnlineGFMM(),
    OnlineGFMM(),
    ShindeGFMM(),
]


@pytest.mark.parametrize("clf", LEARNERS, ids=lambda clf: type(clf).__name__)
def test_every_learner(clf, tmp_path, plain):
    random = np.random.default_rng(2)
    X = pd.DataFrame({"age": random.random(80), "pay": random.random(80)})
    y = ["old" if a > 0.6 else "young" for a in X["age"]]
    if not isinstance(clf, ImprovedOnlineGFMM | OnlineGFMM | ShindeGFMM):
        X["job"] = ["cook", "smith"] * 40
    clf.fit(X, y).save(tmp_path / "model.box")
    page = read(report_html(boxwise.load(tmp_path / "model.box"), X, y))
    assert "row" in page.text("decisions").lower()
    if isinstance(clf, CastilloGFMM):
        assert "no rule can say" in page.text("rules")


def test_intervals():
    lower = pd.DataFrame({"age": np.arange(40.0), "job": ["cook", "smith"] * 20})
    upper = pd.DataFrame({"age": np.arange(40.0) + 2})
    y = ["young"] * 20 + ["old"] * 20
    page = read(report_html(HyperboxClassifier().fit(lower, y, upper), lower, y, upper))
    assert "cannot be made from rows with intervals" in page.text("rules")


def test_rows_and_boxes_without_a_class():
    X = pd.DataFrame({"age": np.arange(60.0)})
    y = [("low", None)[i % 2] if i < 30 else None for i in range(60)]
    clf = HyperboxClassifier(theta=0.1, unlabelled=float("nan")).fit(X, y)
    assert None in {label if isinstance(label, str) else None for label in clf.boxes_.labels}
    page = read(report_html(clf, X, y))
    assert "no class" in page.text("learned")
    assert "45 rows without a label were skipped" in page.text("quality")
    with pytest.raises(ValueError, match="no row has a label"):
        report_html(clf, X, [None] * 60)


def test_a_class_that_was_never_learned_counts_as_wrong(plain):
    X = pd.DataFrame({"age": np.arange(20.0)})
    clf = HyperboxClassifier().fit(X[:10], ["a", "b"] * 5)
    page = read(report_html(clf, X, ["a", "b"] * 5 + ["new"] * 10))
    assert "not learned ( new )" in page.text("quality").replace("(new)", "( new )")
    assert "new predicted as" in page.text("confusions").replace("class ", "")
    read(report_html(clf, X[10:], ["new"] * 10))


def test_labels_of_another_type_are_refused():
    X = pd.DataFrame({"age": np.arange(20.0)})
    clf = HyperboxClassifier().fit(X, [0, 1] * 10)
    with pytest.raises(ValueError, match="give both in the same type"):
        report_html(clf, X, ["0", "1"] * 10)


def test_halves_of_surrogate_pairs_are_escaped(plain):
    X = {"n": [1.0, 2.0, 8.0], "c \ud800": ["\udfff", "b", "c"]}
    y = ["a", "a\ud800", "b"]
    html = report_html(HyperboxClassifier().fit(X, y), X, y, name="staff \ud800")
    assert html.encode().decode() == html
    page = read(html)
    assert page.text().startswith(r"staff \ud800")
    assert sorted(rule[0] for rule in page.rules) == ["a", "a\ud800", "b"]


def test_a_single_row():
    clf = HyperboxClassifier().fit([{"age": 3}], ["yes"])
    page = read(report_html(clf, [{"age": 3}], ["yes"]))
    assert "Measured on 1 row." in page.text("quality")
    assert len(page.rules) == clf.n_boxes_ == 1


def test_many_rows_are_sampled(model, loans, plain):
    page = read(report_html(model, *loans[1], max_rows=50))
    assert "Measured on 50 rows, drawn at random from 100" in page.text("quality")


def test_many_classes_are_bounded(plain):
    random = np.random.default_rng(3)
    X = pd.DataFrame({"x": random.random(600), "y": random.random(600)})
    y = [f"class {int(x * 40)}" for x in X["x"]]
    page = read(report_html(HyperboxClassifier().fit(X, y), X, y))
    assert "the 20 most frequent classes of 40" in page.text("confusions")
    assert "28 classes with fewer rows are not shown" in page.text("strongest")


def test_rules_that_are_too_long_are_shortened_then_left_out(monkeypatch):
    monkeypatch.setattr(blocks, "VALUES", (40, 12, 5, 3))
    values = [f"value {k}" for k in range(200)]
    X = pd.DataFrame({"v": values * 2, "age": np.arange(400.0)})
    clf = HyperboxClassifier(theta=1, delta=1).fit(X, ["a", "b"] * 200)
    rules = [*clf.rules(full=True)]
    whole = blocks.rule_block(rules)
    assert whole.shortened and not whole.left_out
    shown = json.loads(whole.data)[0][1]
    (text, hidden) = next(condition for condition in shown if isinstance(condition, list))
    assert text.startswith("v is one of ") and text.endswith(", …)")
    assert hidden.count("value ") == 40 and hidden.endswith(", …")
    monkeypatch.setattr(blocks, "BUDGET", len(whole.data) - 200)
    less = blocks.rule_block(rules)
    assert less.most_values < whole.most_values
    monkeypatch.setattr(blocks, "BUDGET", 10)
    none = blocks.rule_block(rules)
    assert none.left_out == len(rules) and json.loads(none.data) == []


def test_what_is_no_model_is_refused():
    with pytest.raises(TypeError, match="fitted estimator of boxwise"):
        report_html(object())
    with pytest.raises(ValueError, match="max_rows"):
        report_html(HyperboxClassifier().fit([{"a": 1}], ["x"]), max_rows=0)


def test_the_curves_are_told_with_where_they_are_least_and_most(plain):
    random = np.random.default_rng(0)
    X = {"telling": random.random(600), "noise": random.random(600)}
    y = ["high" if x > 0.5 else "low" for x in X["telling"]]
    clf = HyperboxClassifier().fit(X, y)
    text = read(report_html(clf)).text("curves")
    assert "adds to the log-odds of low against high" in text
    telling = clf.curves()[0]
    added = 2 * telling.contributions[:, 1]
    assert f"{2 * telling.importance:.3f}" in text
    assert (
        f"{added.min():+.2f}".replace("-", "−") + f" at {telling.values[added.argmin()]:.4g}"
        in text
    )
    assert f"{added.max():+.2f} at {telling.values[added.argmax()]:.4g}" in text
    rows = text[text.index("Curves by mean contribution") :]
    assert rows.index("telling") < rows.index("noise")


def test_the_curves_of_several_classes_name_the_class(plain):
    X = {"age": [float(a) for a in range(60)]}
    page = read(report_html(HyperboxClassifier().fit(X, ["a"] * 20 + ["b"] * 20 + ["c"] * 20)))
    assert "the logit of each class" in page.text("curves")
    assert " for a at " in page.text("curves") or " for c at " in page.text("curves")


@pytest.mark.parametrize("additive", [True, False])
def test_a_model_without_curves_has_no_section_of_them(plain, additive):
    labels = ["a"] * 6 if additive else ["a", "b"] * 3
    clf = HyperboxClassifier(additive=additive).fit({"age": [1.0, 2, 3, 4, 5, 6]}, labels)
    assert "curves" not in read(report_html(clf)).pieces


def test_rows_of_fractional_weight_are_told_and_have_shares_that_add_up(plain):
    rows = [{"age": 31.0, "job": "cook"}, {"age": 70.0, "job": "smith"}]
    model = HyperboxClassifier().partial_fit(rows, ["yes", "no"], sample_weight=[0.3, 0.1])
    page = read(report_html(model))
    assert "0.3 rows learned, 100% of the class" in page.text("strongest")
    assert "yes 1 0.3 75%" in " ".join(page.text("learned").split())
    assert "cook 75%, smith 25%" in page.text("learned")


def test_a_picture_has_a_version_for_narrow_screens(model):
    page = read(report_html(model))
    sources, images = page.all("source"), page.all("img")
    assert len(sources) == len(images) == 3
    for source, image in zip(sources, images, strict=True):
        assert source["media"] == "(max-width: 560px)"
        widths = [_width(uri) for uri in (source["srcset"], image["src"])]
        assert widths[0] < 330 < 450 < widths[1]  # points


def _width(uri):
    svg = b64decode(uri.partition(",")[2]).decode()
    return float(re.search(r'<svg [^>]*width="([0-9.]+)pt"', svg, re.DOTALL).group(1))


def test_curves_that_change_nothing_are_not_drawn(plain):
    random = np.random.default_rng(0)
    X = {"a": random.random(60), "b": random.random(60)}
    y = random.choice(["u", "v"], 60)
    clf = HyperboxClassifier().fit(X, y)
    found = read(report_html(clf)).text("curves")
    drawn = max(curve.importance for curve in clf.curves()) >= 0.005
    assert ("Curves by mean contribution" in found) == drawn
    assert ("the boxes decide alone" in found) != drawn


def test_cells_of_wide_tables_carry_their_heading(model, loans, plain):
    html = report_html(model, *loans[1])
    page = read(html)
    titles = {cell.get("data-title") for cell in page.all("td")}
    assert {"kind", "values", "CBA lost when shuffled", "recall", "precision"} <= titles
