"""Redis streams as a source and as a sink. The only file that imports redis.

The position is the id of the last entry that was read, with its ordinal number among all entries
that were ever added. When entries were trimmed, the ordinal number of the first one that is left
tells whether any were lost. Redis tells these numbers since version 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.exceptions import (
        AuthenticationError,
        AuthorizationError,
        ConnectionError,  # noqa: A004  (its name there)
        OutOfMemoryError,
        ReadOnlyError,
        RedisError,
        ResponseError,
        TimeoutError,  # noqa: A004
    )
    from redis.retry import Retry
except ImportError:
    raise ImportError('redis:// needs the client of Redis: pip install "boxwise[redis]"') from None

from boxwise.streams.addresses import Address
from boxwise.streams.errors import DataLostError, StreamError, UnreachableError
from boxwise.streams.message import Message, State
from boxwise.streams.payload import read_json

ANSWER_SECONDS = 10.0  # for an answer that needs no waiting
BEGINNING = "0-0"
_TEMPORARY = ("LOADING", "MISCONF", "MASTERDOWN", "TRYAGAIN")  # errors without a class

_Entry: TypeAlias = tuple[bytes, dict[bytes, bytes] | None]


class RedisSource:
    """The entries of a Redis stream: plain fields, or JSON in one field.

    Parameters
    ----------
    address : Address
        ``redis://user:password@host:port/db?stream=NAME``, ``rediss://`` for TLS. With
        ``field=NAME`` the row is a JSON object in this field.
    """

    def __init__(self, address: Address) -> None:
        address.check_options(("stream", "field"))
        self._address = address
        self._stream = _stream_of(address)
        self._field = address.options.get("field")
        self.typed = self._field is not None
        self.name = f"{address.place}?stream={self._stream}"
        self._client: Any = None
        self._id, self._entry = BEGINNING, 0  # type: tuple[str, int | None]
        self._known = False  # whether the stream is known to exist

    def open(self, state: State) -> None:
        """Connect, and begin after an entry."""
        self.close()
        self._client = _connected(self._address)
        self._id = str(state.get("id", BEGINNING))
        self._entry = state.get("entry", 0) if "id" not in state else state.get("entry")
        with _errors(self.name):
            self._next(1)

    def read(self, most: int, seconds: float) -> Sequence[Message] | None:
        """Return the next entries."""
        with _errors(self.name):
            entries, info = self._next(most)
            if not entries:
                if self._client.xread({self._stream: self._id}, 1, max(1, int(1000 * seconds))):
                    entries, info = self._next(most)
                else:
                    return []
        return [*self._messages(entries, info)]

    def stored(self, state: State) -> None:
        """Do nothing: there is no consumer group."""

    def close(self) -> None:
        """Close the connection."""
        _close(self._client)
        self._client = None

    def _next(self, most: int) -> tuple[list[_Entry], _Info]:
        """Return the next entries and what the stream was at that very moment."""
        both = self._client.pipeline(transaction=True)
        both.xinfo_stream(self._stream)
        both.xread({self._stream: self._id}, most)
        info, found = both.execute(raise_on_error=False)
        if isinstance(info, ResponseError) and "no such key" in str(info):
            if self._id != BEGINNING:
                raise DataLostError(
                    f"{self.name}: the stream is gone, and entries after {self._id} with it; it "
                    "was deleted, or the server lost its data",
                    {},
                )
            return [], _Info({})
        for answer in (info, found):
            if isinstance(answer, Exception):
                raise answer
        known = _Info(info)
        self._check(known)
        streams = found.items() if isinstance(found, Mapping) else found or ()
        entries: list[Any] = next((entries for _, entries in streams), [])
        # The third protocol of Redis nests the entries once more.
        return (entries[0] if entries and isinstance(entries[0], list) else entries), known

    def _check(self, info: _Info) -> None:
        """Raise DataLostError if entries after the position are not there any more."""
        if self._id == BEGINNING:
            return
        if _order(info.last) < _order(self._id):
            raise DataLostError(
                f"{self.name}: the model has learned up to entry {self._id}, but the last one is "
                f"{info.last}: the stream was replaced, or the server lost its end (appendfsync "
                "always prevents that)",
                {},
            )
        first = info.first_ordinal
        if self._entry is None or first is None or _order(info.first) <= _order(self._id):
            return
        lost = first - self._entry - 1
        if lost > 0:
            raise DataLostError(
                f"{self.name}: {lost:,} entries after {self._id} were trimmed from the stream "
                "before they were read; keep more of it (MAXLEN), or read more often",
                {"id": self._id, "entry": first - 1},
            )

    def _messages(self, entries: Sequence[_Entry], info: _Info) -> Iterator[Message]:
        if entries and entries[0][0].decode() == info.first and info.first_ordinal is not None:
            self._entry = info.first_ordinal - 1
        elif _order(info.deleted) > _order(self._id):  # entries in between cannot be counted
            self._entry = None
        for raw, fields in entries:
            self._id = raw.decode()
            self._entry = None if self._entry is None else self._entry + 1
            if self._id == info.last:
                self._entry = info.added
            state: dict[str, Any] = {"id": self._id, "entry": self._entry}
            yield self._message(state, fields or {})

    def _message(self, state: State, fields: dict[bytes, bytes]) -> Message:
        payload: dict[str, object] = {
            name.decode(errors="backslashreplace"): value.decode(errors="backslashreplace")
            for name, value in fields.items()
        }
        row: Mapping[str, object] | None = payload
        problem: str | None = None
        if self._field is not None:
            content = fields.get(self._field.encode())
            if content is None:
                there = ", ".join(map(repr, payload)) or "none"
                row, problem = None, f"the entry has no field {self._field!r}; it has {there}"
            else:
                row, problem = read_json(content)
        elif not all(map(_is_text, fields.values())):
            name = next(name for name, value in fields.items() if not _is_text(value)).decode()
            row, problem = None, f"column {name!r} is not UTF-8; encode it as UTF-8"
        return Message(state["id"], state, row, payload, problem)


class RedisSink:
    """Appends to a Redis stream: entries with the fields ``key`` and ``json``.

    Parameters
    ----------
    address : Address
        As that of a source; ``maxlen=N`` keeps about the last N entries only.
    """

    def __init__(self, address: Address) -> None:
        address.check_options(("stream", "maxlen"))
        self._address, self._stream = address, _stream_of(address)
        self._maxlen = address.number("maxlen")
        self.name = f"{address.place}?stream={self._stream}"
        self._client: Any = None

    def open(self, state: State) -> None:
        """Connect."""
        self.close()
        self._client = _connected(self._address)

    def send(self, records: Sequence[tuple[str, bytes]]) -> None:
        """Append the records in one round trip."""
        if self._client is None:
            self.open({})
        with _errors(self.name):
            pipeline = self._client.pipeline(transaction=False)
            for key, content in records:
                pipeline.xadd(self._stream, {"key": key, "json": content}, maxlen=self._maxlen)
            for answer in pipeline.execute(raise_on_error=False):
                if isinstance(answer, Exception):
                    raise answer

    def flushed(self) -> State:
        """Return nothing: what was sent is there."""
        return {}

    def close(self) -> None:
        """Close the connection."""
        _close(self._client)
        self._client = None


class _Info:
    """What XINFO STREAM tells; empty for a stream that is not there yet."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.length = int(found.get("length", 0))
        self.last = _text(found.get("last-generated-id", BEGINNING))
        self.deleted = _text(found.get("max-deleted-entry-id", BEGINNING))
        self.added = None if "entries-added" not in found else int(found["entries-added"])
        first = found.get("first-entry")
        self.first = BEGINNING if not first else _text(first[0])
        if not self.length:  # the next entry will be the first
            milliseconds, number = _order(self.last)
            self.first = f"{milliseconds}-{number + 1}"

    @property
    def first_ordinal(self) -> int | None:
        """The number of the first entry among all ever added, unless later ones were deleted."""
        if self.added is None or _order(self.deleted) >= _order(self.first):
            return None
        return self.added - self.length + 1


