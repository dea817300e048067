"""The parameter `additive` wherever a user meets it: tuning, going on, files, River."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import boxwise
from boxwise import HyperboxClassifier, tune
from boxwise.datasets import loans

ROWS, LABELS = loans(900, function=5, noise=0.05, seed=1)
LABELS = np.array(LABELS)
FIRST, NEXT = slice(300), slice(300, 600)
FRESH = ROWS[600:]


def learned(rows: slice = FIRST, **parameters: Any) -> HyperboxClassifier:
    return HyperboxClassifier(**parameters).partial_fit(ROWS[rows], LABELS[rows])


def weights(clf: HyperboxClassifier) -> int:
    """How many weights the layer has."""
    return len(clf._model.engine.snapshot()["layer_weights"])


def assert_same(a: HyperboxClassifier, b: HyperboxClassifier, rows: Any = FRESH) -> None:
    """Compare probabilities; an untrained layer may round those of the boxes differently."""
    np.testing.assert_allclose(a.predict_proba(rows), b.predict_proba(rows), rtol=0, atol=1e-13)


def test_the_layer_changes_what_is_predicted() -> None:
    on, off = learned(), learned(additive=False)
    assert weights(on) > 0 == weights(off)
    assert not np.array_equal(on.predict_proba(FRESH), off.predict_proba(FRESH))


def test_a_model_goes_on_without_its_layer_as_if_it_had_never_had_one() -> None:
    clf = learned().set_params(additive=False)
    assert_same(clf, learned())  # until it learns again
    clf.partial_fit(ROWS[NEXT], LABELS[NEXT])
    assert weights(clf) == 0
    assert_same(clf, learned(slice(600), additive=False))


def test_a_model_that_gets_a_layer_starts_an_untrained_one() -> None:
    clf = learned(additive=False).set_params(additive=True)
    assert_same(clf, learned(additive=False))
    clf.partial_fit(ROWS[300:301], LABELS[300:301])
    assert_same(clf, learned(slice(301), additive=False))
    clf.partial_fit(ROWS[NEXT], LABELS[NEXT])
    assert weights(clf) > 4
    assert not np.array_equal(
        clf.predict_proba(FRESH), learned(slice(600), additive=False).predict_proba(FRESH)
    )


@pytest.mark.parametrize("additive", [True, False])
def test_files_pickles_and_clones_keep_it(additive: bool, tmp_path: Path) -> None:
    clf = learned(additive=additive)
    clf.save(tmp_path / "model.box")
    for copy in (boxwise.load(tmp_path / "model.box"), pickle.loads(pickle.dumps(clf))):
        assert copy.additive is additive
        assert_same(copy, clf)
        copy.partial_fit(ROWS[NEXT], LABELS[NEXT])
        assert_same(copy, learned(slice(600), additive=additive))
    assert clone(clf).additive is additive


def test_a_file_written_after_set_params_has_the_model_as_it_is(tmp_path: Path) -> None:
    clf = learned().set_params(additive=False)
    clf.save(tmp_path / "model.box")
    loaded = boxwise.load(tmp_path / "model.box")
    assert loaded.additive is False
    assert_same(loaded, learned())
    assert_same(loaded.partial_fit(ROWS[NEXT], LABELS[NEXT]), learned(slice(600), additive=False))


def test_tune_gives_the_scores_of_grid_search() -> None:
    grid = {"additive": [True, False]}
    how = {"cv": 3, "scoring": "neg_log_loss"}
    ours = tune(HyperboxClassifier(), ROWS, LABELS, grid, **how).cv_results_["mean_test_score"]
    theirs = GridSearchCV(HyperboxClassifier(), grid, **how).fit(ROWS, LABELS)
    np.testing.assert_allclose(ours, theirs.cv_results_["mean_test_score"], rtol=1e-12)
    assert ours[0] != ours[1]


def test_a_whole_weight_is_so_many_rows() -> None:
    times = np.random.default_rng(0).integers(0, 4, 300)
    weighted = HyperboxClassifier().partial_fit(ROWS[FIRST], LABELS[FIRST], sample_weight=times)
    every = np.repeat(np.arange(300), times)
    repeated = HyperboxClassifier().partial_fit([ROWS[i] for i in every], LABELS[every])
    assert_same(weighted, repeated)


def test_values_never_seen_are_predicted_alike_before_and_while_a_row_is_learned() -> None:
    random = np.random.default_rng(0)
    values = random.integers(0, 1000, 2000)
    y = ((values % 50 > 4) ^ (random.random(2000) < 0.05)).astype(int)
    y[:20] = random.integers(0, 2, 20)
    numbers = random.normal(size=2000).tolist()
    rows = [{"x": x, "value": f"v{value}"} for x, value in zip(numbers, values, strict=True)]
    together, apart = (HyperboxClassifier().partial_fit(rows[:20], y[:20]) for _ in range(2))
    one_by_one = []
    for row, label in zip(rows[20:], y[20:], strict=True):
        one_by_one.append(apart.predict([row])[0])
        apart.partial_fit([row], [label])
    assert together.test_then_train(rows[20:], y[20:]).tolist() == one_by_one
    new = [{"x": 1.0, "value": "never seen"}, {"x": 1.0, "value": "nor this"}]
    (curve,) = [curve for curve in apart.curves() if curve.column == "value"]
    assert curve.others is not None
    assert np.abs(curve.others.contributions + curve.offset).max() > 0.01
    assert apart.predict_proba(new)[0].tolist() == apart.predict_proba(new)[1].tolist()


def test_an_untrained_layer_says_what_sure_boxes_say() -> None:
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(0, 0.1, (3000, 8)), random.normal(20, 0.1, (3000, 8))])
    y = np.repeat([0, 1], 3000)
    of_one = [
        HyperboxClassifier(scale="range").partial_fit(X[half], y[half])
        for half in (slice(3000), slice(3000, None))
    ]
    clf = boxwise.merge(of_one)
    p = clf.predict_proba(X[:1])[0]
    assert p.min() < 1e-4
    (why,) = clf.explain(X[:1], counterfactual=False)
    logits = np.array([parts.logit for parts in why.sums])
    np.testing.assert_allclose(np.exp(logits) / np.exp(logits).sum(), p, rtol=0, atol=1e-12)
    boxes = HyperboxClassifier(additive=False).partial_fit(X, y).set_params(additive=True)
    boxes.partial_fit(X[:1], y[:1])
    alone = HyperboxClassifier(additive=False).partial_fit(X, y).partial_fit(X[:1], y[:1])
    assert_same(boxes, alone, X[:50])


def test_a_class_without_boxes_keeps_no_probability() -> None:
    clf = learned()
    gone = clf.boxes_.labels[0]
    clf._model.remove(np.flatnonzero(clf.boxes_.labels == gone).tolist())
    of_gone = clf.predict_proba(FRESH)[:, clf.classes_.tolist().index(gone)]
    assert (of_gone == 0).all()
    clf.partial_fit(ROWS[NEXT], LABELS[NEXT])
    assert clf.score(FRESH, LABELS[600:]) > 0.7


@pytest.mark.parametrize("additive", [True, False])
def test_river_has_it_too(additive: bool) -> None:
    pytest.importorskip("river")
    from boxwise.river import HyperboxClassifier as RiverClassifier

    clf = RiverClassifier(additive=not additive).clone({"additive": additive})
    for row, label in zip(ROWS[FIRST], LABELS[FIRST], strict=True):
        clf.learn_one(row, label)
    table = learned(additive=additive)
    for row in FRESH[:20]:
        p = clf.predict_proba_one(row)
        assert [p[label] for label in table.classes_] == table.predict_proba([row])[0].tolist()


def test_evolve_may_choose_it() -> None:
    pytest.importorskip("optuna")
    from boxwise.tuning import evolve

    space = {"additive": [True, False], "theta": (0.1, 1.0)}
    found = evolve(
        HyperboxClassifier(), ROWS[FIRST], LABELS[FIRST], space, cv=2, n_trials=6, random_state=1
    )
    assert type(found.best_params_["additive"]) is bool
    assert found.best_estimator_.additive is found.best_params_["additive"]


def test_a_column_that_comes_late_leaves_the_weights_with_their_columns() -> None:
    rows = [{"late": None} | row for row in ROWS]
    clf = HyperboxClassifier().partial_fit(rows[:300], LABELS[FIRST])
    before = clf.predict_proba(rows[600:])
    numeric = clf._with_kinds(clf._model, {0: "numeric"})
    assert numeric.schema.names[numeric.schema.numeric[0]] == "late"
    clf._model = numeric
    np.testing.assert_array_equal(clf.predict_proba(rows[600:]), before)
    clf.partial_fit([rows[300] | {"late": 1.0}, rows[301] | {"late": 2.0}], LABELS[300:302])
    assert np.isfinite(clf.predict_proba(rows[600:])).all()
