"""Columns of dates in tables, by the parts that the user chooses."""

from __future__ import annotations

import datetime as dt
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from boxwise import EIOLGFMM, HyperboxClassifier, OnlineGFMM, dumps, load, loads, merge
from boxwise.report import report_html
from boxwise.schema import Schema
from boxwise.store import ModelFileError, pack

N = 400
RNG = np.random.default_rng(0)
TIMES = pd.Series(
    pd.to_datetime("2023-01-01") + pd.to_timedelta(RNG.integers(0, 700 * 1440, N), unit="m")
).astype("datetime64[us]")
TIMES[::41] = pd.NaT
TABLE = pd.DataFrame(
    {"x": RNG.normal(size=N), "opened": TIMES, "city": RNG.choice(["Rome", "Oslo"], N)}
)
LABELS = np.where((TIMES.dt.day_of_week >= 5) | (TIMES.dt.hour < 6), "late", "in time").tolist()
DATES = {"opened": ["month", "weekday", "hour"]}
ROWS = [
    {"x": x, "opened": None if pd.isna(t) else t.to_pydatetime(), "city": city}
    for x, t, city in zip(TABLE["x"], TIMES, TABLE["city"], strict=True)
]
ISO = [row | {"opened": row["opened"] and row["opened"].isoformat(" ")} for row in ROWS]
every_learner = pytest.mark.parametrize("learner", [HyperboxClassifier, EIOLGFMM])

TABLES: dict[str, Any] = {
    "polars": pl.from_pandas(TABLE),
    "arrow": pa.Table.from_pandas(TABLE),
    "arrow, ns": pa.Table.from_pandas(TABLE.astype({"opened": "datetime64[ns]"})),
    "arrow, chunks": pa.Table.from_pandas(TABLE).to_batches()[0],
    "zone": TABLE.assign(opened=TIMES.dt.tz_localize("Etc/GMT-9")),
    "polars, zone": pl.from_pandas(TABLE).with_columns(
        pl.col("opened").dt.replace_time_zone("Asia/Tokyo")
    ),
    "dicts": ROWS,
    "text": ISO,
    "data frame of text": pd.DataFrame(ISO),
    "categories of text": pd.DataFrame(ISO).astype({"opened": "category"}),
    "objects": pd.DataFrame(ROWS).astype({"opened": object}),
    "columns": {name: [row[name] for row in ROWS] for name in ROWS[0]},
    "arrays": {
        "x": TABLE["x"].to_numpy(),
        "opened": TIMES.to_numpy(),
        "city": TABLE["city"].to_list(),
    },
    "other order": TABLE[["city", "opened", "x"]],
    "parts": pd.DataFrame(
        {
            "x": TABLE["x"],
            "month of opened": TIMES.dt.month,
            "weekday of opened": TIMES.dt.day_name(),
            "hour of opened": TIMES.dt.hour,
            "city": TABLE["city"],
        }
    ),
}


@pytest.fixture(scope="module")
def clf() -> HyperboxClassifier:
    return HyperboxClassifier(dates=DATES).partial_fit(TABLE, LABELS)


def test_each_part_is_a_column_of_the_model(clf: HyperboxClassifier) -> None:
    assert clf.schema_.names == (
        "x",
        "month of opened",
        "weekday of opened",
        "hour of opened",
        "city",
    )
    assert [column.kind for column in clf.schema_.columns[1:4]] == [
        "numeric",
        "categorical",
        "numeric",
    ]
    assert clf.n_features_in_ == 3
    assert clf.feature_names_in_.tolist() == ["x", "opened", "city"]
    assert "weekday of opened is" in clf.boxes_.describe(0)
    assert np.mean(clf.predict(TABLE) == LABELS) > 0.97


@pytest.mark.parametrize("name", [name for name in TABLES if name != "other order"])
def test_all_kinds_of_tables_give_the_same_model(name: str, clf: HyperboxClassifier) -> None:
    assert dumps(HyperboxClassifier(dates=DATES).partial_fit(TABLES[name], LABELS)) == dumps(clf)


