"""Scikit-learn's learners on rows of numbers, text and None."""

import numpy as np
import pytest
from sklearn.base import clone

from boxwise.datasets import loans
from boxwise.evaluate.batch_peers import batch_peer, batch_peer_names

NUMERIC = ["salary", "commission", "age", "house_value", "years", "loan"]
CATEGORICAL = ["education", "car", "zip_code"]


def table(n=600):
    rows, labels = loans(n, function=3, noise=0.02, seed=1)
    for i, row in enumerate(rows):
        row["zip_code"] = str(row["zip_code"])
        row[(NUMERIC + CATEGORICAL)[i % 9]] = None
    return rows, labels


@pytest.mark.parametrize("name", batch_peer_names())
def test_gaps_and_categories_need_no_preparation(name):
    rows, labels = table()
    peer = clone(batch_peer(name, NUMERIC, CATEGORICAL)).fit(rows[:400], labels[:400])
    strange = {"education": "a school that opened today", "age": None}
    assert peer.predict([strange]).shape == (1,)
    assert np.isfinite(peer.predict_proba([*rows[400:], strange])).all()
    assert peer.score(rows[400:], labels[400:]) > (0.55 if "logistic" in name else 0.75)


@pytest.mark.parametrize("name", batch_peer_names())
@pytest.mark.parametrize(("numeric", "categorical"), [(["a"], []), ([], ["b"]), (["a"], ["b"])])
def test_columns_may_all_be_of_one_kind_or_empty(name, numeric, categorical):
    rows = [{"a": float(i % 2), "b": "xy"[i % 2]} for i in range(60)]
    labels = [i % 2 for i in range(60)]
    assert batch_peer(name, numeric, categorical).fit(rows, labels).score(rows, labels) == 1
    for row in rows:
        row["c"] = row["d"] = None
    peer = batch_peer(name, [*numeric, "c"], [*categorical, "d"])
    assert peer.fit(rows, labels).score(rows, labels) == 1


def test_more_values_than_hist_gradient_boosting_takes_share_one():
    rows = [{"b": str(i % 300)} for i in range(900)]
    peer = batch_peer("hist-gradient-boosting", [], ["b"])
    assert peer.fit(rows, [i % 2 for i in range(900)]).predict(rows).shape == (900,)


def test_a_name_that_is_none_lists_the_known():
    with pytest.raises(ValueError, match="no learner 'svm'; there are random-forest, hist-"):
        batch_peer("svm", ["a"], [])
