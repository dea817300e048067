"""What a database must offer to hold a store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Row = tuple[Any, ...]


class Connection(Protocol):
    """One connection. SQL has ``?`` for values. It is used by one thread at a time.

    Every method raises `StoreError` or one of its subclasses.
    """

    @property
    def broken(self) -> bool:
        """Whether it is of no more use."""

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run a statement and return its rows."""

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""

    def transaction(self) -> AbstractContextManager[None]:
        """Commit at the end of the block, durably; after an exception keep nothing."""

    def close(self) -> None:
        """Close it."""


class Backend(Protocol):
    """A kind of database.

    Attributes
    ----------
    kind : str
        "sqlite" or "postgresql".
    url : str
        Where it is, without a password.
    """

    kind: str
    url: str

    def connect(self) -> Connection:
        """Open a connection; the tables are there."""

    def hold(self, model: str, connection: Connection) -> None:
        """Make this process the one that writes the model, or raise `ModelInUseError`.

        `connection` is the one that writes.
        """

    def release(self, model: str, connection: Connection | None) -> None:
        """Let others write the model."""
