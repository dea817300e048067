"""The committed run of the paper's evaluation is what the code of now gives, digit for digit.

Each unit holds every method of its experiment. No default of an estimator can change what is
reported as the paper's without failing here.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from functools import cache
from pathlib import Path

import pytest

from boxwise import EIOLGFMM
from boxwise.paper import experiment
from boxwise.paper.job import _estimators
from boxwise.paper.protocol import Protocol, Row
from boxwise.paper.results import ResultsFile, Unit
from boxwise.paper.run import EXPERIMENTS, run_unit

COMMITTED = Path(__file__).parents[2] / "docs" / "paper"
# Made by a formula, so that no data are needed; categories only.
MADE = [
    Unit(name, "tic_tac_toe", repeat, fold)
    for name in ("delta", "mixed", "encoders")
    for repeat, fold in ((0, 0), (9, 3))
]
OF_DATA = [
    Unit(name, dataset, repeat, fold)
    for name, datasets in {
        "alpha": ("zoo", "heart", "cmc"),
        "delta": ("flag", "german"),
        "mixed": ("heart", "tae", "dermatology"),
        "encoders": ("flag", "cmc"),
        "find-alpha": ("tae", "heart", "australian"),
        "tuned": ("zoo", "tae"),
    }.items()
    for dataset in datasets
    for repeat, fold in ((0, 0), (4, 1), (9, 3))
]
needs_data = pytest.mark.skipif(
    "BOXWISE_DATA" not in os.environ, reason="BOXWISE_DATA does not name the folder of the data"
)


@cache
def committed(folder: Path) -> dict[Unit, list[Row]]:
    path = folder / "results.csv"
    with gzip.open(COMMITTED / "results.csv.gz") as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return ResultsFile(path).done


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[Unit, list[Row]]:
    return committed(tmp_path_factory.mktemp("committed"))


@pytest.mark.parametrize(
    "unit",
    [*MADE, *(pytest.param(unit, marks=needs_data) for unit in OF_DATA)],
    ids=lambda unit: "-".join(map(str, unit)),
)
def test_a_unit_run_again_gives_every_digit_of_the_committed_run(
    unit: Unit, results: dict[Unit, list[Row]]
) -> None:
    _, rows = run_unit(unit, Protocol(), None)
    assert rows == results[unit]


def test_the_sample_has_every_experiment_and_every_method(
    results: dict[Unit, list[Row]],
) -> None:
    sample = [*MADE, *OF_DATA]
    assert {unit.experiment for unit in sample} == {*EXPERIMENTS}
    methods = {row.method for unit in sample for row in results[unit]}
    assert methods == {row.method for rows in results.values() for row in rows}


@pytest.mark.parametrize("changed", [{"version": 2}, {"max_boxes": 5}])
def test_another_default_of_eiol_would_be_noticed(
    changed: dict[str, int], results: dict[Unit, list[Row]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(experiment.METHODS, "v1", EIOLGFMM(**{"version": 1, **changed}))
    unit = Unit("delta", "tic_tac_toe", 0, 0)
    _, rows = run_unit(unit, Protocol(), None)
    assert rows != results[unit]


def test_the_committed_run_was_made_with_the_estimators_of_now() -> None:
    kept = json.loads((COMMITTED / "run.json").read_text(encoding="utf-8"))
    now = _estimators()
    assert {*now} == {*kept["estimators"]}
    for name, then in kept["estimators"].items():
        # Parameters that were added since then are off.
        assert now[name] == {**dict.fromkeys(now[name]), **then}
    assert kept["protocol"] == {
        "repeats": 10, "seed": 0, "quick": False, "scaling": "dataset", "order": "file",
    }  # fmt: skip
    assert kept["versions"]["engine"]
