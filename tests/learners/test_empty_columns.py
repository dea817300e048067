"""Columns without a value yet: they take no part, and get their kind with the first value."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import boxwise
from boxwise import HyperboxClassifier, ShindeGFMM, merge
from boxwise.datasets import LoanStream
from boxwise.report import report_html
from boxwise.rules import RuleSet

N = 300
COLUMNS = ("salary", "education", "age", "car")
PAIRS = [({name: row[name] for name in COLUMNS}, y) for row, y in LoanStream(N, function=3, seed=2)]
ROWS, LABELS = [row for row, _ in PAIRS], [label for _, label in PAIRS]
NEW = {"number": (1.5, 7.25), "text": ("in", "out")}


def with_column(rows: list[dict[str, Any]], place: int, cells: Any) -> list[dict[str, Any]]:
    """Return rows with a column `late` at this place."""
    found = []
    for row, cell in zip(rows, cells, strict=True):
        items = [*row.items()]
        items.insert(place, ("late", cell))
        found.append(dict(items))
    return found


def empty(rows: list[dict[str, Any]] = ROWS, place: int = 2) -> list[dict[str, Any]]:
    return with_column(rows, place, [None] * len(rows))


def cells_of(kind: str, n: int, first: int) -> list[Any]:
    """Return no value up to a row, and then some."""
    return [None] * first + [NEW[kind][i % 2] for i in range(n - first)]


@pytest.mark.parametrize(
    "table",
    [
        list,
        pd.DataFrame,
        lambda rows: pl.DataFrame(rows, infer_schema_length=None),
        pa.Table.from_pylist,
        lambda rows: {name: [row[name] for row in rows] for name in rows[0]},
        lambda rows: pd.DataFrame(rows).assign(late=pd.Series([None] * N, dtype=object)),
    ],
)
def test_an_empty_column_takes_no_part(table: Any) -> None:
    plain = HyperboxClassifier().fit(ROWS, LABELS)
    clf = HyperboxClassifier().fit(table(empty()), LABELS)
    assert clf.schema_.columns[2].kind == "unknown"
    assert "late (no value yet)" in repr(clf.schema_)
    assert clf.n_features_in_ == 5
    assert clf.feature_names_in_.tolist()[2] == "late"
    assert len(clf.boxes_) == len(plain.boxes_)
    assert np.isnan(clf.relevance_[2])
    np.testing.assert_array_equal(np.delete(clf.relevance_, 2), plain.relevance_)
    for cells in ([None] * N, cells_of("text", N, 0), cells_of("number", N, 0)):
        np.testing.assert_array_equal(
            clf.predict_proba(with_column(ROWS, 2, cells)), plain.predict_proba(ROWS)
        )
    np.testing.assert_array_equal(clf.predict_proba(empty()[:1]), plain.predict_proba(ROWS[:1]))


def test_an_empty_column_of_an_array_takes_no_part() -> None:
    numbers = np.random.default_rng(3).random((50, 2))
    labels = (numbers[:, 0] > 0.5).tolist()
    table = np.empty((50, 3), dtype=object)
    table[:, [0, 2]] = numbers
    clf = HyperboxClassifier().fit(table, labels)
    assert clf.schema_.unknown == (1,)
    plain = HyperboxClassifier().fit(numbers, labels).predict_proba(numbers)
    for X in (table, np.insert(numbers, 1, np.nan, axis=1), np.insert(numbers, 1, 9.0, axis=1)):
        np.testing.assert_array_equal(clf.predict_proba(X), plain)
        np.testing.assert_array_equal(clf.predict_proba(X[:1]), plain[:1])


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("kind", NEW)
@pytest.mark.parametrize("scale", ["range", "quantile"])
def test_the_first_value_gives_the_kind_as_a_new_feature_of_a_stream_gets_it(
    place: int, kind: str, scale: str
) -> None:
    """River's face widens a model whenever a feature is new: it must come to the same."""
    river = pytest.importorskip("boxwise.river")
    cells = cells_of(kind, N, 120)
    rows = with_column(ROWS, place, cells)
    clf, stream = HyperboxClassifier(scale=scale), river.HyperboxClassifier(scale=scale)
    for row, cell, label in zip(rows, cells, LABELS, strict=True):
        clf.partial_fit([row], [label])
        stream.learn_one({k: v for k, v in row.items() if k != "late" or cell is not None}, label)
        assert (clf.schema_.unknown == ()) == (cell is not None)
    assert clf.schema_.names[place] == "late"
    assert clf.schema_.columns[place].kind == {"number": "numeric", "text": "categorical"}[kind]
    assert len(clf.boxes_) == len(stream.boxes)
    assert clf.boxes_.n_samples.tolist() == stream.boxes.n_samples.tolist()
    for row, shares in zip(rows, clf.predict_proba(rows).tolist(), strict=True):
        expected = stream.predict_proba_one(row)
        np.testing.assert_allclose(shares, [expected[c] for c in clf.classes_], rtol=1e-9)


