"""SQLite: one file, write-ahead log, every commit synced to the disk."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from boxwise.database.backend import Connection, Row
from boxwise.database.errors import (
    ConflictError,
    ModelInUseError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)
from boxwise.database.tables import LAST_TABLE, TABLES, VERSION

try:
    import fcntl
except ImportError:  # Windows: the primary key of the journal is the only guard there
    fcntl = None  # type: ignore[assignment]

BUSY_SECONDS = 30.0  # how long to wait for another process that writes to the file


class SQLite:
    """A store in a file.

    Parameters
    ----------
    path : str or path
        The file; it is created, its folder is not.
    """

    kind = "sqlite"

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.url = f"sqlite:///{self.path}"
        self._held: dict[str, IO[str]] = {}
        if not self.path.absolute().parent.is_dir():
            raise StoreError(
                f"{self.path} cannot be opened: there is no folder {self.path.absolute().parent}"
            )

    def connect(self) -> SQLiteConnection:
        """Open a connection."""
        connection = SQLiteConnection(self.path)
        try:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (LAST_TABLE,)):
                with connection.transaction():
                    for statement in TABLES:
                        connection.execute(statement)
            check_version(connection, str(self.path))
        except BaseException:
            connection.close()
            raise
        return connection

    def hold(self, model: str, connection: Connection) -> None:
        """Lock a file beside the database."""
        if fcntl is None or model in self._held:
            return
        file_itself = self.path.resolve()  # the same lock by whatever link it is reached
        path = file_itself.with_name(f"{file_itself.name}.{model}.lock")
        try:
            file = path.open("a+", encoding="utf-8")
        except OSError as error:
            raise StoreError(f"{path} cannot be opened to lock the model: {error}") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = _holder(file)
            file.close()
            raise ModelInUseError(
                f"model {model!r} in {self.path} is written by {holder}; stop it, or use another "
                "store"
            ) from None
        with suppress(OSError):  # a full disk: the lock holds all the same
            file.truncate(0)
            file.write(json.dumps({"process": os.getpid(), "host": socket.gethostname()}))
            file.flush()
        self._held[model] = file

    def release(self, model: str, connection: Connection | None) -> None:
        """Unlock."""
        file = self._held.pop(model, None)
        if file is not None:
            file.close()


def _holder(file: IO[str]) -> str:
    try:
        file.seek(0)
        found = json.loads(file.read(1000))
        return f"process {found['process']} on {found['host']}"
    except (OSError, ValueError, LookupError, TypeError):
        return "another process"


class SQLiteConnection:
    """A connection to a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.broken = False
        with self._errors():
            self._raw = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                self._raw.execute(f"PRAGMA {pragma}")

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run a statement and return its rows."""
        with self._errors():
            return self._raw.execute(sql, values).fetchall()

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        with self._errors():
            self._raw.executemany(sql, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit at the end of the block; after an exception keep nothing."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if self._raw.in_transaction:  # after some errors SQLite has rolled back by itself
                with suppress(sqlite3.Error):
                    self._raw.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close it."""
        self.broken = True
        with suppress(sqlite3.Error):
            self._raw.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._translated(error) from error

    def _translated(self, error: sqlite3.Error) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF == sqlite3.SQLITE_FULL or code == sqlite3.SQLITE_IOERR_WRITE:
            return StoreFullError(f"there is no room left for {self._path}; free some space")
        if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreUnavailableError(
                f"{self._path} is locked by another process ({error}); try again"
            )
        if isinstance(error, sqlite3.IntegrityError):
            return ConflictError(f"{self._path}: {error}")
        return StoreError(f"{self._path}: {error}")


def check_version(connection: Connection, where: str) -> None:
    """Refuse tables of a newer boxwise; write the version where there is none."""
    found = connection.execute("SELECT max(version) FROM boxwise_schema")[0][0]
    if found is None:
        connection.execute("INSERT INTO boxwise_schema (version) VALUES (?)", (VERSION,))
    elif found > VERSION:
        raise StoreError(
            f"{where} was written by a newer boxwise (tables of version {found}, this one knows "
            f"{VERSION}); upgrade boxwise"
        )
