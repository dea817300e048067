"""Doctests are left out where a library that the file imports is not installed."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).parent / "src" / "boxwise"

# Leaf packages and files, and the libraries without which they cannot be imported.
OPTIONAL = {
    "apps": ("rich", "typer"),
    "dask": ("dask", "distributed", "pandas", "pyarrow"),
    "database/postgresql.py": ("psycopg",),
    "mlflow": ("mlflow", "pandas"),
    "onnx": ("onnx",),
    "river": ("river",),
    "service": ("fastapi", "orjson", "prometheus_client", "starlette", "uvicorn"),
    "spark": ("pandas", "pyarrow", "pyspark"),
    "streams/kafka_topics.py": ("confluent_kafka",),
    "streams/nats_streams.py": ("nats",),
    "streams/redis_streams.py": ("redis",),
}
MISSING = {
    PACKAGE / leaf: missing
    for leaf, libraries in OPTIONAL.items()
    if (missing := [library for library in libraries if find_spec(library) is None])
}


class LeftOut(pytest.File):
    """A file without doctests, because of what is not installed."""

    def collect(self) -> Iterator[pytest.Item]:
        """Skip it."""
        (leaf,) = {self.path, *self.path.parents} & MISSING.keys()
        name = leaf.relative_to(PACKAGE).as_posix()
        pytest.skip(f"src/boxwise/{name} needs {', '.join(MISSING[leaf])}: not installed")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[Any], list[Any]]:
    """Replace the doctests of a file that cannot be imported by a skip that says why."""
    collectors = yield
    if collectors and {file_path, *file_path.parents} & MISSING.keys():
        return [LeftOut.from_parent(parent, path=file_path)]
    return collectors