@pytest.mark.parametrize("kind", NEW)
def test_boxes_from_before_the_first_value_have_never_seen_the_column(kind: str) -> None:
    rows = with_column(ROWS, 0, cells_of(kind, N, 100))
    clf = HyperboxClassifier().partial_fit(rows[:100], LABELS[:100])
    before = clf.boxes_
    clf.partial_fit(rows[100:101], LABELS[100:101])
    after = clf.boxes_
    taken = [i for i in range(len(before)) if after.n_samples[i] == before.n_samples[i]]
    assert taken
    for i in taken:
        if kind == "number":
            assert np.isnan(after.lower[i, 0])
        else:
            assert after.counts[i][0] == {None: before.n_samples[i]}


def test_several_columns_may_get_their_kinds_at_once_or_one_after_the_other() -> None:
    X = [{"a": None, "b": 1.0, "c": None, "d": "x", "e": None}]
    clf = ShindeGFMM().partial_fit(X, ["no"])
    clf.partial_fit([{"a": "u", "b": 5.0, "c": 2.5, "d": "y", "e": None}], ["yes"])
    assert [c.kind for c in clf.schema_.columns] == [
        "categorical",
        "numeric",
        "numeric",
        "categorical",
        "unknown",
    ]
    clf.partial_fit([{"a": "u", "b": 5.0, "c": None, "d": "y", "e": True}], ["yes"])
    assert clf.schema_.unknown == ()
    assert [counts[0] for counts in clf.boxes_.counts] == [{None: 1}, {"u": 2}]
    assert [counts[2] for counts in clf.boxes_.counts] == [{None: 1}, {None: 1, True: 1}]
    assert clf.predict([X[0], {"a": "u", "b": 5.0, "c": 2.0, "d": "y", "e": True}]).tolist() == [
        "no",
        "yes",
    ]


def test_a_type_without_a_value_does_not_give_the_kind() -> None:
    clf = HyperboxClassifier().fit(empty(), LABELS)
    gap = pd.DataFrame(empty()).assign(late=np.nan)
    assert clf.partial_fit(gap, LABELS).schema_.unknown == (2,)
    coded = gap.assign(late=pd.Categorical([None] * N, categories=["in"]))
    assert clf.partial_fit(coded, LABELS).schema_.unknown == (2,)
    coded = gap.assign(late=pd.Categorical(["in"] * N))
    assert clf.partial_fit(coded, LABELS).schema_.columns[2].kind == "categorical"


def test_a_table_that_is_refused_gives_no_kind() -> None:
    clf = HyperboxClassifier().fit(empty(), LABELS)
    rows = with_column(ROWS, 2, cells_of("number", N, 0))
    with pytest.raises(ValueError, match="label of row 299 is missing"):
        clf.partial_fit(rows, [*LABELS[:-1], None])
    assert clf.schema_.unknown == (2,)
    assert clf.boxes_.n_samples.sum() == N


def test_a_table_without_a_single_value_is_refused() -> None:
    with pytest.raises(ValueError, match="column 'a' and all others: all values are missing"):
        HyperboxClassifier().fit([{"a": None, "b": None}], ["no"])


