"""The River face: many rows at once, as pandas tables."""

from __future__ import annotations

import pandas as pd
import pytest

pytest.importorskip("river")

from boxwise.river import HyperboxClassifier
from tests.river.streams import learned, patchy


@pytest.mark.parametrize("seed", range(3))
def test_many_rows_are_learned_as_one_after_the_other(seed: int) -> None:
    pairs = patchy(120, seed)
    one_by_one = learned(pairs)
    X = pd.DataFrame([x for x, _ in pairs], dtype=object)
    y = pd.Series([y for _, y in pairs])
    at_once, in_parts = HyperboxClassifier(), HyperboxClassifier()
    at_once.learn_many(X, y)
    for begin in range(0, len(X), 7):
        in_parts.learn_many(X[begin : begin + 7], y[begin : begin + 7])
    rows = X.to_dict("records")
    labels = [one_by_one.predict_one(row) for row in rows]
    for model in (at_once, in_parts):
        assert model.predict_many(X).tolist() == labels
        assert model.n_boxes_ == one_by_one.n_boxes_
    shares = at_once.predict_proba_many(X.set_index(X.index + 5))
    assert shares.index.tolist() == list(range(5, 125))
    assert shares.idxmax(axis="columns").tolist() == labels
    assert shares.to_dict("records") == [one_by_one.predict_proba_one(row) for row in rows]


def test_tables_that_do_not_fit_are_refused_before_anything_is_learned() -> None:
    model = HyperboxClassifier()
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2 labels"):
        model.learn_many(X, pd.Series(["p", "q"]))
    with pytest.raises(ValueError, match="the feature 'a' occurs more than once"):
        model.learn_many(pd.concat([X, X], axis=1), pd.Series(["p"] * 3))
    assert model.n_boxes_ == 0
    model.learn_many(X, ["p", "q", "p"])
    assert model.n_boxes_ == 3


def test_typed_columns_of_a_table() -> None:
    X = pd.DataFrame(
        {
            "n": [1, 2, 3],
            "f": [0.5, None, 1.5],
            "b": [True, False, True],
            "c": pd.Categorical(["u", None, "v"]),
            "s": pd.array(["x", None, "y"], dtype="string"),
            "i": pd.array([1, None, 3], dtype="Int64"),
        }
    )
    model = HyperboxClassifier()
    model.learn_many(X, pd.Series([0, 1, 0]))
    schema = model.classifier.schema_
    assert schema.numeric_names == ("n", "f", "i")
    assert schema.categorical_names == ("b", "c", "s")
    assert model.predict_many(X).tolist() == [0, 1, 0]
