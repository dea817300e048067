"""Several counterfactuals: each changes the prediction, in other columns than the others."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.datasets import loans

ROWS, LABELS = loans(1_040, function=7, noise=0.02, seed=1)
NEW = ROWS[1_000:]


@pytest.fixture(scope="module", params=[HyperboxClassifier, EIOLGFMM])
def clf(request: Any) -> Any:
    return request.param(delta=1.0).fit(ROWS[:1_000], LABELS[:1_000])


def changed(row: dict[str, Any], counterfactual: Any) -> dict[str, Any]:
    return row | {change.column: change.new for change in counterfactual.changes}


def test_each_changes_the_prediction_in_columns_that_are_not_enough_without_others(
    clf: Any,
) -> None:
    several = 0
    for row, why in zip(NEW, clf.explain(NEW, counterfactuals=4), strict=True):
        sets = [{change.column for change in one.changes} for one in why.counterfactuals]
        assert not any(a <= b or b <= a for a, b in combinations(sets, 2))
        several += len(sets) > 1
        for one in why.counterfactuals:
            assert clf.predict([changed(row, one)])[0] == one.prediction != why.prediction
        assert (why.no_counterfactual is None) == (len(sets) == 4)
    assert several > 20


def test_the_first_is_the_one_without_the_others(clf: Any) -> None:
    every, alone = clf.explain(NEW, counterfactuals=3), clf.explain(NEW)
    for several, one in zip(every, alone, strict=True):
        assert several.counterfactual == one.counterfactual
        assert several.counterfactuals[:1] == one.counterfactuals
        assert len(one.counterfactuals) == (one.counterfactual is not None)


def test_the_support_is_that_of_the_changed_row() -> None:
    clf = HyperboxClassifier().fit(ROWS[:1_000], LABELS[:1_000])
    for row, why in zip(NEW, clf.explain(NEW, counterfactuals=3), strict=True):
        for one in why.counterfactuals:
            assert one.support == pytest.approx(clf.support([changed(row, one)])[0])


def test_the_paper_s_algorithm_knows_no_support() -> None:
    clf = EIOLGFMM().fit(ROWS[:1_000], LABELS[:1_000])
    (why,) = clf.explain(NEW[:1], counterfactuals=2)
    assert why.counterfactual.support is None
    assert "support" not in str(why)


def test_plausible_rows_come_before_others_after_the_first() -> None:
    """Changing `a` alone leads to rows as they were learned, changing `b` alone far away."""
    rng = np.random.default_rng(0)
    X = rng.normal(0, 1, (2_000, 3))
    y = np.where(X[:, 0] + 0.3 * X[:, 1] + 0.1 * X[:, 2] > 0, "up", "down")
    clf = HyperboxClassifier().fit(X, y)
    for why in clf.explain(X[:40], counterfactuals=3):
        low = [one.support < 1 for one in why.counterfactuals[1:]]
        assert low == sorted(low)


def test_text_json_and_html_show_all_with_their_support() -> None:
    clf = HyperboxClassifier(delta=1.0).fit(ROWS[:1_000], LABELS[:1_000])
    why = next(w for w in clf.explain(NEW, counterfactuals=3) if len(w.counterfactuals) == 3)
    lines = [line for line in str(why).splitlines() if "It would be" in line]
    assert len(lines) == 3
    assert all("support " in line for line in lines)
    assert why._repr_html_().count("It would be") == 3
    found = json.loads(why.to_json())["counterfactuals"]
    assert [one["support"] for one in found] == [one.support for one in why.counterfactuals]


def test_that_there_are_no_more_is_said() -> None:
    rows = [{"age": 20.0}, {"age": 22.0}, {"age": 60.0}, {"age": 61.0}]
    clf = HyperboxClassifier().fit(rows, ["no", "no", "yes", "yes"])
    (why,) = clf.explain([{"age": 25.0}], counterfactuals=3)
    assert len(why.counterfactuals) == 1
    assert "No further change found: none of the" in str(why)


@pytest.mark.parametrize("counterfactuals", [-1, 1.5, "3", True, None])
def test_a_number_that_is_none_is_refused(clf: Any, counterfactuals: Any) -> None:
    with pytest.raises(ValueError, match="counterfactuals must be a whole number from 0"):
        clf.explain(NEW[:1], counterfactuals=counterfactuals)


def test_none_is_looked_for_on_request(clf: Any) -> None:
    for how in ({"counterfactuals": 0}, {"counterfactual": False, "counterfactuals": 3}):
        (why,) = clf.explain(NEW[:1], **how)
        assert why.counterfactuals == ()
        assert why.no_counterfactual is None
