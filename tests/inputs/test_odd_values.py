"""Values that cannot be compared, hashed or computed with: as labels and as cells."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pytest

from boxwise import HyperboxClassifier
from boxwise.inputs.kinds import kind_of_values
from boxwise.inputs.missing import is_missing

X = [[1.0], [2.0], [3.0]]


class NeverEqual:
    """Has a hash, but refuses to be compared."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> NoReturn:
        raise RuntimeError("not comparable")

    __ne__ = __eq__


class EqualsArray:
    """Compares as arrays do, element by element."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        return np.array([True, False])

    __ne__ = __eq__


class NoHash:
    def __hash__(self) -> int:
        raise RuntimeError("no hash")


ODD = [
    np.void(b"ab"),
    np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])[0],
    NeverEqual(),
    EqualsArray(),
    NoHash(),
    1j,
    np.ma.masked,
    [1],
    (1, 2),
]
ids = [f"{type(value).__name__}-{i}" for i, value in enumerate(ODD)]


@pytest.mark.parametrize("unlabelled", [None, "?", float("nan")])
@pytest.mark.parametrize("value", ODD, ids=ids)
def test_labels_that_are_no_class_are_named_with_row_and_remedy(
    value: object, unlabelled: object
) -> None:
    clf = HyperboxClassifier(unlabelled=unlabelled)
    with pytest.raises(ValueError, match=r"of row 2 is of type .*convert them"):
        clf.fit(X, ["a", "b", value])
    with pytest.raises(ValueError, match=r"of row 2 is of type .*convert them"):
        clf.partial_fit(X, pd.Series(["a", "b", value], dtype=object))
    assert not hasattr(clf, "_model")


@pytest.mark.parametrize("labels", [list, lambda y: np.array(y, dtype=object), pd.Series])
def test_labels_with_a_signalling_nan_are_named_with_row_and_remedy(labels: Any) -> None:
    with pytest.raises(ValueError, match=r"label of row 1 is a signalling NaN; drop such rows"):
        HyperboxClassifier().fit(X, labels(["a", Decimal("sNaN"), "b"]))


@pytest.mark.parametrize("value", ODD, ids=ids)
@pytest.mark.parametrize("row", [0, 1])
def test_cells_that_are_no_category_are_named_with_column_and_row(value: object, row: int) -> None:
    clf = HyperboxClassifier().fit([["a", 1.0], ["b", 2.0]], ["yes", "no"])
    table: list[list[Any]] = [["a", 1.0], ["b", 2.0]]
    table[row][0] = value
    words = rf"column 'x0'.*\(row {row}\)"
    with pytest.raises((TypeError, ValueError), match=words):
        clf.predict(table)
    with pytest.raises((TypeError, ValueError), match=words):
        HyperboxClassifier(categorical_features=[0]).fit(table, ["yes", "no"])
    numbers: list[list[Any]] = [[1.0, 1.0], [2.0, 2.0]]
    numbers[row][0] = value
    with pytest.raises((TypeError, ValueError), match=words):
        HyperboxClassifier(categorical_features=[]).fit(numbers, ["yes", "no"])


def test_cells_with_a_signalling_nan_are_named_with_the_remedy() -> None:
    table = [[Decimal(1)], [Decimal("sNaN")]]
    words = r"column 'x0': a signalling NaN .*\(row 1\); use None or NaN for a missing value"
    for categorical in ("from_dtype", [], [0]):
        with pytest.raises(ValueError, match=words):
            HyperboxClassifier(categorical_features=categorical).fit(table, ["a", "b"])


@pytest.mark.parametrize("value", [NeverEqual(), EqualsArray(), Decimal("sNaN"), np.void(b"a")])
def test_is_missing_takes_what_cannot_be_compared_for_a_value(value: object) -> None:
    assert not is_missing(value)


@pytest.mark.parametrize("gap", [np.datetime64("NaT"), np.timedelta64("NaT"), complex("nan")])
def test_kind_of_values_does_not_ask_the_type_of_what_is_missing(gap: object) -> None:
    assert kind_of_values([1.0, gap]) == "numeric"
    assert kind_of_values(["a", gap]) == "categorical"
    assert kind_of_values([gap]) is None
