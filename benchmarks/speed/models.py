"""Models made straight from tables, without the reading of rows, and the switch of the index."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.workloads import Table
from boxwise import EIOLGFMM, HyperboxClassifier
from boxwise.core import Model
from boxwise.inputs import Batch
from boxwise.schema import Column, Schema, Vocabulary


def new_model(table: Table, estimator: EIOLGFMM | HyperboxClassifier) -> Model:
    """Return a model for the columns of a table, as the estimator has it before its first row."""
    n, r = table.numbers.shape[1], table.codes.shape[1]
    values = table.codes.max(axis=0, initial=0) + 1
    columns = [Column(f"n{j}", "numeric") for j in range(n)]
    columns += [
        Column(f"c{j}", "categorical", Vocabulary(map(str, range(values[j])))) for j in range(r)
    ]
    model = estimator._empty_model(Schema(columns, named=True))
    for label in range(int(table.labels.max()) + 1):
        model.labels.append(label)
    return model


def batch(table: Table) -> Batch:
    """Return the rows as a model takes them."""
    return Batch(table.numbers, table.numbers, table.codes, [[] for _ in table.codes.T])


def learn(model: Model, table: Table) -> None:
    """Learn the rows."""
    model.learn(batch(table), table.labels, [])


def single_rows(table: Table) -> list[tuple[Any, Any, Any, Any]]:
    """Return each row as the arrays that the engine's own `learn` takes."""
    parts = [slice(*ends) for ends in pairwise(range(len(table) + 1))]
    return [(table.numbers[i], table.numbers[i], table.codes[i], table.labels[i]) for i in parts]


def same_boxes(one: Model, other: Model) -> bool:
    """Whether two models have the same boxes, bit by bit."""
    a, b = one.engine.snapshot(), other.engine.snapshot()
    names = ("V", "W", "n", "label", "id", "first", "code", "times")
    return all(np.array_equal(a[name], b[name], equal_nan=name in "VW") for name in names)
