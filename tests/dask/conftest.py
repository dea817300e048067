"""Clusters on this machine and a table for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")

import dask.dataframe as dd
import pandas as pd
from distributed import Client, LocalCluster

from boxwise.datasets import LoanStream

LOOPBACK = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}  # nobody else may connect


def local_cluster(n_workers: int) -> LocalCluster:
    """Return a cluster of processes."""
    return LocalCluster(n_workers=n_workers, threads_per_worker=1, processes=True, **LOOPBACK)


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    """A client whose workers are threads of this process."""
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", **LOOPBACK
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def two_workers() -> Iterator[Client]:
    """A client of two worker processes."""
    with local_cluster(2) as cluster, Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(scope="session")
def loans() -> pd.DataFrame:
    """Loan applications with their decision."""
    columns, labels = LoanStream(1_200, function=3, seed=5).table()
    return pd.DataFrame(columns).assign(decision=labels)


def tables_of(frame: pd.DataFrame, npartitions: int) -> tuple[Any, Any]:
    """Return the rows and the labels as collections of dask."""
    table = dd.from_pandas(frame, npartitions=npartitions, sort=False)
    return table.drop(columns="decision"), table["decision"]


def rows_and_labels(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """Return the rows and the labels of a local table."""
    return frame.drop(columns="decision"), frame["decision"]
