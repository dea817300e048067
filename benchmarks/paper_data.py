"""The paper's data sets and real streams, from the folder that BOXWISE_DATA names."""

from __future__ import annotations

import csv
import gzip
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np


def folder(kind: str = "paper") -> Path:
    """Return the folder of the data sets or of the streams, or end the program with what to do."""
    path = Path(os.environ.get("BOXWISE_DATA", ""), kind)
    if "BOXWISE_DATA" not in os.environ or not path.is_dir():
        sys.exit(f"set BOXWISE_DATA to the folder that holds {kind}/datasets.toml")
    return path


def names() -> list[str]:
    """Return the names of the data sets."""
    return [*_about("paper")]


def load(name: str, kind: str = "paper") -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return a data set as an array of objects, its labels, and its categorical columns."""
    about = _about(kind)[name]
    with gzip.open(folder(kind) / about["file"], "rt", newline="") as file:
        rows = [*csv.DictReader(file)]
    columns = [*about["continuous"], *about["categorical"]]
    X = np.empty((len(rows), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        values = [row[column] for row in rows]
        X[:, j] = [float(v) for v in values] if column in about["continuous"] else values
    y = np.array([row[about["label"]] for row in rows])
    return X, y, [*range(len(about["continuous"]), len(columns))]


def _about(kind: str) -> dict[str, Any]:
    return tomllib.loads((folder(kind) / "datasets.toml").read_text())
