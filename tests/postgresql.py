"""A PostgreSQL server for tests: Debian's package, a cluster of its own on 127.0.0.1."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

USER = "postgres"  # initdb refuses to run as root


def programs() -> Path | None:
    """Return the folder of the server's programs, None if it is not installed."""
    folders = [*Path("/usr/lib/postgresql").glob("*/bin")]
    found = shutil.which("initdb")
    folders += [Path(found).resolve().parent] if found else []
    return next((f for f in sorted(folders, reverse=True) if (f / "initdb").exists()), None)


def missing() -> str | None:
    """Return why no server can be started, None if one can."""
    if programs() is None:
        return "PostgreSQL is not installed (Debian: apt install postgresql)"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed"
    if os.geteuid() == 0:
        import pwd

        try:
            pwd.getpwnam(USER)
        except KeyError:
            return f"there is no user {USER!r}, and the server does not run as root"
    return None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A cluster in a folder; each database of it is one test's own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self._programs = programs()
        self._identity = {"user": USER, "group": USER} if os.geteuid() == 0 else {}
        self._databases = 0
        self._run("initdb", "-D", folder / "data", "-A", "trust", "-U", USER, "--no-sync")

    def _run(self, program: str, *arguments: object) -> None:
        subprocess.run(
            [str(self._programs / program), *map(str, arguments)],
            check=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            **self._identity,
        )

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -F"
        log = self.folder / "log"
        self._run("pg_ctl", "-D", self.folder / "data", "-w", "-l", log, "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", self.folder / "data", "-w", "-m", mode, "stop")

    def new_database(self) -> str:
        """Create an empty schema, which is quicker than a database, and return its URL."""
        self._databases += 1
        name = f"test{self._databases}"
        place = ("-h", "127.0.0.1", "-p", self.port, "-U", USER, "-d", "postgres")
        self._run("psql", *place, "-q", "-c", f"CREATE SCHEMA {name}")
        path = f"options=-csearch_path%3D{name}"
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres?{path}"


@contextmanager
def running_server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="boxwise-postgresql-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, USER, USER)
        server = Server(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Server]:
    if reason := missing():
        pytest.skip(reason)
    with running_server() as server:
        yield server


def until_released(hold: Callable[[], None]) -> None:
    """Call it until a lost connection no longer holds the model: a server takes a moment."""
    from boxwise.database import ModelInUseError

    for _ in range(100):
        try:
            return hold()
        except ModelInUseError:
            time.sleep(0.05)
    return hold()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """The URL of an empty store of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "models.db")
    return request.getfixturevalue("postgresql_server").new_database()
