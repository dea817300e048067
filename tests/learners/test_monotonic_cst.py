"""Columns with which the probability of a class only rises, or only falls."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from boxwise import HyperboxClassifier, dumps, load, loads, merge
from boxwise.datasets import loans
from boxwise.tuning import tune

ROWS, LABELS = loans(900, function=7, noise=0.05, seed=1)
NEW = ROWS[880:]
NAMED = {"salary": {"approved": 1}, "loan": {"approved": -1}}
PLAIN = {"salary": -1, "loan": 1}  # of "declined", the second class
COLUMNS = [*ROWS[0]]


def chances(clf: Any, column: str, label: Any = "approved") -> np.ndarray:
    """The probability of a class over a grid of a column, rows × values."""
    place = clf.classes_.tolist().index(label)
    values = np.linspace(-1e5, 7e5, 40).tolist()
    return np.array(
        [clf.predict_proba([{**row, column: x} for x in values])[:, place] for row in NEW]
    )


def assert_follows(clf: Any) -> None:
    rising, falling = np.diff(chances(clf, "salary")), np.diff(chances(clf, "loan"))
    assert rising.min() >= -1e-12
    assert rising.max() > 1e-4
    assert falling.max() <= 1e-12


def test_unconstrained_curves_would_not_follow() -> None:
    wrong = {"salary": {"approved": -1}}
    clf = HyperboxClassifier(monotonic_cst=wrong).fit(ROWS[:600], LABELS[:600])
    assert np.diff(chances(clf, "salary")).max() <= 1e-12
    free = HyperboxClassifier().fit(ROWS[:600], LABELS[:600])
    assert np.diff(chances(free, "salary")).max() > 0.05


def test_it_is_kept_by_files_copies_and_clones(tmp_path: Any) -> None:
    clf = HyperboxClassifier(monotonic_cst=NAMED).fit(ROWS[:600], LABELS[:600])
    clf.save(tmp_path / "m.box")
    for twin in (clf, load(tmp_path / "m.box"), pickle.loads(pickle.dumps(clf))):
        assert twin.monotonic_cst == NAMED
        twin.partial_fit(ROWS[600:], LABELS[600:])
        assert_follows(twin)
    assert clone(clf).monotonic_cst == NAMED
    plain = HyperboxClassifier().fit(ROWS[:50], LABELS[:50])
    content, _ = plain._to_saved()  # version 0.2 can read it
    assert "monotonic_cst" not in content["parameters"]
    assert "monotone" not in content["settings"]


def test_the_plain_form_is_about_the_second_of_two_classes() -> None:
    fitted = [
        HyperboxClassifier(monotonic_cst=given).fit(ROWS, LABELS)
        for given in (
            {"salary": {"declined": -1}, "loan": {"declined": 1}},
            PLAIN,
            {COLUMNS.index("salary"): -1, COLUMNS.index("loan"): 1},
            [PLAIN.get(name, 0) for name in COLUMNS],
            np.array([PLAIN.get(name, 0) for name in COLUMNS]),
        )
    ]
    for clf in fitted:
        assert_follows(clf)
        np.testing.assert_array_equal(clf.predict_proba(NEW), fitted[0].predict_proba(NEW))


def test_classes_are_announced_or_come_with_the_first_rows() -> None:
    clf = HyperboxClassifier(monotonic_cst=PLAIN)
    with pytest.raises(ValueError, match=r"'salary' has -1 without a class, .* but only 'dec.* is"):
        clf.partial_fit(ROWS[:1], ["declined"])
    assert not hasattr(clf, "_model")
    clf.partial_fit(ROWS[:1], ["declined"], classes=["declined", "approved"])
    for row, label in zip(ROWS[1:], LABELS[1:], strict=True):
        clf.partial_fit([row], [label])
    whole = HyperboxClassifier(monotonic_cst=PLAIN).partial_fit(
        ROWS, ["declined", *LABELS[1:]], classes=["declined", "approved"]
    )
    assert dumps(clf) == dumps(whole)
    before = dumps(clf)
    with pytest.raises(ValueError, match=r"exactly two classes, but there are .*; name the class"):
        clf.partial_fit(ROWS[:2], ["declined", "referred"])
    with pytest.raises(ValueError, match="exactly two classes"):
        clf.partial_fit(ROWS[:1], ["declined"], classes=["declined", "approved", "referred"])
    assert dumps(clf) == before
    with pytest.raises(ValueError, match="exactly two classes"):
        HyperboxClassifier(monotonic_cst=PLAIN).fit(ROWS[:3], ["a", "b", "c"])


def test_a_named_class_may_come_late() -> None:
    named = {"salary": {"referred": 1}}
    late = ["referred" if i % 3 else label for i, label in enumerate(LABELS[600:])]
    labels = [*LABELS[:600], *late]
    clf = HyperboxClassifier(monotonic_cst=named).partial_fit(ROWS, labels)
    assert np.diff(chances(clf, "salary", "referred")).min() >= -1e-12
    one_by_one = HyperboxClassifier(monotonic_cst=named)
    for row, label in zip(ROWS, labels, strict=True):
        one_by_one.partial_fit([row], [label])
    assert dumps(one_by_one) == dumps(clf)
    tested = HyperboxClassifier(monotonic_cst=named)
    tested.test_then_train(ROWS, labels)
    assert dumps(tested) == dumps(clf)


def test_numbers_and_texts_name_the_same_class() -> None:
    numbers = [int(label == "approved") for label in LABELS]
    for named in (1, "1", np.int64(1)):
        clf = HyperboxClassifier(monotonic_cst={"salary": {named: 1}}).fit(ROWS, numbers)
        assert np.diff(chances(clf, "salary", 1)).min() >= -1e-12


def test_fit_warns_of_a_class_that_no_row_has() -> None:
    with pytest.warns(UserWarning, match=r"no row has the class 'aproved'.*mean 'approved'\?"):
        HyperboxClassifier(monotonic_cst={"salary": {"aproved": 1}}).fit(ROWS[:99], LABELS[:99])


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"salry": 1}, ValueError, r"no column 'salry'; .*did you mean 'salary'\?"),
        ({99: 1}, ValueError, "no column 99; there are salary"),
        ({True: 1}, ValueError, "no column True"),
        ({"car": 1}, ValueError, "column 'car' is categorical"),
        ({"salary": 2}, ValueError, r"column 'salary' has 2; give 1, 0 or -1, or a class"),
        ({"salary": True}, ValueError, "column 'salary' has True"),
        ({"salary": "+"}, ValueError, r"column 'salary' has '\+'"),
        ({"salary": {"approved": 0}}, ValueError, "column 'salary' has 0; give 1 or -1"),
        ({"salary": {}}, ValueError, "names 0 classes; name one"),
        ({"salary": {"approved": 1, "declined": -1}}, ValueError, "names 2 classes"),
        ({"salary": {0.5: 1}}, ValueError, r"column 'salary' names the class 0\.5; classes are"),
        ({"salary": {None: 1}}, ValueError, "column 'salary' names the class None"),
        ({"salary": 1, 0: -1}, ValueError, "column 'salary' is given twice"),
        ([1, 0], ValueError, "2 entries, but there are 9 columns"),
        ("salary", TypeError, "monotonic_cst is 'salary'; give a mapping"),
        (1, TypeError, "monotonic_cst is 1; give a mapping"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_remedy(given: Any, error: Any, words: str) -> None:
    for learn in (HyperboxClassifier.fit, HyperboxClassifier.partial_fit):
        with pytest.raises(error, match=words):
            learn(HyperboxClassifier(monotonic_cst=given), ROWS[:50], LABELS[:50])


def test_it_needs_curves() -> None:
    with pytest.raises(ValueError, match=r"monotonic_cst constrains curves.*leave additive at"):
        HyperboxClassifier(monotonic_cst=NAMED, additive=False).fit(ROWS[:50], LABELS[:50])


def test_a_model_that_has_learned_keeps_its_constraints() -> None:
    clf = HyperboxClassifier(monotonic_cst=NAMED).fit(ROWS[:300], LABELS[:300])
    for other in (None, {"salary": {"approved": 1}}, {**NAMED, "loan": {"approved": 1}}):
        with pytest.raises(ValueError, match=r"monotonic_cst is .* learned with .*call fit"):
            clf.set_params(monotonic_cst=other).partial_fit(ROWS[:5], LABELS[:5])
    clf.set_params(monotonic_cst=dict(reversed(NAMED.items()))).partial_fit(ROWS, LABELS)
    with pytest.raises(ValueError, match="learned with None"):
        HyperboxClassifier().fit(ROWS[:50], LABELS[:50]).set_params(
            monotonic_cst=NAMED
        ).partial_fit(ROWS[:5], LABELS[:5])
    clf.set_params(monotonic_cst=None).fit(ROWS[:50], LABELS[:50])
    assert clf._model.settings.monotone == []


def test_a_column_may_get_its_kind_late() -> None:
    blind = [{**row, "salary": None} for row in ROWS[:300]]
    clf = HyperboxClassifier(monotonic_cst=NAMED).partial_fit(blind, LABELS[:300])
    assert clf.schema_.unknown
    clf.partial_fit(ROWS[300:], LABELS[300:])
    assert_follows(clf)
    texts = HyperboxClassifier(monotonic_cst=NAMED).partial_fit(blind, LABELS[:300])
    with pytest.raises(ValueError, match="column 'salary' is categorical"):
        texts.partial_fit([{**ROWS[300], "salary": "high"}], LABELS[300:301])


def test_parts_of_a_date_that_are_numbers_may_be_constrained() -> None:
    rows = [{"opened": f"2024-{1 + i % 12:02}-15", "x": i % 7} for i in range(200)]
    labels = ["late" if i % 12 > 6 else "early" for i in range(200)]
    dates = {"opened": ["month", "day"]}
    month = {"month of opened": {"late": 1}}
    clf = HyperboxClassifier(dates=dates, monotonic_cst=month).fit(rows, labels)
    months = [{"opened": f"2024-{m:02}-15", "x": 3} for m in range(1, 13)]
    assert np.diff(clf.predict_proba(months)[:, 1]).min() >= -1e-12
    with pytest.raises(ValueError, match=r"'opened' holds dates; .* such as 'month of opened'"):
        HyperboxClassifier(dates=dates, monotonic_cst={"opened": {"late": 1}}).fit(rows, labels)


def test_merging_refuses_other_constraints() -> None:
    parts = [
        HyperboxClassifier(monotonic_cst=given).fit(ROWS[i : i + 300], LABELS[i : i + 300])
        for i, given in ((0, NAMED), (300, PLAIN), (600, None))
    ]
    assert_follows(merge([parts[0], parts[0]]))
    for other in parts[1:]:
        with pytest.raises(ValueError, match="the models differ in monotonic_cst"):
            merge([parts[0], other])


def test_only_the_curve_speaks_of_the_column() -> None:
    clf = HyperboxClassifier(monotonic_cst=NAMED).fit(ROWS[:600], LABELS[:600])
    places = [COLUMNS.index(name) for name in NAMED]
    assert np.isnan(clf.relevance_[places]).all()
    assert np.isnan(clf.boxes_.lower[:, 0]).all()
    assert "salary" not in clf.boxes_.describe(0)
    assert not any("salary" in str(rule) for rule in clf.rules())
    curves = {curve.column: curve for curve in clf.curves()}
    approved = curves["salary"].classes.index("approved")
    for points in (curves["salary"].contributions, curves["salary"].lately):
        assert np.diff(points[:, approved]).min() >= -1e-12
    far = [{**row, "salary": 1e7} for row in NEW]
    np.testing.assert_array_equal(clf.support(NEW), clf.support(far))


def test_a_model_of_constrained_numbers_alone_decides_by_curves() -> None:
    rows = [[i / 400, i % 5] for i in range(400)]
    clf = HyperboxClassifier(monotonic_cst=[1, -1]).fit(rows, [row[0] > 0.37 for row in rows])
    assert len(clf.boxes_) == 2  # one for each class
    assert clf.boxes_.describe(0).endswith("rows: any row")
    assert clf.score(rows, [row[0] > 0.37 for row in rows]) > 0.95


def test_counterfactuals_and_attributions_go_by_the_curve() -> None:
    rows = [{"x": i / 400, "y": i % 5} for i in range(400)]
    labels = ["yes" if row["x"] > 0.37 else "no" for row in rows]
    clf = HyperboxClassifier(monotonic_cst={"x": {"yes": 1}}).fit(rows, labels)
    (why,) = clf.explain([{"x": 0.1, "y": 2}])
    assert why.prediction == "no"
    (change,) = why.counterfactual.changes
    assert change.column == "x"
    assert 0.3 < change.new < 0.5  # not rounded to a whole number
    found = clf.attributions([{"x": 0.1, "y": 2}])
    assert np.abs(found.values[0, 0]).max() > np.abs(found.values[0, 1]).max()


def test_tuning_finds_what_a_grid_search_does() -> None:
    clf, grid = HyperboxClassifier(monotonic_cst=NAMED), {"theta": [0.2, 0.5]}
    found = tune(clf, ROWS[:300], LABELS[:300], grid, cv=2, n_jobs=1)
    assert_follows(found.best_estimator_)
    search = GridSearchCV(clf, grid, cv=2, refit=False).fit(ROWS[:300], LABELS[:300])
    expected = search.cv_results_["mean_test_score"]
    np.testing.assert_array_equal(found.cv_results_["mean_test_score"], expected)


def test_loads_refuses_constraints_that_are_none() -> None:
    clf = HyperboxClassifier(monotonic_cst=NAMED).fit(ROWS[:99], LABELS[:99])
    content, arrays = clf._model.to_state()
    for odd in ([["salary", "approved", 3]], [["salary"]], [["salary", "approved", "+"]], 7):
        broken = {**content, "settings": {**content["settings"], "monotone": odd}}
        with pytest.raises((ValueError, TypeError)):
            type(clf._model).from_state(broken, arrays)
    assert loads(dumps(clf)).monotonic_cst == NAMED
