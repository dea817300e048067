"""One model whatever the table is made of, and no trace of a call that failed."""

import copy
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxwise import HyperboxClassifier

State = Callable[[HyperboxClassifier], bytes]
Form = Callable[[pd.DataFrame], Any]

NAMED: dict[str, Form] = {
    "pandas with categories": lambda df: df.astype(
        {c: "category" for c in df if not pd.api.types.is_numeric_dtype(df[c])}
    ),
    "pandas with nullable types": lambda df: df.convert_dtypes(),
    "polars": lambda df: pl.from_dicts(_records(df), infer_schema_length=None),
    "pyarrow": lambda df: pa.Table.from_pylist(_records(df)),
    "list of dicts": lambda df: _records(df),
}
UNNAMED: dict[str, Form] = {
    "object array": lambda df: df.to_numpy(dtype=object),
    "list of lists": lambda df: [[*row.values()] for row in _records(df)],
    "list of tuples": lambda df: [tuple(row.values()) for row in _records(df)],
}


def _records(df: pd.DataFrame) -> list[dict[str, Any]]:
    rows = df.astype(object).to_dict("records")
    return [{k: None if pd.isna(v) else v for k, v in row.items()} for row in rows]


def boxes(clf: HyperboxClassifier) -> tuple[Any, ...]:
    view = clf.boxes_
    return (
        view.lower.tobytes(),
        view.upper.tobytes(),
        view.counts,
        view.n_samples.tolist(),
        view.labels.tolist(),
    )


@pytest.mark.parametrize("columns", [["age", "job", "income", "city"], ["job", "city"]])
@pytest.mark.parametrize("form", NAMED)
def test_named_tables_of_every_kind_give_the_same_model(
    table: pd.DataFrame, labels: list[str], state: State, form: str, columns: list[str]
) -> None:
    df, convert = table[columns], NAMED[form]
    expected = HyperboxClassifier(theta=0.3, delta=0.7).fit(df, labels)
    clf = HyperboxClassifier(theta=0.3, delta=0.7).fit(convert(df), labels)
    assert state(clf) == state(expected)
    assert clf.predict(convert(df)).tolist() == expected.predict(df).tolist()
    np.testing.assert_array_equal(clf.predict_proba(convert(df)), expected.predict_proba(df))
    np.testing.assert_array_equal(clf.membership(convert(df)), expected.membership(df))


@pytest.mark.parametrize("columns", [["age", "job", "income", "city"], ["job", "city"]])
@pytest.mark.parametrize("form", UNNAMED)
def test_unnamed_tables_give_the_same_boxes(
    table: pd.DataFrame, labels: list[str], form: str, columns: list[str]
) -> None:
    df, convert = table[columns], UNNAMED[form]
    expected = HyperboxClassifier(theta=0.3, delta=0.7).fit(df, labels)
    clf = HyperboxClassifier(theta=0.3, delta=0.7).fit(convert(df), labels)
    assert boxes(clf) == boxes(expected)
    assert clf.predict(convert(df)).tolist() == expected.predict(df).tolist()


@pytest.mark.parametrize("form", [*NAMED, *UNNAMED, "float array", "float32 array", "Fortran"])
def test_numeric_tables_of_every_kind_give_the_same_boxes(
    table: pd.DataFrame, labels: list[str], form: str
) -> None:
    df = table[["age", "income"]].astype(np.float32).astype(float)
    arrays: dict[str, Form] = {
        "float array": lambda df: df.to_numpy(),
        "float32 array": lambda df: df.to_numpy(np.float32),
        "Fortran": lambda df: np.asfortranarray(df.to_numpy()),
    }
    convert = {**NAMED, **UNNAMED, **arrays}[form]
    expected = HyperboxClassifier(theta=0.2).fit(df, labels)
    clf = HyperboxClassifier(theta=0.2).fit(convert(df), labels)
    assert boxes(clf) == boxes(expected)
    assert clf.predict(convert(df)).tolist() == expected.predict(df).tolist()


@pytest.mark.parametrize("form", NAMED)
def test_columns_are_matched_by_name(
    table: pd.DataFrame, labels: list[str], state: State, form: str
) -> None:
    convert, shuffled = NAMED[form], table[["city", "income", "age", "job"]]
    expected = HyperboxClassifier(theta=0.3).partial_fit(table, labels)
    clf = HyperboxClassifier(theta=0.3).partial_fit(convert(table[:60]), labels[:60])
    clf.partial_fit(convert(shuffled[60:]), labels[60:])
    assert state(clf) == state(expected)
    assert clf.predict(convert(shuffled)).tolist() == expected.predict(table).tolist()


ROWS = [
    {"age": 30.0, "job": "pilot", "income": 1.0, "city": "Rome"},
    {"age": 31.0, "job": "baker", "income": 2.0, "city": "Ulm"},
]
GOOD_Y = ["brand new", "yes"]


