"""The messages of a stream, and what a source of them and a sink for results must offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

State: TypeAlias = Mapping[str, Any]
"""How far a source was read, as JSON can hold it; ``{}`` is the beginning."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a stream: a row, or the reason why it is none.

    Attributes
    ----------
    key : str
        Identifies the message in its stream; the same each time it is read.
    state : mapping
        What this message changes in the state of the source. The states of all messages up to
        one, put together in order, are where reading goes on after it.
    row : mapping or None
        The columns, the label among them. None if the payload cannot be read.
    payload : bytes, str or mapping
        What the message held, for the dead letters.
    problem : str, optional
        Why the payload cannot be read.
    """

    key: str
    state: State
    row: Mapping[str, object] | None
    payload: bytes | str | Mapping[str, object]
    problem: str | None = None


@runtime_checkable
class Source(Protocol):
    """A stream of rows that can be read again from any state.

    Attributes
    ----------
    name : str
        Identifies the source in the store. Without passwords.
    typed : bool
        Whether values have types, as in JSON. If not, all are text, and a column is numeric if its
        texts are numbers.
    """

    name: str
    typed: bool

    def open(self, state: State) -> None:
        """Begin to read after the messages that led to this state; called again after an error.

        Raises `UnreachableError` if the server does not answer, and `DataLostError` if messages
        after the state are not there any more.
        """

    def read(self, most: int, seconds: float) -> Sequence[Message] | None:
        """Return the next messages, waiting so many seconds for the first; None at the end.

        Raises as `open` does.
        """

    def stored(self, state: State) -> None:
        """Take note that everything up to this state is in the store."""

    def close(self) -> None:
        """Close the connection."""


class Sink(Protocol):
    """A place for results.

    Attributes
    ----------
    name : str
        How messages call it.
    """

    name: str

    def open(self, state: State) -> None:
        """Get ready to write; `state` is what `flushed` returned for the last checkpoint."""

    def send(self, records: Sequence[tuple[str, bytes]]) -> None:
        """Write records, each a key and JSON; return once all of them are kept.

        Raises `UnreachableError` if the server does not answer; the records are then sent again.
        """

    def flushed(self) -> State:
        """Make what was sent durable, and return what `open` needs to go on after it."""

    def close(self) -> None:
        """Close it."""
