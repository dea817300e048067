"""A single absurd value, wherever it comes, does next to no harm."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream

N = 6_000


@cache
def stream() -> tuple[pd.DataFrame, Any]:
    columns, labels = LoanStream(N, function=7, seed=3).table()
    return pd.DataFrame(columns).astype({"salary": float, "age": float}), labels


def accuracy(spoiled: int | None, **parameters: Any) -> np.ndarray:
    """Return which rows were predicted rightly, if one row has 1e9 in two columns."""
    table, labels = stream()
    if spoiled is not None:
        table = table.copy()
        table.loc[spoiled, ["salary", "age"]] = 1e9
    return HyperboxClassifier(**parameters).test_then_train(table, labels) == labels


@cache
def plain() -> np.ndarray:
    return accuracy(None)


@pytest.mark.parametrize("at", [0, 1, 10, N // 2 - 1])
def test_an_outlier_costs_next_to_nothing_over_the_next_rows(at: int) -> None:
    after = slice(at + 1, at + 3_001)
    assert plain()[after].mean() > 0.85
    assert accuracy(at)[after].mean() >= plain()[after].mean() - 0.01


def test_an_outlier_as_the_last_row_changes_few_predictions() -> None:
    table, labels = stream()
    clf = HyperboxClassifier().partial_fit(table[:3_000], labels[:3_000])
    before = (clf.predict(table[3_000:]) == labels[3_000:]).mean()
    clf.partial_fit(table[:1].assign(salary=1e9, age=1e9), labels[:1])
    after = (clf.predict(table[3_000:]) == labels[3_000:]).mean()
    assert after >= before - 0.01


def test_an_outlier_is_predicted_and_knows_that_it_is_far() -> None:
    table, labels = stream()
    clf = HyperboxClassifier().partial_fit(table[:2_000], labels[:2_000])
    odd = table[:50].assign(salary=1e9, age=-1e9)
    assert np.isfinite(clf.predict_proba(odd)).all()
    assert clf.support(odd).mean() < clf.support(table[:50]).mean()