def _stream_of(address: Address) -> str:
    stream = address.options.get("stream")
    if not stream:
        raise StreamError(f"{address.place} names no stream; add ?stream=NAME")
    return stream


def _connected(address: Address) -> Any:
    if address.path and not address.path.isdigit():
        raise StreamError(
            f"{address.place}: the path is the number of the database, such as /0; the stream is "
            "given as ?stream=NAME"
        )
    client = redis.Redis.from_url(
        address.place,
        username=address.user,
        password=address.password,
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),  # `Patience` does that
    )
    with _errors(address.place):
        client.ping()
    return client


def _close(client: Any) -> None:
    if client is not None:
        with suppress(RedisError, OSError):
            client.close()


@contextmanager
def _errors(place: str) -> Iterator[None]:
    """Translate the errors of the client."""
    try:
        yield
    except (AuthenticationError, AuthorizationError) as error:
        raise StreamError(f"{place}: {error}; check user and password") from None
    except (ConnectionError, TimeoutError) as error:
        raise UnreachableError(f"{place} does not answer ({error})") from None
    except ResponseError as error:
        refuses = isinstance(error, OutOfMemoryError | ReadOnlyError)
        if refuses or str(error).startswith(_TEMPORARY):
            raise UnreachableError(f"{place} refuses for now ({error})") from None
        raise StreamError(f"{place}: {error}") from None
    except RedisError as error:
        raise StreamError(f"{place}: {error}") from None


def _order(identity: str) -> tuple[int, int]:
    milliseconds, _, number = identity.partition("-")
    return int(milliseconds), int(number or 0)


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
