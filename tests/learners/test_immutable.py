"""Columns that no counterfactual changes, kept in the model."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from boxwise import EIOLGFMM, HyperboxClassifier, dumps, load, loads, merge
from boxwise.datasets import loans

ROWS, LABELS = loans(700, function=7, noise=0.02, seed=1)
NEW = ROWS[680:]
LEARNERS = [HyperboxClassifier, EIOLGFMM]
every_learner = pytest.mark.parametrize("learner", LEARNERS)


def columns_changed(clf: Any, **how: Any) -> set[str]:
    found = clf.explain(NEW, counterfactuals=5, **how)
    return {c.column for why in found for one in why.counterfactuals for c in one.changes}


@every_learner
def test_counterfactuals_leave_the_union_with_fixed_alone(learner: Any, tmp_path: Any) -> None:
    plain = learner(delta=1.0).fit(ROWS[:600], LABELS[:600])
    most = columns_changed(plain)
    assert {"loan", "salary"} <= most
    clf = learner(delta=1.0, immutable=["salary"]).fit(ROWS[:600], LABELS[:600])
    np.testing.assert_array_equal(clf.predict_proba(NEW), plain.predict_proba(NEW))
    clf.save(tmp_path / "m.box")
    for twin in (clf, load(tmp_path / "m.box"), pickle.loads(pickle.dumps(clf))):
        assert twin.immutable == ["salary"]
        assert "salary" not in columns_changed(twin)
        assert not {"salary", "loan"} & columns_changed(twin, fixed=["loan"])
    assert clone(clf).immutable == ["salary"]
    assert "immutable=['salary']" in repr(clf)


@every_learner
def test_it_takes_names_positions_and_arrays(learner: Any) -> None:
    position = [*ROWS[0]].index("age")
    for given in (("age",), [position], np.array(["age"]), {"age"}, np.array([position])):
        clf = learner(immutable=given).partial_fit(ROWS[:300], LABELS[:300])
        assert "age" not in columns_changed(clf)
        assert "age" not in columns_changed(loads(dumps(clf)))


@every_learner
def test_what_is_no_column_is_refused_by_fit_and_partial_fit(learner: Any) -> None:
    cases = [
        (["agee"], ValueError, r"immutable: there is no column 'agee'; .*did you mean 'age'"),
        ([99], ValueError, "immutable: there is no column 99; there are salary"),
        ("age", TypeError, "immutable is one text, 'age'; give a list of columns"),
        ([True], TypeError, "immutable: True is no column; give names or positions"),
        (3, TypeError, "immutable is 3; give a list of columns"),
    ]
    for given, error, words in cases:
        clf = learner(immutable=given)
        for method in (clf.fit, clf.partial_fit):
            with pytest.raises(error, match=words):
                method(ROWS[:50], LABELS[:50])
        assert not hasattr(clf, "_model")


@every_learner
def test_it_may_be_set_on_a_model_that_has_learned(learner: Any) -> None:
    clf = learner(delta=1.0).fit(ROWS[:600], LABELS[:600]).set_params(immutable=["age"])
    assert "age" not in columns_changed(loads(dumps(clf)))
    with pytest.raises(ValueError, match="immutable: there is no column 'wage'"):
        dumps(clf.set_params(immutable=["wage"]))


@every_learner
def test_files_and_pickles_from_before_there_was_such_a_parameter_load(learner: Any) -> None:
    clf = learner().fit(ROWS[:100], LABELS[:100])
    assert "immutable" not in clf._to_saved()[0]["parameters"]  # version 0.2 can read it, too
    old = loads(dumps(clf))
    assert old.immutable is None
    np.testing.assert_array_equal(old.predict_proba(NEW), clf.predict_proba(NEW))
    state = {name: value for name, value in clf.__dict__.items() if name != "immutable"}
    twin = learner.__new__(learner)
    twin.__setstate__(state)  # a pickle of then
    assert twin.get_params()["immutable"] is None
    assert columns_changed(twin)


def test_merged_models_keep_it_and_must_agree() -> None:
    parts = [
        HyperboxClassifier(immutable=given).fit(ROWS[i : i + 300], LABELS[i : i + 300])
        for i, given in ((0, ["age"]), (300, ("age",)))
    ]
    assert merge(parts).immutable == ["age"]
    parts[1].set_params(immutable=None)
    with pytest.raises(ValueError, match=r"the models differ in immutable: \['age'\] and None"):
        merge(parts)
