"""The paper's data sets, from the folder that BOXWISE_DATA names."""

from __future__ import annotations

import csv
import gzip
import os
import sys
import tomllib
from pathlib import Path

import numpy as np


def folder() -> Path:
    """Return the folder of the paper's data, or end the program with what to do."""
    path = Path(os.environ.get("BOXWISE_DATA", ""), "paper")
    if "BOXWISE_DATA" not in os.environ or not path.is_dir():
        sys.exit("set BOXWISE_DATA to the folder that holds paper/datasets.toml")
    return path


def names() -> list[str]:
    """Return the names of the data sets."""
    return [*tomllib.loads((folder() / "datasets.toml").read_text())]


def load(name: str) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return a data set as an array of objects, its labels, and its categorical columns."""
    about = tomllib.loads((folder() / "datasets.toml").read_text())[name]
    with gzip.open(folder() / about["file"], "rt", newline="") as file:
        rows = [*csv.DictReader(file)]
    columns = [*about["continuous"], *about["categorical"]]
    X = np.empty((len(rows), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        values = [row[column] for row in rows]
        X[:, j] = [float(v) for v in values] if column in about["continuous"] else values
    y = np.array([row[about["label"]] for row in rows])
    return X, y, [*range(len(about["continuous"]), len(columns))]
