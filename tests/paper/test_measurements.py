"""The measurements: each on data so small that the result is known, and on a real fold."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from boxwise import EIOLGFMM
from boxwise.apps.cli import app
from boxwise.paper import protocol
from boxwise.paper.measurements import MEASUREMENTS
from boxwise.paper.measurements.encodings import (
    ANOTHER_ORDER,
    CODES,
    OTHER_LATER,
    PREDICTIONS,
    codes_of_one_category,
)
from boxwise.paper.measurements.file import HEADER, read_measurements, write_measurements
from boxwise.paper.measurements.homogeneity import entropy, mean_entropy
from boxwise.paper.measurements.measurement import Measure
from boxwise.paper.measurements.new_values import NEW, with_new_values
from boxwise.paper.measurements.run import measure, measure_unit
from boxwise.paper.protocol import Fold, Protocol, Table
from boxwise.paper.results import Unit

QUICK = Protocol(1, quick=True)
# A data set that is computed, not loaded; it has categories only.
TIC_TAC_TOE = Unit("", "tic_tac_toe", 0, 0)


def on_tic_tac_toe(name):
    unit = TIC_TAC_TOE._replace(experiment=name)
    return {(of, what): v for of, what, v in measure_unit(MEASUREMENTS[name], unit, QUICK, None)}


@pytest.mark.parametrize(
    ("counts", "bits"), [({"a": 9}, 0.0), ({"a": 2, "b": 2}, 1.0), ({"a": 1, "b": 1, "c": 2}, 1.5)]
)
def test_entropy_is_in_bits(counts, bits):
    assert entropy(counts) == pytest.approx(bits, abs=1e-15)


def test_mean_entropy_counts_a_box_as_often_as_it_has_rows():
    # One box of four rows, half and half in the first column, equal in the second; one of one row.
    rows = [["a", "x"], ["a", "x"], ["b", "x"], ["b", "x"], ["c", "y"]]
    learner = EIOLGFMM(theta=1.0, delta=1.0)
    learner.fit(rows, ["yes"] * 4 + ["no"])
    assert learner.boxes_.n_samples.tolist() == [4, 1]
    assert mean_entropy(learner.boxes_) == pytest.approx((4 * 0.5 + 1 * 0.0) / 5)


def test_homogeneity_is_measured_for_both_versions_and_each_delta():
    bits = on_tic_tac_toe("homogeneity")
    assert [*bits] == [(v, d) for v in ("v1", "v2") for d in ("0.1", "0.5", "0.9")]
    assert bits["v1", "0.5"] < bits["v2", "0.5"]


def test_data_are_counted():
    counts = on_tic_tac_toe("data")
    assert (counts["", "rows"], counts["", "classes"], counts["", "continuous"]) == (958, 2, 0)
    assert [n for (_, what), n in counts.items() if what == "values"] == [3] * 9


def test_new_values_change_one_category_of_each_row():
    X = np.array([[0.5, "a", "b"]] * 50, dtype=object)
    changed = with_new_values(X, [1, 2], seed=0)
    assert ((changed != X).sum(axis=1) == 1).all()
    assert {*changed[changed != X].tolist()} == {NEW}
    assert (changed[:, 0] == X[:, 0]).all() and (changed[:, 1] != "a").any()


def test_m1_is_lost_with_a_new_value_and_no_other():
    shares = on_tic_tac_toe("new-values")
    lost = {m: shares[m, "in no box, with a new value"] for m in ("M1", "M2", "v1", "v2")}
    assert lost == {"M1": 1.0, "M2": 0.0, "v1": 0.0, "v2": 0.0}
    assert shares["v1", "CBA, with a new value"] > shares["M1", "CBA, with a new value"] + 0.1


def test_codes_of_one_category_are_counted():
    X = np.array([["a", "x"], ["a", "x"], ["b", "y"]], dtype=object)
    codes = np.array([[0.1, 0.5], [0.2, 0.5], [0.3, 0.6]])
    # a has two codes; b, x and y one each.
    assert codes_of_one_category(X, codes, [0, 1]) == pytest.approx(5 / 4)


def test_catboost_depends_on_the_order_of_the_rows_and_target_does_not():
    found = on_tic_tac_toe("encodings")
    for what in (ANOTHER_ORDER, OTHER_LATER):
        assert found["catboost", what] > 0.5 and found["target", what] == 0
    assert found["catboost", CODES] > 100 and found["target", CODES] == 1
    assert found["catboost", PREDICTIONS] > 0 and found["target", PREDICTIONS] == 0


def test_times_are_a_ratio_of_tuning_to_estimating():
    random = np.random.default_rng(0)
    numbers, words = random.random((90, 2)), random.choice(["a", "b"], (90, 2))
    table = Table("made up", np.hstack([numbers, words]).astype(object), words[:, 0], 2, 2)
    table.X[:, :2] = numbers
    fold = Fold(table, QUICK, np.arange(60), np.arange(60, 90), 0)
    found = [*MEASUREMENTS["times"].run(fold)]
    assert [(m.of, m.what) for m in found] == [(v, s) for v in ("v1", "v2") for s in ("0.1", "1")]
    assert all(0.05 < m.value < 500 for m in found)


# The file.


def test_measurements_are_read_as_they_were_written(tmp_path):
    measured = {
        Unit("times", "zoo", 1, 0): [Measure("v1", "0.1", 0.1 + 0.2)],
        Unit("data", "zoo", 0, 0): [Measure("", "rows", 101.0), Measure("a, b", "values", 2.0)],
    }
    path = tmp_path / "measurements.csv"
    write_measurements(path, measured)
    assert read_measurements(path) == measured
    assert path.read_text(encoding="utf-8").startswith(f"{','.join(HEADER)}\ndata,zoo,0,0,,rows,")
    assert read_measurements(tmp_path / "none.csv") == {}


def test_a_damaged_line_is_named_with_the_remedy(tmp_path):
    path = tmp_path / "measurements.csv"
    path.write_text(
        f"{','.join(HEADER)}\ndata,zoo,0,0,,rows,101\ndata,zoo,0,0,,cla", encoding="utf-8"
    )
    with pytest.raises(ValueError, match=r"measurements\.csv, line 3: .*; delete the file"):
        read_measurements(path)


def test_what_a_file_holds_is_not_measured_again(tmp_path):
    path = tmp_path / "measurements.csv"
    kept = {Unit("data", "tic_tac_toe", 0, 0): [Measure("", "rows", 1.0)]}
    kept |= {
        unit: [Measure("kept", "kept", 1.0)]
        for name in ("homogeneity", "encodings")
        for unit in MEASUREMENTS[name].units("tic_tac_toe", 1)
    }
    write_measurements(path, kept)
    told = []
    measure(path, QUICK, ["tic_tac_toe"], n_jobs=1, report=told.append)
    assert told == ["new-values"]  # times are of data sets with both kinds of columns
    found = read_measurements(path)
    assert found.items() >= kept.items()
    assert {u.experiment for u in found} == {"data", "homogeneity", "encodings", "new-values"}


# The command.


def test_the_command_measures_and_reports(tmp_path):
    arguments = ["paper", "measurements", "--datasets", "tic_tac_toe", "--quick", "--jobs", "1"]
    done = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| tic tac toe | 958 | 2 | 0 | 9 |" in report
    assert "CBA of the rows with a new value" in report
    assert "Measurement times, missing:** all of it" in report


def test_the_command_reports_without_data_that_are_gone(tmp_path, monkeypatch):
    monkeypatch.setenv("BOXWISE_DATA", str(tmp_path / "nothing"))
    protocol.table.cache_clear()  # of what other tests have read
    arguments = ["paper", "measurements", "--quick", "--jobs", "1", "--out", str(tmp_path / "out")]
    begin = [*arguments, "--datasets", "tic_tac_toe"]
    assert CliRunner().invoke(app, begin).exit_code == 0
    done = CliRunner().invoke(app, [*arguments, "--datasets", "zoo"])
    assert done.exit_code == 0, done.output
    assert "the report goes without these measurements" in done.output