@pytest.mark.parametrize("name", TABLES)
def test_all_kinds_of_tables_are_predicted_alike(name: str, clf: HyperboxClassifier) -> None:
    for twin in (clf, loads(dumps(clf)), pickle.loads(pickle.dumps(clf))):
        np.testing.assert_array_equal(twin.predict_proba(TABLES[name]), clf.predict_proba(TABLE))


def test_rows_one_by_one_give_the_same_model(clf: HyperboxClassifier) -> None:
    stream = HyperboxClassifier(dates=DATES)
    for row, label in zip(ISO, LABELS, strict=True):
        stream.partial_fit([row], [label])
    assert dumps(stream) == dumps(clf)


@every_learner
def test_fit_and_clones_keep_the_choice(learner: Any, tmp_path: Any) -> None:
    clf = learner(dates=DATES).fit(TABLE, LABELS)
    assert clone(clf).dates == DATES
    assert clone(clf).fit(ISO, LABELS).predict(TABLE).tolist() == clf.predict(TABLE).tolist()
    clf.save(tmp_path / "m.box")
    assert load(tmp_path / "m.box").get_params() == clf.get_params()
    assert "dates" not in learner().fit(TABLE[["x"]], LABELS)._to_saved()[0]["parameters"]


def test_parts_may_be_declared_categorical() -> None:
    listed = ["city", "month of opened"]
    clf = HyperboxClassifier(dates=DATES, categorical_features=listed).fit(TABLE, LABELS)
    kinds = {column.name: column.kind for column in clf.schema_.columns}
    assert kinds["month of opened"] == kinds["weekday of opened"] == "categorical"
    assert kinds["hour of opened"] == kinds["x"] == "numeric"
    np.testing.assert_array_equal(loads(dumps(clf)).predict(ISO), clf.predict(TABLE))


def test_explanations_rules_and_attributions_name_the_parts(clf: HyperboxClassifier) -> None:
    (why,) = clf.explain(ISO[:1])
    assert {feature.column for feature in why.winner.features} == {*clf.schema_.names}
    assert "weekday of opened" in str(why)
    assert clf.attributions(ISO[:2]).feature_names == [*clf.schema_.names]
    measured = clf.rules(ISO, LABELS)
    assert any("of opened" in rule.text() for rule in measured)
    assert "weekday of opened" in report_html(clf, ISO, LABELS)


def test_a_fixed_date_fixes_all_its_parts(clf: HyperboxClassifier) -> None:
    kept = clone(clf).set_params(immutable=["opened"]).partial_fit(TABLE, LABELS)
    for found in (clf.explain(ISO[:30], fixed=["opened"]), kept.explain(ISO[:30])):
        changed = {c.column for why in found for x in why.counterfactuals for c in x.changes}
        assert not {name for name in changed if "opened" in name}
    hours = clf.explain(ISO[:30], fixed=["hour of opened"], counterfactuals=3)
    changed = {c.column for why in hours for x in why.counterfactuals for c in x.changes}
    assert "hour of opened" not in changed
    assert "weekday of opened" in changed
    (why,) = clf.explain(ISO[:1], fixed=[1])  # the position in a table
    assert why.counterfactual is None


def test_parts_merge(clf: HyperboxClassifier) -> None:
    parts = [
        clone(clf).partial_fit(TABLE[begin : begin + 200], LABELS[begin : begin + 200])
        for begin in (0, 200)
    ]
    merged = merge(parts)
    assert merged.schema_.inputs == ("x", "opened", "city")
    assert np.mean(merged.predict(ISO) == LABELS) > 0.9


@every_learner
@pytest.mark.parametrize("name", ["polars", "arrow", "zone", "dicts", "arrays", "objects"])
def test_dates_without_a_choice_are_refused_with_the_remedy(name: str, learner: Any) -> None:
    words = r"column 'opened': .*; choose what matters about a date: dates=\{'opened': \['year'"
    with pytest.raises(TypeError, match=words):
        learner().fit(TABLES[name], LABELS)
    with pytest.raises(TypeError, match=words):
        OnlineGFMM().fit(pd.DataFrame({"opened": TIMES}), LABELS)


