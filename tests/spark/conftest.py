"""Spark sessions in local mode, one at a time; without PySpark or Java, none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

MASTER = "local[2,4]"  # two cores; a task may fail three times
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "4",
    "spark.log.level": "OFF",
}


def started(master: str, folder: Path) -> Any:
    """Return a session with this master, in place of another that may run in this process."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        if session.conf.get("spark.master") == master:
            return session
        session.stop()
    builder = SparkSession.builder.master(master)
    for name, value in {**SETTINGS, "spark.sql.warehouse.dir": f"{folder}/warehouse"}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@pytest.fixture(scope="session")
def session_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """Return a function from master to session."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java to run Spark")
    pytest.importorskip("pyspark", reason="PySpark is not installed: make spark")
    import pyspark
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("a path with spaces")
    yield lambda master: started(master, folder)
    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()
    # What the workers of a cluster leave, and nowhere else.
    shutil.rmtree(Path(pyspark.__file__).parent / "work", ignore_errors=True)


@pytest.fixture
def spark(session_of: Callable[[str], Any]) -> Any:
    """Return a session with two cores."""
    return session_of(MASTER)
