"""How many learned rows speak for a row, and what that does to the probabilities."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.reference.evidence import PRIOR_ROWS


@cache
def learned(**parameters: Any) -> tuple[HyperboxClassifier, pd.DataFrame, Any]:
    columns, labels = LoanStream(1_500, function=3, seed=1).table()
    table = pd.DataFrame(columns)
    return HyperboxClassifier(**parameters).fit(table[:1_000], labels[:1_000]), table, labels


def test_support_is_larger_inside_than_far_away() -> None:
    clf, table, _ = learned()
    near = clf.support(table[1_000:])
    numbers = list(clf.schema_.numeric_names)
    far = table[1_000:].copy()
    far[numbers] = far[numbers].astype(float) + 1e7
    strange = far.assign(**dict.fromkeys(clf.schema_.categorical_names, "never seen"))
    assert near.shape == (500,)
    assert near.min() >= 0
    assert np.median(near) > 2 * np.median(clf.support(far)) >= 0
    assert np.median(near) > 2 * np.median(clf.support(strange))


def test_support_grows_with_the_rows() -> None:
    few, many = (
        HyperboxClassifier().fit([[0.0], [1.0]] * n, ["a", "b"] * n).support([[0.0]])[0]
        for n in (2, 50)
    )
    assert 0 < few < many <= 100


def test_rows_that_no_learned_row_speaks_for_have_even_probabilities() -> None:
    clf, table, _ = learned()
    strange = table[1_000:].assign(salary=1e9, loan=-1e9, age=1e6)
    unknown = clf.support(strange) < 1e-6
    assert unknown.any()
    np.testing.assert_allclose(clf.predict_proba(strange)[unknown], 0.5, rtol=0, atol=1e-4)
    assert clf.predict_proba(table[1_000:]).max() > 0.9


@pytest.mark.parametrize("parameters", [{}, {"scale": "range"}, {"max_boxes": 20}])
def test_probabilities_by_boxes_are_no_surer_than_the_support_allows(
    parameters: dict[str, Any],
) -> None:
    clf, table, _ = learned(additive=False, **parameters)
    strange = table[1_000:].assign(salary=1e9, car="never seen")
    for rows in (table[1_000:], strange):
        s, p = clf.support(rows), clf.predict_proba(rows)
        most = (s + PRIOR_ROWS / 2) / (s + PRIOR_ROWS)
        assert (p.max(axis=1) <= most + 1e-12).all()
        np.testing.assert_allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize("prior", ["data", "balanced", "auto"])
def test_predict_agrees_with_the_largest_probability(prior: str) -> None:
    clf, table, _ = learned(class_prior=prior)
    rows = pd.concat([table, table.assign(age=-1e6)])
    best = clf.classes_[clf.predict_proba(rows).argmax(axis=1)]
    assert best.tolist() == clf.predict(rows).tolist()


def test_support_takes_threads_intervals_and_gaps() -> None:
    clf, table, _ = learned()
    alone = clf.support(table)
    try:
        assert (clf.set_params(n_jobs=3).support(table) == alone).all()
    finally:
        clf.set_params(n_jobs=None)
    gaps = table[:5].assign(salary=np.nan, education=None)
    assert (clf.support(gaps) > 0).all()
    numbers = table[["salary", "age"]].astype(float)
    two = HyperboxClassifier().fit(numbers, learned()[2])
    np.testing.assert_array_equal(two.support(numbers), two.support(numbers, upper=numbers))


def test_support_without_a_labelled_row_says_so() -> None:
    clf = HyperboxClassifier(unlabelled=-1).fit([[1.0]], [-1])
    with pytest.raises(ValueError, match="no row with a label"):
        clf.support([[1.0]])
