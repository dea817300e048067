"""A store of models: what is read from it, and transactions to write."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import TypeVar

from boxwise.database.backend import Backend, Connection, Row
from boxwise.database.errors import StoreError, UnknownModelError
from boxwise.database.records import Checkpoint, CheckpointInfo, Entry, ModelRecord, Prediction
from boxwise.database.sqlite import SQLite
from boxwise.database.transaction import PREDICTION, Transaction, to_prediction

PAGE = 500  # journal entries read at a time
_INFO = "position, version, at, reason, kept, length(file)"

T = TypeVar("T")


def open_store(url: str | os.PathLike[str]) -> Store:
    """Open a store; a new file or an empty database gets its tables.

    Parameters
    ----------
    url : str or path
        The path of an SQLite file, ``sqlite:///path`` or ``postgresql://...``.

    Returns
    -------
    Store

    Raises
    ------
    StoreError
        If it cannot be opened.
    ValueError
        If the URL is of another kind.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import boxwise
    >>> clf = boxwise.HyperboxClassifier().fit([{"age": 23}, {"age": 60}], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_store(pathlib.Path(folder, "models.db")) as store:
    ...         store.create_model("loans", boxwise.dumps(clf))
    ...         store.save_checkpoint("loans", 17, boxwise.dumps(clf))
    ...         store.latest_checkpoint("loans").info.position
    17
    """
    return Store(_backend(os.fspath(url)))


def _backend(url: str) -> Backend:
    scheme, found, path = url.partition("://")
    if not found:
        return SQLite(url)
    if scheme == "sqlite":
        if not path.startswith("/") or path == "/":
            raise ValueError(f"{url!r} names no file; write sqlite:///path or just the path")
        return SQLite(path[1:])
    if scheme in ("postgresql", "postgres"):
        from boxwise.database.postgresql import PostgreSQL

        return PostgreSQL(url)
    raise ValueError(
        f"a store cannot be at {scheme}://...; give the path of an SQLite file, sqlite:///path or "
        "postgresql://user@host/database"
    )


class Store:
    """Models in a database. It may be used by several threads; `open_store` makes one.

    One connection reads and one writes, so that what is read is never held up by a commit. A
    connection that is lost is opened again at the next use.

    Attributes
    ----------
    kind : str
        "sqlite" or "postgresql".
    url : str
        Where it is, without a password.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.kind, self.url = backend.kind, backend.url
        self._reading, self._writing = RLock(), RLock()
        self._reader: Connection | None = None
        self._writer: Connection | None = None
        self._held: list[str] = []
        self._writer = backend.connect()

    def close(self) -> None:
        """Close it, and let others write its models."""
        with self._writing, self._reading:
            for model in [*self._held]:
                self.release(model)
            for connection in (self._reader, self._writer):
                if connection is not None:
                    connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def hold(self, model: str) -> None:
        """Make this process the only one that writes a model, until `release` or `close`.

        Raises
        ------
        ModelInUseError
            If another process does; the error says which.
        """
        with self._writing:
            if model not in self._held:
                self._backend.hold(model, self._live_writer())
                self._held.append(model)

    def release(self, model: str) -> None:
        """Let other processes write a model."""
        with self._writing:
            if model in self._held:
                self._held.remove(model)
                self._backend.release(model, self._writer)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Write within the block; at its end all of it is on disk, after an exception nothing.

        Raises
        ------
        StoreFullError
            If there is no room.
        StoreUnavailableError
            If the database cannot be reached; see there.
        ModelInUseError
            If the connection was lost and another process writes a model now that this one held.
        """
        with self._writing:
            connection = self._live_writer()
            with connection.transaction():
                yield Transaction(connection)

    def create_model(self, name: str, data: bytes) -> None:
        """Add a model with its first checkpoint, at position 0; see `Transaction`."""
        with self.transaction() as writing:
            writing.create_model(name, data)

    def save_checkpoint(
        self,
        model: str,
        position: int,
        data: bytes,
        source: str | None = None,
        source_position: str | None = None,
    ) -> None:
        """Write a checkpoint and the position of its source in one transaction."""
        with self.transaction() as writing:
            writing.save_checkpoint(
                model, position, data, source=source, source_position=source_position
            )

    def models(self) -> list[ModelRecord]:
        """Return all models, without shadows, in the order in which they were created."""
        return self._models("shadow_of IS NULL", ())

    def model(self, name: str) -> ModelRecord:
        """Return a model or a shadow, or raise `UnknownModelError`."""
        found = self._models("name = ?", (name,))
        if not found:
            known = ", ".join(repr(one.name) for one in self.models()) or "none"
            raise UnknownModelError(f"there is no model {name!r} in {self.url}; there are {known}")
        return found[0]

    def has_model(self, name: str) -> bool:
        """Say whether there is a model or a shadow of this name."""
        return bool(self._models("name = ?", (name,)))

    def _models(self, where: str, values: tuple[str, ...]) -> list[ModelRecord]:
        rows = self._read(
            "SELECT name, version, created, shadow_of FROM boxwise_model "
            f"WHERE {where} ORDER BY created, name",
            values,
        )
        return [ModelRecord(*row) for row in rows]

    def latest_checkpoint(self, model: str) -> Checkpoint:
        """Return the one with the largest position, or raise `UnknownModelError`."""
        self.model(model)
        rows = self._read(
            f"SELECT {_INFO}, file FROM boxwise_checkpoint WHERE model = ? "
            "ORDER BY position DESC LIMIT 1",
            (model,),
        )
        return Checkpoint(_info(rows[0]), bytes(rows[0][-1]))

    def checkpoint(self, model: str, position: int) -> Checkpoint | None:
        """Return the checkpoint at a position, None if there is none."""
        rows = self._read(
            f"SELECT {_INFO}, file FROM boxwise_checkpoint WHERE model = ? AND position = ?",
            (model, position),
        )
        return Checkpoint(_info(rows[0]), bytes(rows[0][-1])) if rows else None

    def checkpoints(self, model: str) -> list[CheckpointInfo]:
        """Return the checkpoints of a model, in order of position."""
        rows = self._read(
            f"SELECT {_INFO} FROM boxwise_checkpoint WHERE model = ? ORDER BY position", (model,)
        )
        return [_info(row) for row in rows]

    def journal_since(self, model: str, position: int) -> Iterator[Entry]:
        """Yield the entries after a position, in order."""
        while True:
            rows = self._read(
                "SELECT position, at, kind, n_rows, payload FROM boxwise_journal "
                "WHERE model = ? AND position > ? ORDER BY position LIMIT ?",
                (model, position, PAGE),
            )
            for at in rows:
                yield Entry(at[0], at[1], at[2], at[3], bytes(at[4]))
            if len(rows) < PAGE:
                return
            position = rows[-1][0]

    def last_position(self, model: str) -> int:
        """Return the last position of the journal or of a checkpoint; the next one follows it."""
        rows = self._read(
            "SELECT max(position) FROM (SELECT position FROM boxwise_journal WHERE model = ? "
            "UNION ALL SELECT position FROM boxwise_checkpoint WHERE model = ?) AS every",
            (model, model),
        )
        return int(rows[0][0] or 0)

    def consumed(self, model: str, source: str) -> str | None:
        """Return up to where the rows of a source are in the model; None if none are."""
        rows = self._read(
            "SELECT position FROM boxwise_consumed WHERE model = ? AND source = ?", (model, source)
        )
        return str(rows[0][0]) if rows else None

    def prediction(self, model: str, id: str) -> Prediction | None:  # noqa: A002
        """Return a row that was predicted, None if it is not there."""
        with self._reading:
            found = self._reads(lambda reader: Transaction(reader).predictions(model, [id]))
        return found.get(id)

    def latest_predictions(self, model: str, limit: int) -> list[Prediction]:
        """Return the latest rows that were predicted, the newest first."""
        rows = self._read(
            f"SELECT {PREDICTION} FROM boxwise_prediction WHERE model = ? ORDER BY at DESC LIMIT ?",
            (model, limit),
        )
        return [to_prediction(row) for row in rows]

    def history(self, model: str, limit: int) -> list[bytes]:
        """Return the latest points of the history, in order of time."""
        rows = self._read(
            "SELECT point FROM boxwise_history WHERE model = ? ORDER BY at DESC LIMIT ?",
            (model, limit),
        )
        return [bytes(row[0]) for row in reversed(rows)]

    def _read(self, sql: str, values: tuple[object, ...]) -> list[Row]:
        with self._reading:
            return self._reads(lambda reader: reader.execute(sql, values))

    def _reads(self, read: Callable[[Connection], T]) -> T:
        """Read; once more if the connection was lost since it was last used."""
        for attempt in (1, 2):
            if self._reader is None or self._reader.broken:
                self._reader = self._backend.connect()
            try:
                return read(self._reader)
            except StoreError:
                if attempt == 2 or not self._reader.broken:
                    raise
        raise AssertionError

    def _live_writer(self) -> Connection:
        if self._writer is None or self._writer.broken:
            self._writer = None
            writer = self._backend.connect()
            try:
                for model in self._held:
                    self._backend.hold(model, writer)
            except BaseException:
                writer.close()
                raise
            self._writer = writer
        return self._writer


def _info(row: Row) -> CheckpointInfo:
    position, version, at, reason, kept, size = row[:6]
    return CheckpointInfo(position, version, at, reason, bool(kept), size)
