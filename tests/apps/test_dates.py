"""Columns of dates in files, by the parts that the user chooses."""

import json

import numpy as np
import pandas as pd
import pytest

from boxwise import HyperboxClassifier, dumps, load
from tests.apps.running import boxwise

N = 600
RNG = np.random.default_rng(0)
TIMES = pd.Series(
    pd.to_datetime("2023-01-01") + pd.to_timedelta(RNG.integers(0, 700 * 1440, N), unit="m")
)
TIMES[::41] = pd.NaT
TABLE = pd.DataFrame(
    {"x": RNG.normal(size=N).round(3), "opened": TIMES, "city": RNG.choice(["Rome", "Oslo"], N)}
)
TABLE["label"] = np.where(TIMES.dt.day_of_week >= 5, "late", "in time")
LABEL = ("--label", "label")
CHOSEN = ("--date", "opened:month,weekday,hour")
DATES = {"opened": ["month", "weekday", "hour"]}


@pytest.fixture
def data(tmp_path):
    return write(tmp_path / "rows.csv")


def write(path, table=TABLE):
    text = table.assign(opened=table["opened"].dt.strftime("%Y-%m-%dT%H:%M"))
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        text.to_json(path, orient="records", lines=True)
    else:
        table.to_parquet(path, index=False)
    return path


def learn(tmp_path, path, *more, into="-o"):
    target = tmp_path / "m.box"
    return boxwise("learn", path, *LABEL, into, target, *more), target


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_learn_makes_the_model_of_partial_fit_from_every_format(tmp_path, suffix):
    run, path = learn(tmp_path, write(tmp_path / f"rows.{suffix}"), *CHOSEN, "--chunk-rows", 70)
    assert run.exit_code == 0, run.stderr
    assert "numeric      x, month of opened, hour of opened" in run.stderr
    clf = HyperboxClassifier(dates=DATES, categorical_features=["weekday of opened", "city"])
    clf.partial_fit(TABLE.drop(columns="label"), TABLE["label"])
    assert dumps(clf) == path.read_bytes()


@pytest.mark.parametrize("unit", ["ns", "ms", "s"])
def test_times_of_parquet_with_a_zone_are_read_in_it(tmp_path, unit):
    zoned = TABLE["opened"].dt.tz_localize("Etc/GMT-9").astype(f"datetime64[{unit}, Etc/GMT-9]")
    _, plain = learn(tmp_path, write(tmp_path / "a.parquet"), *CHOSEN)
    expected = plain.read_bytes()
    TABLE.assign(opened=zoned).to_parquet(tmp_path / "b.parquet", index=False)
    run, path = learn(tmp_path, tmp_path / "b.parquet", *CHOSEN)
    assert run.exit_code == 0, run.stderr
    assert path.read_bytes() == expected


def test_a_model_reads_the_dates_of_further_files(tmp_path, data):
    _, path = learn(tmp_path, data, *CHOSEN, "-q")
    clf = load(path)
    for other in (data, write(tmp_path / "rows.parquet"), write(tmp_path / "rows.jsonl")):
        lines = boxwise("predict", path, other, "-q").stdout.splitlines()[1:]
        expected = clf.predict(TABLE.drop(columns="label"))
        assert [line.split(",")[1] for line in lines] == expected.tolist()
    for command in (("rules", path, "--data", data, *LABEL), ("report", path, "--data", data)):
        more = ("-o", tmp_path / "r.html") if command[0] == "report" else ()
        run = boxwise(*command, *more)
        assert run.exit_code == 0, run.stderr
    run = boxwise("learn", data, *LABEL, "--into", path)
    assert "1,200 in all" in run.stdout
    assert load(path).schema_.inputs == ("x", "opened", "city")


def test_explanations_name_the_parts_and_may_fix_the_date(tmp_path, data):
    _, path = learn(tmp_path, data, *CHOSEN, "-q")
    run = boxwise("explain", path, data, "--row", 2)
    assert "weekday of opened" in run.stdout
    for line in boxwise(
        "explain", path, data, "--limit", 20, "--fix", "opened", "--to", "jsonl"
    ).stdout.splitlines():
        for one in json.loads(line)["counterfactuals"]:
            assert not [c for c in one["changes"] if "opened" in c["column"]]
    _, path = learn(tmp_path, data, *CHOSEN, "-q", "--fix", "opened,x")
    assert load(path).immutable == [
        "x",
        "month of opened",
        "weekday of opened",
        "hour of opened",
    ]


