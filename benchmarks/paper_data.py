"""The paper's data sets, and the real streams from the folder that BOXWISE_DATA names."""

from __future__ import annotations

import csv
import gzip
import os
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boxwise import datasets


def names() -> list[str]:
    """Return the names of the data sets."""
    return datasets.names()


def load(name: str, kind: str = "paper") -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return a data set as an array of objects, its labels, and its categorical columns."""
    if kind == "paper":
        data = datasets.load(name)
        # Text, as in the streams: the published results are of classes in this order.
        return _arrays(data.X, [str(label) for label in data.y], data.numeric, data.categorical)
    return arrays_of(name, stream(name))


def stream(name: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Return the rows of a real stream, one after the other, with their labels."""
    file, about = _find_stream(name)
    with gzip.open(file, "rt", newline="") as lines:
        for row in csv.DictReader(lines):
            label = row.pop(about["label"])
            numbers = {column: float(row[column]) for column in about["continuous"]}
            yield {**row, **numbers}, label


def arrays_of(
    name: str, pairs: Iterable[tuple[dict[str, Any], str]]
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return rows of a real stream in the form of `load`."""
    rows, labels = zip(*pairs, strict=True)
    _, about = _find_stream(name)
    return _arrays(rows, [*labels], about["continuous"], about["categorical"])


def _find_stream(name: str) -> tuple[Path, dict[str, Any]]:
    folder = Path(os.environ.get("BOXWISE_DATA", ""), "streams")
    if "BOXWISE_DATA" not in os.environ or not folder.is_dir():
        sys.exit("set BOXWISE_DATA to the folder that holds streams/datasets.toml")
    about = tomllib.loads((folder / "datasets.toml").read_text())[name]
    return folder / about["file"], about


def _arrays(
    rows: Sequence[dict[str, Any]],
    labels: list[str],
    continuous: Sequence[str],
    categorical: Sequence[str],
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return rows as an array of objects with the numbers first."""
    n, columns = len(continuous), [*continuous, *categorical]
    X = np.empty((len(rows), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        X[:, j] = [float(row[column]) if j < n else row[column] for row in rows]
    return X, np.array(labels), [*range(n, len(columns))]
