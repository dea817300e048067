"""PostgreSQL through psycopg 3; the only file that imports it."""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from boxwise.database.backend import Connection, Row
from boxwise.database.errors import (
    ConflictError,
    ModelInUseError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)
from boxwise.database.sqlite import check_version
from boxwise.database.tables import LAST_TABLE, TABLES

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
except ImportError as error:
    raise ImportError(
        'PostgreSQL needs psycopg 3: pip install "boxwise[postgres]"', name="psycopg"
    ) from error

_TYPES = {" BLOB": " BYTEA", " REAL": " DOUBLE PRECISION", " INTEGER": " BIGINT"}
_TABLES_LOCK = 0x626F7877697365  # while tables are made, which two processes may do at once
CONNECT_SECONDS = 10


class PostgreSQL:
    """A store in a database of PostgreSQL, in the first schema of the search path.

    Parameters
    ----------
    url : str
        As libpq takes it: ``postgresql://user:password@host:port/database``.
    """

    kind = "postgresql"

    def __init__(self, url: str) -> None:
        try:
            parts = conninfo_to_dict(url)
        except psycopg.Error as error:
            raise ValueError(f"the URL of the store is malformed: {error}") from None
        self._url = url
        where = f"{parts.get('host') or ''}{':' if parts.get('port') else ''}"
        self.url = f"postgresql://{where}{parts.get('port') or ''}/{parts.get('dbname') or ''}"

    def connect(self) -> PostgreSQLConnection:
        """Open a connection."""
        connection = PostgreSQLConnection(self._url, self.url)
        try:
            if not _has_tables(connection):
                with connection.transaction():
                    connection.execute("SELECT pg_advisory_xact_lock(?)", (_TABLES_LOCK,))
                    for statement in TABLES:
                        connection.execute(_in_this_dialect(statement))
            check_version(connection, self.url)
        except BaseException:
            connection.close()
            raise
        return connection

    def hold(self, model: str, connection: Connection) -> None:
        """Take an advisory lock, which lasts as long as the connection."""
        key = _key(model, connection)
        (held,) = connection.execute("SELECT pg_try_advisory_lock(?)", (key,))[0]
        if not held:
            raise ModelInUseError(
                f"model {model!r} in {self.url} is written by {_holder(key, connection)}; stop "
                "it, or use another store"
            )

    def release(self, model: str, connection: Connection | None) -> None:
        """Release the lock."""
        if connection is None or connection.broken:
            return
        with suppress(StoreError):  # a lost connection has released it
            connection.execute("SELECT pg_advisory_unlock(?)", (_key(model, connection),))


def _has_tables(connection: PostgreSQLConnection) -> bool:
    return bool(connection.execute("SELECT to_regclass(?) IS NOT NULL", (LAST_TABLE,))[0][0])


def _in_this_dialect(statement: str) -> str:
    for theirs, ours in _TYPES.items():
        statement = statement.replace(theirs, ours)
    return statement


def _key(model: str, connection: Connection) -> int:
    """Return the key of the lock of a model in the schema of its tables: 64 bits with a sign."""
    (schema,) = connection.execute("SELECT current_schema()")[0]
    digest = hashlib.sha256(f"boxwise {schema} {model}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def _holder(key: int, connection: Connection) -> str:
    key %= 2**64
    found = connection.execute(
        "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
        "WHERE l.locktype = 'advisory' AND l.granted AND l.classid = ? AND l.objid = ? "
        "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        (key >> 32, key & 0xFFFFFFFF),
    )
    return str(found[0][0]) if found and found[0][0] else "another process"


class PostgreSQLConnection:
    """A connection to a server."""

    def __init__(self, url: str, shown: str) -> None:
        self._shown = shown
        name = f"boxwise, process {os.getpid()} on {socket.gethostname()}"[:63]
        with self._errors():
            self._raw = psycopg.connect(
                url, autocommit=True, application_name=name, connect_timeout=CONNECT_SECONDS
            )
        # An answer promises that the rows are on disk, whatever the server's default is.
        if self.execute("SHOW synchronous_commit")[0][0] == "off":
            self.execute("SET synchronous_commit TO on")

    @property
    def broken(self) -> bool:
        """Whether it was closed or lost."""
        return bool(self._raw.closed)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run a statement and return its rows."""
        with self._errors():
            cursor = self._raw.execute(sql.replace("?", "%s").encode(), values)
            return cursor.fetchall() if cursor.description else []

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        with self._errors(), self._raw.cursor() as cursor:
            cursor.executemany(sql.replace("?", "%s").encode(), rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit at the end of the block; after an exception keep nothing."""
        with self._errors(), self._raw.transaction():
            yield

    def close(self) -> None:
        """Close it."""
        with suppress(psycopg.Error):
            self._raw.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise self._translated(error) from error

    def _translated(self, error: psycopg.Error) -> StoreError:
        text = str(error).strip() or type(error).__name__
        if isinstance(error, psycopg.errors.DiskFull):
            return StoreFullError(f"the server of {self._shown} has no room left: {text}")
        if isinstance(error, psycopg.IntegrityError):
            return ConflictError(f"{self._shown}: {text}")
        if isinstance(error, psycopg.OperationalError):
            return StoreUnavailableError(f"{self._shown} cannot be reached: {text}")
        return StoreError(f"{self._shown}: {text}")