@pytest.mark.parametrize("kind", NEW)
def test_saved_models_keep_empty_columns_and_go_on(tmp_path: Path, kind: str) -> None:
    rows = with_column(ROWS, 2, cells_of(kind, N, 150))
    clf = HyperboxClassifier().partial_fit(rows[:150], LABELS[:150])
    clf.save(tmp_path / "m.box")
    loaded, copied = boxwise.load(tmp_path / "m.box"), pickle.loads(pickle.dumps(clf))
    for other in (loaded, copied):
        assert other.schema_ == clf.schema_
        assert other.schema_.unknown == (2,)
    for other in (clf, loaded, copied):
        other.partial_fit(rows[150:], LABELS[150:])
    for i, other in enumerate((clf, loaded, copied)):
        other.save(tmp_path / f"{i}.box")
        assert (tmp_path / f"{i}.box").read_bytes() == (tmp_path / "0.box").read_bytes()


def test_a_fixed_range_waits_for_the_first_value() -> None:
    clf = HyperboxClassifier(scale="range", feature_range={"late": (0, 10)})
    clf.partial_fit(empty(), LABELS)
    clf.partial_fit(with_column(ROWS, 2, cells_of("number", N, 0)), LABELS)
    assert clf.schema_.columns[2].range == (0.0, 10.0)


def test_river_goes_on_from_a_model_with_an_empty_column() -> None:
    river = pytest.importorskip("boxwise.river")
    clf = HyperboxClassifier().fit(empty(), LABELS)
    model = river.HyperboxClassifier.from_classifier(clf)
    assert model.predict_one(ROWS[0]) == clf.predict(empty()[:1])[0]
    model.learn_one(ROWS[0] | {"late": "in"}, LABELS[0])
    assert model.classifier.schema_.names[-1] == "late"
    assert clf.schema_.unknown == (2,)


def test_merged_models_need_a_value_in_one_of_them_only() -> None:
    half = N // 2
    first = HyperboxClassifier().fit(empty(ROWS[:half]), LABELS[:half])
    rows = with_column(ROWS[half:], 2, cells_of("text", half, 0))
    second = HyperboxClassifier().fit(rows, LABELS[half:])
    for models in ([first, second], [second, first]):
        merged = merge(models)
        assert merged.schema_.columns[2].kind == "categorical"
        assert {*merged.schema_.columns[2].vocabulary.values} == {None, "in", "out"}
        assert merged.boxes_.n_samples.sum() == N
    assert merge([first, first]).schema_.unknown == (2,)


def test_rules_explanations_and_boxes_leave_an_empty_column_out() -> None:
    clf = HyperboxClassifier().fit(empty(), LABELS)
    plain = HyperboxClassifier().fit(ROWS, LABELS)
    rows = with_column(ROWS, 2, cells_of("text", N, 0))
    rules = clf.rules(rows, LABELS)
    assert str(rules) == str(plain.rules(ROWS, LABELS))
    assert RuleSet.from_json(rules.to_json()).predict(rows).tolist() == rules.predict(rows).tolist()
    assert "late" not in str(rules.simplify(rows, LABELS))
    for i in range(len(clf.boxes_)):
        assert clf.boxes_.describe(i) == plain.boxes_.describe(i)
    for row, other in zip(clf.explain(rows[:5]), plain.explain(ROWS[:5]), strict=True):
        assert str(row) == str(other)
    (why,) = clf.explain(rows[:1], fixed=["late"])
    assert str(why) == str(plain.explain(ROWS[:1])[0])


def test_reports_and_pictures_take_models_with_an_empty_column() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    from boxwise.plot import plot_box, plot_parallel, plot_regions

    clf = HyperboxClassifier().fit(empty(), LABELS)
    rows = with_column(ROWS, 2, cells_of("text", N, 0))
    for page in (report_html(clf), report_html(clf, rows, LABELS)):
        assert "no value yet" in page
    plot_regions(clf, "salary", "age", X=rows, labels=LABELS)
    plot_parallel(clf)
    plot_box(clf, 0, X=rows, row=rows[0])
    with pytest.raises(ValueError, match="column 'late': no box has a value; choose another"):
        plot_parallel(clf, ["age", "late"])
