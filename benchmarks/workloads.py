"""The streams that speed is measured on: made ones, and two real ones from BOXWISE_DATA.

Each is a table of numbers, codes of categories and codes of classes, so that the engine can be
measured without the reading of rows; `dicts` gives the same rows as River's learners take them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import paper_data
from boxwise.datasets import LoanStream

MANY_VALUES = 100_000


@dataclass(frozen=True)
class Table:
    """Rows: numbers, codes of categories in order of first appearance, codes of classes."""

    numbers: NDArray[np.float64]
    codes: NDArray[np.int32]
    labels: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.labels)

    def part(self, begin: int, end: int) -> Table:
        """Return the rows from one on, up to another."""
        rows = slice(begin, end)
        return Table(self.numbers[rows], self.codes[rows], self.labels[rows])

    def dicts(self) -> Iterator[tuple[dict[str, Any], str]]:
        """Give the rows as dicts of numbers and text, with their labels as text."""
        names = [f"n{j}" for j in range(self.numbers.shape[1])]
        names += [f"c{j}" for j in range(self.codes.shape[1])]
        for x, c, y in zip(
            self.numbers.tolist(), self.codes.tolist(), self.labels.tolist(), strict=True
        ):
            yield dict(zip(names, [*x, *(f"v{value}" for value in c)], strict=True)), f"k{y}"


@dataclass(frozen=True)
class Workload:
    """A stream and the size of boxes to learn it with."""

    name: str
    size: float  # theta and delta
    table: Callable[[int], Table]  # of so many rows, or all there are
    most: int = 1_000_000  # rows there are


def workloads() -> list[Workload]:
    """Return the streams; those from BOXWISE_DATA only where it is set."""
    found = [
        Workload("loan 0.1", 0.1, loan),
        Workload("loan 0.5", 0.5, loan),
        Workload("wide 0.1", 0.1, wide),
        Workload("wide 0.5", 0.5, wide),
        Workload("wide, diffuse 0.5", 0.5, lambda n: wide(n, diffuse=True)),
        Workload("100,000 values 0.5", 0.5, high_cardinality),
    ]
    if "BOXWISE_DATA" in os.environ:
        found += [
            Workload("electricity 0.1", 0.1, lambda n: real("electricity", n), most=45_312),
            Workload("nyc_flights 0.1", 0.1, lambda n: real("nyc_flights", n), most=325_724),
        ]
    return found


def without_data() -> str:
    """Say which streams are missing, if any are."""
    if "BOXWISE_DATA" in os.environ:
        return ""
    return "electricity and nyc_flights were skipped: BOXWISE_DATA was not set."


def loan(n_rows: int) -> Table:
    """Six numbers, three categories, two classes, one label in twenty wrong."""
    columns, labels = LoanStream(n_rows, function=2, noise=0.05, seed=1).table()
    numbers = [c for c in columns.values() if c.dtype.kind in "fi"]
    texts = [c for c in columns.values() if c.dtype.kind not in "fi"]
    return Table(np.column_stack(numbers).astype(float), _coded(texts), _coded([labels])[:, 0])


def wide(n_rows: int, *, diffuse: bool = False) -> Table:
    """Twenty numbers and twenty categories in 32 clusters of eight classes.

    In a cluster one value in ten of each category dominates; if diffuse, each value has a share of
    its own.
    """
    rng = np.random.default_rng(3)
    clusters, features, values = 32, 20, 10
    centres = rng.uniform(0.1, 0.9, (clusters, features))
    if diffuse:
        shares = rng.dirichlet(np.ones(values), (clusters, features))
    else:
        shares = np.full((clusters, features, values), 0.1 / (values - 1))
        favourites = rng.integers(values, size=(clusters, features, 1))
        np.put_along_axis(shares, favourites, 0.9, axis=2)
    cluster = rng.integers(clusters, size=n_rows)
    numbers = centres[cluster] + rng.normal(0, 0.02, (n_rows, features))
    upto = shares.cumsum(axis=2)
    drawn = rng.random((n_rows, features))
    codes = np.empty((n_rows, features), np.int32)
    for j in range(features):  # one column at a time: all at once would need ten times the memory
        codes[:, j] = (drawn[:, j, None] > upto[cluster, j, :-1]).sum(axis=1)
    return Table(numbers, _coded(codes.T), _coded([cluster % 8])[:, 0])


def high_cardinality(n_rows: int) -> Table:
    """Return the loan stream with a column of up to 100,000 values, few of them frequent."""
    table = loan(n_rows)
    shares = (np.arange(MANY_VALUES) + 10) ** -0.5
    drawn = np.random.default_rng(4).choice(MANY_VALUES, n_rows, p=shares / shares.sum())
    codes = np.hstack([table.codes, _coded([drawn])])
    return Table(table.numbers, codes, table.labels)


def real(name: str, n_rows: int) -> Table:
    """Return the first rows of a real stream."""
    X, y, categorical = paper_data.arrays_of(name, islice(paper_data.stream(name), n_rows))
    numbers = X[:, : categorical[0]].astype(float)
    return Table(numbers, _coded(X[:, categorical].T), _coded([y])[:, 0])


def _coded(columns: Any) -> NDArray[np.int32]:
    """Return the values of each column as numbers, in order of first appearance as in a model."""
    coded = []
    for column in columns:
        _, first, code = np.unique(column, return_index=True, return_inverse=True)
        coded.append(np.argsort(np.argsort(first))[code])
    return np.column_stack(coded).astype(np.int32)