def test_evaluate_and_several_processes_read_them(tmp_path, data):
    run = boxwise("evaluate", data, *LABEL, *CHOSEN)
    assert run.exit_code == 0, run.stderr
    assert "categorical  weekday of opened, city" in run.stderr
    run = boxwise("evaluate", data, *LABEL, *CHOSEN, "--cv", 3)
    assert run.exit_code == 0, run.stderr
    run, path = learn(tmp_path, data, data, *CHOSEN, "--jobs", 2)
    assert run.exit_code == 0, run.stderr
    assert load(path).schema_.inputs == ("x", "opened", "city")


def test_empty_first_rows_do_not_decide_the_kinds_of_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("boxwise.files.kinds.KIND_ROWS", 20)
    table = TABLE.assign(opened=TABLE["opened"].where(TABLE.index > 100))
    _, path = learn(tmp_path, write(tmp_path / "rows.csv", table), *CHOSEN)
    clf = HyperboxClassifier(dates=DATES, categorical_features=["weekday of opened", "city"])
    clf.partial_fit(table.drop(columns="label"), table["label"])
    assert dumps(clf) == path.read_bytes()


def test_a_row_without_a_date_in_the_column_is_an_error_of_the_row(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("opened,x,label\n2024-01-06,1,a\nsoon,2,b\n,3,b\n2024-01-07T11:00,4,a\n")
    run, model = learn(tmp_path, path, "--date", "opened:weekday")
    assert run.exit_code == 1
    assert "line 3, column 'opened': 'soon' is not a date; write it as 2024-05-31" in run.stderr
    assert not model.exists()
    run, model = learn(tmp_path, path, "--date", "opened:weekday", "--on-error", "skip")
    assert run.exit_code == 3
    assert load(model).boxes_.n_samples.sum() == 3
    lines = boxwise("predict", model, path, "--on-error", "skip").stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == ["row", "1", "3", "4"]
    run, model = learn(tmp_path, path, "--date", "opened:weekday", "--missing", "soon")
    assert run.exit_code == 0


def test_dates_that_are_no_choice_are_noted_or_refused_with_the_remedy(tmp_path, data):
    run, _ = learn(tmp_path, data)
    assert (
        "boxwise: opened holds dates, each a category of its own; --date "
        "opened:year,month,weekday,hour takes them apart, --categorical opened ends this note\n"
    ) in run.stderr
    for more in (("--categorical", "opened"), CHOSEN, ("--drop", "opened"), ("-q",)):
        assert "holds dates" not in learn(tmp_path, data, *more)[0].stderr
    run, _ = learn(tmp_path, write(tmp_path / "rows.parquet"))
    assert run.exit_code == 1
    assert "choose what matters about it with --date opened:year,month,weekday,hour" in run.stderr


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--date", "open:hour"), 1, "no column of dates 'open'; did you mean 'opened'?"),
        (("--date", "opened"), 2, "'opened' names no parts; write opened:year,month"),
        (("--date", "opened:hours"), 2, "did you mean 'hour'?"),
        (("--date", "opened:"), 2, "a date has no part ''"),
        (("--date", "opened:hour,hour"), 2, "'hour' is given twice"),
        (("--date", "label:hour"), 1, "no label column 'label'"),
        ((*CHOSEN, "--drop", "opened"), 1, "no column of dates 'opened'"),
        (
            (*CHOSEN, "--algorithm", "onln-gfmm-m2"),
            2,
            "it is for --algorithm hyperbox or eiol-gfmm",
        ),
    ],
)
def test_wrong_options_are_refused(tmp_path, data, options, code, words):
    run, path = learn(tmp_path, data, *options)
    assert run.exit_code == code
    assert words in " ".join(run.stderr.split())
    assert not path.exists()


def test_only_and_categorical_take_dates_and_parts(tmp_path, data):
    _, path = learn(tmp_path, data, *CHOSEN, "--only", "opened")
    assert load(path).schema_.inputs == ("opened",)
    _, path = learn(tmp_path, data, *CHOSEN, "--categorical", "month of opened")
    assert load(path).schema_.columns[1].kind == "categorical"
    run = boxwise("predict", path, data, "-q")
    assert len(run.stdout.splitlines()) == N + 1


def test_streams_have_no_dates(tmp_path, data):
    _, path = learn(tmp_path, data, *CHOSEN, "-q")
    store = ("--store", tmp_path / "s.db", "--until-idle", "0.1")
    source = ("consume", f"csv:{data}", *LABEL, *store)
    run = boxwise(*source, *CHOSEN)
    assert run.exit_code == 2
    assert "dates are not read from streams" in run.stderr
    run = boxwise(*source, "--begin-with", path)
    assert run.exit_code == 1
    assert "reads dates (opened), which streams do not have" in run.stderr
