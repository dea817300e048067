"""``--algorithm``: every learner of the library, by the name it has in the literature."""

from __future__ import annotations

from typing import Any

import pytest

import boxwise as library
from boxwise.apps.options.model import LEARNERS, Algorithm
from boxwise.datasets import loans
from boxwise.learners.base.numeric_only import NumericOnly
from boxwise.learners.saved import _LEARNERS
from boxwise.store.modelfile import pack

from .running import boxwise, write_csv

ROWS, LABELS = loans(150, function=3, noise=0.05, seed=2)
ROWS = [{k: str(v) if k == "zip_code" else v for k, v in row.items()} for row in ROWS]
NUMBERS = ("salary", "age", "loan")
FEW = (*NUMBERS, "education", "car")


@pytest.fixture
def file(tmp_path):
    rows = [{**row, "decision": y} for row, y in zip(ROWS, LABELS, strict=True)]
    return write_csv(tmp_path / "loans.csv", rows)


def columns_of(algorithm: Algorithm) -> tuple[str, ...]:
    return NUMBERS if issubclass(LEARNERS[algorithm][0], NumericOnly) else FEW


def learned(algorithm: Algorithm) -> Any:
    """The same in Python, where the file says nothing but what a reader sees."""
    kind, fixed = LEARNERS[algorithm]
    rows = [{name: row[name] for name in columns_of(algorithm)} for row in ROWS]
    categorical = [name for name in columns_of(algorithm) if name not in NUMBERS]
    more = {"categorical_features": categorical} if categorical else {}
    for row in rows:
        for name in categorical:
            row[name] = str(row[name])
    clf = kind(theta=0.4, **fixed, **more)
    return getattr(clf, "partial_fit" if hasattr(clf, "partial_fit") else "fit")(rows, LABELS)


def test_there_is_a_name_for_every_learner():
    assert {kind for kind, _ in LEARNERS.values()} == {*_LEARNERS.values()}


@pytest.mark.parametrize("algorithm", [*Algorithm], ids=str)
def test_learn_makes_the_model_of_the_library(algorithm, file, tmp_path):
    only = ",".join(columns_of(algorithm))
    categorical = [name for name in columns_of(algorithm) if name not in NUMBERS]
    run = boxwise(
        "learn", file, "--label", "decision", "-o", tmp_path / "m.box", "--algorithm", algorithm,
        "--theta", 0.4, "--only", only, "--numeric", ",".join(NUMBERS),
        *(("--categorical", ",".join(categorical)) if categorical else ()),
    )  # fmt: skip
    assert run.exit_code == 0, run.stderr
    clf = library.load(tmp_path / "m.box")
    wanted = learned(algorithm)
    assert type(clf) is type(wanted)
    assert pack({}, clf._model.to_state()[1]) == pack({}, wanted._model.to_state()[1])
    assert boxwise("predict", tmp_path / "m.box", file, "-q").exit_code == 0
    assert boxwise("inspect", tmp_path / "m.box").exit_code == 0


@pytest.mark.parametrize("algorithm", [*Algorithm], ids=str)
def test_evaluate_takes_every_learner_that_fits_the_question(algorithm, file):
    only = ("--only", ",".join(columns_of(algorithm)))
    ask = ("evaluate", file, "--label", "decision", "-q", "--algorithm", algorithm, *only)
    assert boxwise(*ask, "--cv", 3).exit_code == 0
    run = boxwise(*ask)
    if hasattr(LEARNERS[algorithm][0](), "partial_fit"):
        assert run.exit_code == 0, run.stderr
    else:
        assert run.exit_code == 2
        assert "needs all rows at once and cannot learn row by row; use --cv" in run.stderr


@pytest.mark.parametrize("algorithm", ["eiol-gfmm", "hyperbox"])
def test_what_was_learned_is_explained_and_goes_on_learning(algorithm, file, tmp_path):
    model = tmp_path / "m.box"
    learn = ("learn", file, "--label", "decision", "-q")
    assert boxwise(*learn, "-o", model, "--algorithm", algorithm).exit_code == 0
    run = boxwise("explain", model, file, "--row", 3)
    assert run.exit_code == 0, run.stderr
    assert LABELS[2] in run.stdout or "approved" in run.stdout or "declined" in run.stdout
    assert boxwise(*learn, "--into", model).exit_code == 0
    assert library.load(model).boxes_.n_samples.sum() == 300
    assert boxwise("rules", model).exit_code == 0


def test_a_learner_of_all_rows_cannot_go_on(file, tmp_path):
    learn = ("learn", file, "--label", "decision", "-q", "--only", ",".join(FEW))
    model = tmp_path / "m.box"
    assert boxwise(*learn, "-o", model, "--algorithm", "onln-gfmm-m1").exit_code == 0
    run = boxwise("learn", file, "--label", "decision", "--into", model)
    assert run.exit_code == 1
    assert "cannot go on learning: it needs all rows at once" in run.stderr
