"""What the learner does when the stream changes, and what it says of it."""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from boxwise import EIOLGFMM, HyperboxClassifier, load
from boxwise.datasets import LoanStream

N, AT = 5_000, 2_500


@cache
def stream(n: int = N) -> tuple[Any, Any]:
    return LoanStream(n, function=7, drift_at=AT, drift_to=3, seed=1).table()


@cache
def learned(adapt: bool) -> tuple[HyperboxClassifier, Any]:
    clf = HyperboxClassifier(adapt=adapt)
    return clf, clf.test_then_train(*stream())


def test_a_change_is_told_soon_and_the_boxes_are_replaced() -> None:
    clf, predicted = learned(True)
    events = {change.event: change for change in clf.changes_ if change.row >= AT}
    assert {"alarm", "replaced"} <= events.keys()
    alarm, replaced = events["alarm"], events["replaced"]
    assert AT < alarm.row < replaced.row < AT + 500
    assert alarm.before < alarm.after
    assert replaced.after < replaced.before
    assert replaced.boxes > 0
    assert {name for name, _ in replaced.columns} <= {*clf.schema_.names}
    assert "alarm: errors rose from" in str(alarm)
    assert "what matters now" in str(replaced)
    right = (predicted == stream()[1])[AT + 500 :].mean()
    fixed = (learned(False)[1] == stream()[1])[AT + 500 :].mean()
    assert right > fixed


def test_without_adapting_there_are_no_changes() -> None:
    clf, _ = learned(False)
    assert clf.changes_ == []
    assert not clf._model.engine.warning


def test_a_stream_that_stays_the_same_replaces_nothing() -> None:
    table, labels = LoanStream(3_000, function=7, seed=2).table()
    clf = HyperboxClassifier().partial_fit(table, labels)
    assert not [change for change in clf.changes_ if change.event == "replaced"]


@pytest.mark.parametrize("rows", [AT + 40, AT + 60, AT + 400])
def test_changes_survive_files_pickles_and_go_on_alike(rows: int, tmp_path: Any) -> None:
    """Before, during and after the trial of a challenger."""
    table, labels = stream()
    first = {name: column[:rows] for name, column in table.items()}
    rest = {name: column[rows:] for name, column in table.items()}
    clf = clone(learned(True)[0]).partial_fit(first, labels[:rows])
    clf.save(tmp_path / "m.box")
    for twin in (load(tmp_path / "m.box"), pickle.loads(pickle.dumps(clf))):
        assert twin.changes_ == clf.changes_
        twin.partial_fit(rest, labels[rows:])
        assert twin.changes_ == learned(True)[0].changes_
        assert twin.n_boxes_ == learned(True)[0].n_boxes_


def test_changes_can_be_compared_and_the_paper_has_none() -> None:
    first, again = learned(True)[0].changes_, learned(True)[0].changes_
    assert first == again
    assert [change.row for change in first] == sorted(change.row for change in first)
    assert not hasattr(EIOLGFMM(), "changes_")


def test_relevance_is_one_on_average_before_and_differs_after_learning() -> None:
    table, labels = stream()
    clf = HyperboxClassifier().partial_fit(
        {name: col[:1] for name, col in table.items()}, labels[:1]
    )
    np.testing.assert_allclose(clf.relevance_, 1)
    relevance = dict(zip(learned(True)[0].schema_.names, learned(True)[0].relevance_, strict=True))
    assert relevance["age"] > relevance["car"]  # function 3 asks for age and education


def test_river_tells_of_warnings_and_drifts() -> None:
    pytest.importorskip("river")
    from boxwise.river import HyperboxClassifier as River

    model, warned, drifted = River(), [], []
    assert (model.warning_detected, model.drift_detected) == (False, False)
    for i, (x, y) in enumerate(LoanStream(N, function=7, drift_at=AT, drift_to=3, seed=1)):
        model.learn_one(x, y)
        if model.warning_detected:
            warned.append(i)
        if model.drift_detected:
            drifted.append(i)
    changes = model.classifier.changes_
    assert [i + 1 for i in drifted] == [
        c.row for c in changes if c.event in ("replaced", "returned")
    ]
    assert warned[0] + 1 == changes[0].row
    assert any(AT < i < AT + 500 for i in drifted)


@pytest.mark.parametrize("weight", [2, 3, 2.5, 400])
def test_river_tells_of_a_drift_at_any_of_the_rows_that_a_weight_stands_for(weight: float) -> None:
    pytest.importorskip("river")
    from boxwise.river import HyperboxClassifier as River

    model, told, known = River(max_boxes=40), [], 0
    rng = np.random.default_rng(0)
    for i in range(900):
        x = float(rng.normal())
        model.learn_one({"x": x}, (x > 0) ^ (i >= 450), w=weight if i % 2 else 1.0)
        changes = model.classifier.changes_
        replaced = [c for c in changes[known:] if c.event in ("replaced", "returned")]
        assert model.drift_detected == bool(replaced), i
        told += replaced
        known = len(changes)
    assert told
    twin = pickle.loads(pickle.dumps(model))
    assert twin.drift_detected == model.drift_detected
    twin.learn_one({"x": 0.0}, True)
    assert not twin.drift_detected


def test_an_alarm_soon_after_fit_leaves_the_model_as_it_was():
    rng = np.random.default_rng(16)
    X = rng.normal(size=(3_000, 3))
    y = (X[:, 0] > 0).astype(int)
    wrong = rng.random(3_000) < np.where(np.arange(3_000) < 2_900, 0.02, 0.6)
    y = np.where(wrong, 1 - y, y)
    clf = HyperboxClassifier().fit(X[:2_944], y[:2_944])
    clf.partial_fit(X[2_944:2_950], y[2_944:2_950])
    assert clf.changes_ == []
    assert clf.score(X[:2_900], y[:2_900]) > 0.95


def test_a_challenger_has_no_vote_before_it_has_seen_labels():
    rng = np.random.default_rng(1)
    rate, n = 10, 15_000
    X = rng.normal(size=(n, 3))
    truth = (X[:, 0] > 0).astype(int)
    noise = rng.random(n) < np.where(np.arange(n) < n // 2, 0.02, 0.2)
    y = np.where(noise, 1 - truth, truth)
    y[np.arange(n) % rate != 0] = -1
    clf = HyperboxClassifier(unlabelled=-1)
    for begin in range(0, n, rate):
        clf.partial_fit(X[begin : begin + rate], y[begin : begin + rate])
        if clf.changes_:
            break
    assert clf.changes_[-1].event == "alarm"
    assert clf.score(X[:2_000], truth[:2_000]) > 0.9


@pytest.mark.parametrize("changed", [{"adapt": False}, {"max_boxes": 10}])
def test_a_challenger_ends_when_parameters_leave_no_room_for_it(changed):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 3))
    y = (X[:, 0] > 0).astype(int)
    y[1_000:] = 1 - y[1_000:]
    clf = HyperboxClassifier().partial_fit(X[:1_000], y[:1_000])
    row = 1_000
    while not clf.changes_:
        clf.partial_fit(X[row : row + 1], y[row : row + 1])
        row += 1
    clf.set_params(**changed).partial_fit(X[row : row + 1], y[row : row + 1])
    assert not clf._model.engine.warning
    (alarm, dropped) = clf.changes_
    assert (alarm.event, dropped.event, dropped.row) == ("alarm", "dropped", row)
    assert dropped.boxes > 0
