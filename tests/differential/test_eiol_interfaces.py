"""EIOLGFMM is one algorithm through every face: tables, River, files and the command line."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import boxwise
from boxwise import EIOLGFMM
from boxwise.datasets import loans
from boxwise.reference import EIOL
from boxwise.store.modelfile import pack
from tests.apps.running import boxwise as command

from .agreement import assert_same_boxes

NUMBERS = ("salary", "age", "loan")
CATEGORIES = ("education", "car")
Pairs = list[tuple[dict[str, Any], str]]


@pytest.fixture
def with_and_without_an_index() -> None:
    """River reads dicts straight into one engine."""


def pairs(n_rows: int, seed: int) -> Pairs:
    rows, labels = loans(n_rows, function=3, noise=0.1, seed=seed)
    columns = (*NUMBERS, *CATEGORIES)
    return [({c: row[c] for c in columns}, y) for row, y in zip(rows, labels, strict=True)]


def by_table(learn: Pairs, version: int, folder: Path) -> Any:
    clf = EIOLGFMM(0.2, 0.4, version)
    return clf.partial_fit([row for row, _ in learn], [label for _, label in learn])


def by_single_rows(learn: Pairs, version: int, folder: Path) -> Any:
    clf = EIOLGFMM(0.2, 0.4, version)
    for row, label in learn:
        clf.partial_fit([row], [label])
    return clf


def by_test_then_train(learn: Pairs, version: int, folder: Path) -> Any:
    clf = EIOLGFMM(0.2, 0.4, version)
    clf.test_then_train([row for row, _ in learn], [label for _, label in learn])
    return clf


def by_river(learn: Pairs, version: int, folder: Path) -> Any:
    pytest.importorskip("river")
    from boxwise import river

    model = river.EIOLGFMM(0.2, 0.4, version)
    for row, label in learn:
        model.learn_one(row, label)
    return model.classifier


def by_file_half_way(learn: Pairs, version: int, folder: Path) -> Any:
    half = len(learn) // 2
    by_table(learn[:half], version, folder).save(folder / "half.box")
    clf = boxwise.load(folder / "half.box")
    return clf.partial_fit([row for row, _ in learn[half:]], [label for _, label in learn[half:]])


def by_command(learn: Pairs, version: int, folder: Path) -> Any:
    with (folder / "rows.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*learn[0][0], "y"])
        writer.writeheader()
        writer.writerows({**row, "y": label} for row, label in learn)
    run = command(
        "learn", folder / "rows.csv", "--label", "y", "-o", folder / "m.box", "-q",
        "--algorithm", "eiol-gfmm", "--theta", 0.2, "--delta", 0.4, "--version", version,
        "--categorical", ",".join(CATEGORIES),
    )  # fmt: skip
    assert run.exit_code == 0, run.stderr
    return boxwise.load(folder / "m.box")


FACES = [by_table, by_single_rows, by_test_then_train, by_river, by_file_half_way, by_command]


def arrays_of(clf: Any) -> bytes:
    return pack({}, clf._model.to_state()[1])


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("face", FACES)
def test_every_face_makes_the_boxes_and_labels_of_the_reference(
    face: Any, version: int, tmp_path: Path
) -> None:
    learn = pairs(250, seed=5)
    clf = face(learn, version, tmp_path)
    reference = EIOL(0.2, 0.4, 3 / 5, [1.0] * 3, "mean" if version == 2 else "each")
    for row, label in learn:
        point = [float(row[name]) for name in NUMBERS]
        reference.learn(point, point, [spelled(clf, name, row[name]) for name in CATEGORIES], label)
    assert_same_boxes(clf, reference)
    unseen = [row for row, _ in pairs(120, seed=6)]
    expected = []
    for row in unseen:
        point = [float(row[name]) for name in NUMBERS]
        values = [spelled(clf, name, row[name]) for name in CATEGORIES]
        expected.append(reference.predict(point, point, values))
    if face is by_command:  # text, as files have it
        unseen = [{k: str(v) if k in CATEGORIES else v for k, v in row.items()} for row in unseen]
    assert clf.predict(unseen).tolist() == expected
    assert arrays_of(clf) == arrays_of(by_table(learn, version, tmp_path))


def spelled(clf: Any, name: str, value: Any) -> Any:
    """Return a category as the model has it: a file says "3" for 3."""
    (column,) = [c for c in clf.schema_.columns if c.name == name]
    values = column.vocabulary.values
    return value if value in values or str(value) not in values else str(value)
