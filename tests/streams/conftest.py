"""Servers and commands for the tests of streams."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgresql import postgresql_server
from tests.streams.running import Starter
from tests.streams.servers import KafkaMock, NatsServer, RedisServer, Server


def _running(server: Server) -> Iterator[Server]:
    server.start()
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("redis")
    yield from _running(RedisServer(tmp_path_factory.mktemp("redis")))


@pytest.fixture(scope="module")
def nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("nats")
    yield from _running(NatsServer(tmp_path_factory.mktemp("nats")))


@pytest.fixture(scope="module")
def kafka() -> KafkaMock:
    pytest.importorskip("confluent_kafka")
    return KafkaMock()


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starter]:
    pytest.importorskip("typer")
    one = Starter(tmp_path_factory.mktemp("starter"))
    yield one
    one.close()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "models.db"


__all__ = ["kafka", "nats", "postgresql_server", "redis", "starter", "store"]