def spoiled(**cells: Any) -> list[dict[str, Any]]:
    return [ROWS[0], {**ROWS[1], **cells}]


def without(column: str) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if k != column} for row in ROWS]


BAD_CALLS: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "column missing": (pd.DataFrame(without("job")), GOOD_Y, {}, "now missing:\n- job"),
    "key missing": (without("job"), GOOD_Y, {}, "column 'job' is absent"),
    "column extra": (pd.DataFrame(ROWS).assign(pet=1), GOOD_Y, {}, "unseen at fit time:\n- pet"),
    "key extra": (spoiled(pet="cat"), GOOD_Y, {}, "column 'pet'"),
    "number turned text": (
        pd.DataFrame(spoiled(age="abc")),
        GOOD_Y,
        {},
        "column 'age': 'abc' is not a number (row 1)",
    ),
    "text in a dict": (spoiled(age="12"), GOOD_Y, {}, "column 'age': '12' is not a number (row 1)"),
    "infinity": (spoiled(age=np.inf), GOOD_Y, {}, "column 'age': inf is not finite (row 1)"),
    "too large": (spoiled(age=1e200), GOOD_Y, {}, "column 'age': 1e200 is beyond"),
    "list as category": (spoiled(city=["Ulm"]), GOOD_Y, {}, "column 'city': ['Ulm']"),
    "object as category": (spoiled(city=object()), GOOD_Y, {}, "column 'city'"),
    "too few columns": ([[1.0, "a"]], ["yes"], {}, "X has 2 features"),
    "no rows": (pd.DataFrame(ROWS)[:0], [], {}, "0 sample"),
    "too few labels": (ROWS, ["brand new"], {}, "X has 2 rows, y has 1"),
    "label missing": (ROWS, ["brand new", None], {}, "row 1 is missing"),
    "label not a class": (ROWS, [7, 0.5], {}, "0.5"),
    "classes": (ROWS, GOOD_Y, {"classes": ["brand new", None]}, "row 1 is missing"),
    "upper below lower": (
        ROWS,
        GOOD_Y,
        {"upper": [[31, 2], [30, 2]]},
        "column 'age': the lower bound 31.0 is above the upper bound 30.0 (row 1)",
    ),
    "upper half missing": (ROWS, GOOD_Y, {"upper": [[31, 2], [31, None]]}, "column 'income'"),
    "upper too short": (ROWS, GOOD_Y, {"upper": [[31, 2]]}, "upper has 1 rows, but X has 2"),
}


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("case", BAD_CALLS)
def test_a_failed_call_says_why_and_changes_nothing(
    table: pd.DataFrame, labels: list[str], state: State, case: str, tmp_path: Any
) -> None:
    X, y, options, message = BAD_CALLS[case]
    clf = HyperboxClassifier(theta=0.3).partial_fit(table[:80], labels[:80], classes=["later"])
    twin = copy.deepcopy(clf)
    before = state(clf)
    clf.save(tmp_path / "before.box")
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        clf.partial_fit(X, y, **options)
    clf.save(tmp_path / "after.box")
    assert state(clf) == before
    assert (tmp_path / "after.box").read_bytes() == (tmp_path / "before.box").read_bytes()
    assert clf.classes_.tolist() == twin.classes_.tolist()
    for model in clf, twin:
        model.partial_fit(table[80:], labels[80:])
    assert state(clf) == state(twin)


@pytest.mark.parametrize("setting", [{"theta": -1}, {"gamma": [1.0]}, {"condition": "both"}])
def test_a_bad_parameter_set_in_mid_stream_changes_nothing(
    table: pd.DataFrame, labels: list[str], state: State, setting: dict[str, Any]
) -> None:
    clf = HyperboxClassifier(theta=0.3).partial_fit(table[:80], labels[:80])
    before = state(clf)
    with pytest.raises(ValueError, match=next(iter(setting))):
        clf.set_params(**setting).partial_fit(table[80:], labels[80:])
    assert state(clf) == before


def test_a_failed_first_call_leaves_the_classifier_unfitted(state: State) -> None:
    clf = HyperboxClassifier()
    with pytest.raises(ValueError, match="y has 1"):
        clf.partial_fit([["a"], ["b"]], ["yes"])
    assert not clf.__sklearn_is_fitted__()
    clf.partial_fit([[1.0]], ["no"])
    assert state(clf) == state(HyperboxClassifier().partial_fit([[1.0]], ["no"]))


def test_a_failed_prediction_teaches_nothing(
    table: pd.DataFrame, labels: list[str], state: State
) -> None:
    clf = HyperboxClassifier(theta=0.3).fit(table, labels)
    before = state(clf)
    clf.predict(ROWS)
    clf.predict_proba(ROWS)
    with pytest.raises(ValueError, match="column 'age'"):
        clf.predict(spoiled(age="abc"))
    assert state(clf) == before