@pytest.mark.parametrize(
    ("dates", "X", "words"),
    [
        ({"open": ["hour"]}, TABLE, "dates names 'open', but X has no such column; did you mean"),
        ({"when": ["hour"]}, TABLE, "X has no such column; it has 'x', 'opened', 'city'"),
        (DATES, TABLE.drop(columns="opened"), "dates names 'opened', but X has no such column"),
        (DATES, [[*row.values()] for row in ROWS], "dates names columns, but X has no names"),
        ({"x": ["hour"]}, TABLE[["x"]], "column 'x': .* of type float is not a date"),
        ({"city": ["hour"]}, TABLE[["city"]], r"column 'city': '\w+' is not a date \(row 0\)"),
    ],
)
def test_a_choice_that_does_not_fit_the_table_is_refused(dates: Any, X: Any, words: str) -> None:
    for method in ("fit", "partial_fit"):
        clf = HyperboxClassifier(dates=dates)
        with pytest.raises(ValueError, match=words):
            getattr(clf, method)(X, LABELS)
        assert not hasattr(clf, "_model")


def test_other_columns_and_bad_dates_are_named_at_prediction(clf: HyperboxClassifier) -> None:
    with pytest.raises(ValueError, match="now missing:\n- opened"):
        clf.predict(TABLE.drop(columns="opened"))
    with pytest.raises(ValueError, match=r"column 'opened' is absent \(row 0\)"):
        clf.predict([{"x": 1.0, "city": "Rome"}])
    with pytest.raises(ValueError, match=r"column 'opened': '31.12.2024' is not a date \(row 1\)"):
        clf.predict([ISO[0], ISO[1] | {"opened": "31.12.2024"}])
    with pytest.raises(ValueError, match="3 features as input"):
        clf.predict([[1.0, "2024-01-01"]])
    with pytest.raises(ValueError, match="upper does not go together with dates"):
        clf.predict(TABLE, upper=TABLE[["x"]])
    with pytest.raises(ValueError, match=r"'opened' is given in dates and in categorical_features"):
        HyperboxClassifier(dates=DATES, categorical_features=["opened"]).fit(TABLE, LABELS)


def test_a_column_with_the_name_of_a_part_is_refused() -> None:
    twice = TABLE.assign(**{"hour of opened": 3})
    with pytest.raises(ValueError, match="'hour of opened' occurs 2 times"):
        HyperboxClassifier(dates=DATES).fit(twice, LABELS)


def test_a_damaged_file_is_refused(clf: HyperboxClassifier) -> None:
    content, arrays = clf._to_saved()
    for date in (["opened", "century"], ["closed", "hour"], ["opened"], "opened", [1, 2]):
        columns = [dict(column) for column in content["schema"]["columns"]]
        columns[3]["date"] = date
        schema = {**content["schema"], "columns": columns}
        with pytest.raises(ModelFileError, match="date"):
            loads(pack({**content, "schema": schema}, arrays))
    with pytest.raises(ModelFileError, match="dates"):
        loads(pack({**content, "parameters": content["parameters"] | {"dates": 3}}, arrays))


def test_the_schema_comes_back(clf: HyperboxClassifier) -> None:
    schema = clf.schema_
    assert Schema.from_dict(schema.to_dict()) == schema
    assert schema.dates == {"opened": [1, 2, 3]}
    assert schema.inputs == ("x", "opened", "city")


def test_a_column_of_missing_dates_is_learned() -> None:
    rows = [row | {"opened": None} for row in ROWS[:50]]
    clf = HyperboxClassifier(dates=DATES).partial_fit(rows, LABELS[:50])
    assert clf.schema_.unknown == ()
    assert clf.partial_fit(ROWS, LABELS).predict([{**ROWS[0], "opened": dt.date(2024, 1, 6)}])
