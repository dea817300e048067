"""NATS JetStream as a source and as a sink. The only file that imports nats.

The position is the sequence number of the last message in its stream. Messages are pulled by a
consumer that the server forgets with the connection and that acknowledges nothing; what its numbers
show to be missing is read again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

try:
    import nats
    from nats import errors as client_errors
    from nats.js import api
    from nats.js import errors as stream_errors
except ImportError:
    raise ImportError('nats:// needs the client of NATS: pip install "boxwise[nats]"') from None

from boxwise.streams.addresses import Address
from boxwise.streams.errors import DataLostError, StreamError, UnreachableError
from boxwise.streams.message import Message, State
from boxwise.streams.payload import read_json

ANSWER_SECONDS = 5.0
FORGET_CONSUMER = 300.0  # seconds after which the server forgets a consumer that asks for nothing
AT_ONCE = 500  # messages sent before their acknowledgements are waited for
_AWAY = (
    client_errors.NoServersError,
    client_errors.ConnectionClosedError,
    client_errors.StaleConnectionError,
    client_errors.TimeoutError,
    client_errors.OutboundBufferLimitError,
    client_errors.UnexpectedEOF,
    OSError,
    asyncio.TimeoutError,
)

T = TypeVar("T")


class _Connection:
    """A connection and the loop in which it lives; the loop runs only while it is waited for."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._loop = asyncio.new_event_loop()
        self._client: Any = None
        self.stream: Any = None
        self._refusal: Exception | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for some work."""
        return self._loop.run_until_complete(work)

    @property
    def closed(self) -> bool:
        """Whether it is of no more use."""
        return self._client is None or self._client.is_closed or not self._client.is_connected

    async def connect(self) -> None:
        """Connect; it is not repaired by itself."""
        address, options = self._address, self._address.options
        login = {"user": address.user, "password": address.password}
        if address.user is not None and address.password is None:
            login = {"token": address.user}
        if "creds" in options:
            login = {"user_credentials": options["creds"]}
        try:
            self._client = await nats.connect(
                servers=[f"nats://{host}" for host in address.host.split(",")],
                allow_reconnect=False,
                connect_timeout=ANSWER_SECONDS,
                max_reconnect_attempts=1,
                reconnect_time_wait=0.1,
                error_cb=self._note,
                **login,
            )
        except client_errors.NoServersError:
            if self._refusal is not None and "uthorization" in str(self._refusal):
                raise StreamError(f"{address.place}: {self._refusal}; check the login") from None
            raise
        self.stream = self._client.jetstream(timeout=ANSWER_SECONDS)

    def close(self) -> None:
        """Close it and its loop."""
        if self._loop.is_closed():
            return
        with suppress(Exception):
            if self._client is not None:
                self.run(asyncio.wait_for(self._client.close(), 1.0))
        with suppress(Exception):
            self.run(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _note(self, error: Exception) -> None:
        self._refusal = error


class NatsSource:
    """The messages of a subject in a JetStream stream: a JSON object each.

    Parameters
    ----------
    address : Address
        ``nats://user:password@host:port/subject``, with the name of the stream as ``stream=NAME``
        unless the subject tells it; ``creds=FILE`` names a file of credentials.
    """

    typed = True

    def __init__(self, address: Address) -> None:
        address.check_options(("stream", "creds"))
        self._address, self._subject = address, _subject_of(address)
        self._stream = address.options.get("stream")
        self.name = address.place + (f"?stream={self._stream}" if self._stream else "")
        self._connection: _Connection | None = None
        self._subscription: Any = None
        self._sequence, self._delivered = 0, 0

    def open(self, state: State) -> None:
        """Connect, check that the position is there, and begin after it."""
        self.close()
        self._sequence = int(state.get("sequence", 0))
        self._connection = _Connection(self._address)
        with _errors(self.name):
            self._connection.run(self._subscribe())

    def read(self, most: int, seconds: float) -> Sequence[Message] | None:
        """Return the next messages."""
        assert self._connection is not None
        with _errors(self.name):
            if self._connection.closed:
                raise client_errors.ConnectionClosedError
            return [*self._messages(self._connection.run(self._fetch(most, seconds)))]

    def stored(self, state: State) -> None:
        """Do nothing: messages are not acknowledged."""

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = self._subscription = None

    async def _subscribe(self) -> None:
        assert self._connection is not None
        await self._connection.connect()
        jetstream = self._connection.stream
        if self._stream is None:
            self._stream = await jetstream.find_stream_name_by_subject(self._subject)
        state = (await jetstream.stream_info(self._stream)).state
        self._check(state.first_seq, state.last_seq)
        policy = api.DeliverPolicy.BY_START_SEQUENCE if self._sequence else api.DeliverPolicy.ALL
        config = api.ConsumerConfig(
            deliver_policy=policy,
            opt_start_seq=self._sequence + 1 if self._sequence else None,
            ack_policy=api.AckPolicy.NONE,
            inactive_threshold=FORGET_CONSUMER,
        )
        self._subscription = await jetstream.pull_subscribe(
            self._subject, stream=self._stream, config=config
        )
        self._delivered = 0

    def _check(self, first: int, last: int) -> None:
        if not self._sequence:
            return
        if last < self._sequence:
            raise DataLostError(
                f"{self.name}: the model has learned up to message {self._sequence:,}, but the "
                f"last one is {last:,}: the stream was made anew, or the server lost its end",
                {},
            )
        if first > self._sequence + 1:
            raise DataLostError(
                f"{self.name}: messages {self._sequence + 1:,} to {first - 1:,} of the stream "
                f"{self._stream} were removed before they were read; keep more of them (limits of "
                "the stream), or read more often",
                {"sequence": first - 1},
            )

    async def _fetch(self, most: int, seconds: float) -> list[Any]:
        try:
            found: list[Any] = await self._subscription.fetch(most, timeout=seconds)
        except client_errors.TimeoutError:
            return []
        if found and found[-1].metadata.sequence.stream - self._sequence > len(found):
            # Either there are other subjects in the stream, or its beginning was removed.
            assert self._connection is not None
            state = (await self._connection.stream.stream_info(self._stream)).state
            self._check(state.first_seq, state.last_seq)
        return found

    def _messages(self, found: Sequence[Any]) -> Iterator[Message]:
        for one in found:
            number = one.metadata.sequence
            if number.consumer != self._delivered + 1:
                raise UnreachableError(f"{self.name}: messages were lost on the way")
            self._delivered, self._sequence = number.consumer, number.stream
            row, problem = read_json(one.data)
            yield Message(
                f"{self._stream}-{number.stream}",
                {"sequence": number.stream},
                row,
                one.data,
                problem,
            )


class NatsSink:
    """Publishes to a subject that a JetStream stream stores.

    The key is the Nats-Msg-Id, so that the stream drops a repeat within its duplicate window.

    Parameters
    ----------
    address : Address
        ``nats://user:password@host:port/subject``.
    """

    def __init__(self, address: Address) -> None:
        address.check_options(("creds",))
        self._address, self._subject = address, _subject_of(address)
        self.name = address.place
        self._connection: _Connection | None = None

    def open(self, state: State) -> None:
        """Connect."""
        self.close()
        connection = self._connection = _Connection(self._address)
        with _errors(self.name):
            connection.run(connection.connect())

    def send(self, records: Sequence[tuple[str, bytes]]) -> None:
        """Publish the records and wait until all are acknowledged."""
        if self._connection is None or self._connection.closed:
            self.open({})
        assert self._connection is not None
        with _errors(self.name):
            for begin in range(0, len(records), AT_ONCE):
                part = records[begin : begin + AT_ONCE]
                self._connection.run(self._publish(self._connection.stream, part))

    def flushed(self) -> State:
        """Return nothing: what was sent is there."""
        return {}

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    async def _publish(self, jetstream: Any, records: Sequence[tuple[str, bytes]]) -> None:
        await asyncio.gather(
            *(
                jetstream.publish(self._subject, content, headers={"Nats-Msg-Id": key})
                for key, content in records
            )
        )


def _subject_of(address: Address) -> str:
    if not address.path or "/" in address.path:
        raise StreamError(f"{address.place} names no subject; write nats://HOST:PORT/SUBJECT")
    return address.path


@contextmanager
def _errors(place: str) -> Iterator[None]:
    """Translate the errors of the client."""
    try:
        yield
    except stream_errors.ServiceUnavailableError as error:
        raise UnreachableError(f"{place} is not ready ({error})") from None
    except stream_errors.NoStreamResponseError:
        raise StreamError(
            f"{place}: no stream of JetStream stores this subject; create one, and start the "
            "server with JetStream (-js)"
        ) from None
    except stream_errors.NotFoundError:
        raise StreamError(
            f"{place}: there is no such stream; create it, or check its name and the subject"
        ) from None
    except client_errors.NoRespondersError as error:
        raise UnreachableError(f"{place}: JetStream does not answer ({error})") from None
    except _AWAY as error:
        reason = str(error) or type(error).__name__
        raise UnreachableError(f"{place} does not answer ({reason})") from None
    except (client_errors.Error, stream_errors.Error) as error:
        raise StreamError(f"{place}: {error}") from None
