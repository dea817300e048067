"""Kafka topics as a source and as a sink. The only file that imports confluent_kafka.

The position is the next offset of each partition, kept in the store: partitions are assigned, not
subscribed to, and nothing is committed automatically. With ``group=`` in the address the offsets
are committed as well, for tools that show the lag; they are never read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

try:
    import confluent_kafka as kafka
    from confluent_kafka import KafkaError, KafkaException, TopicPartition
except ImportError:
    raise ImportError('kafka:// needs the client of Kafka: pip install "boxwise[kafka]"') from None

from boxwise.streams.addresses import Address
from boxwise.streams.errors import DataLostError, StreamError, UnreachableError
from boxwise.streams.message import Message, State
from boxwise.streams.payload import read_json

ANSWER_SECONDS = 5.0
LOOK_FOR_PARTITIONS = 30.0  # seconds between two looks at whether a topic has got more
PREFETCHED_KILOBYTES = 16 * 1024
_TEMPORARY = {
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._TRANSPORT,
    KafkaError._TIMED_OUT,
    KafkaError._TIMED_OUT_QUEUE,
    KafkaError._RESOLVE,
    KafkaError._MSG_TIMED_OUT,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.REQUEST_TIMED_OUT,
    KafkaError.BROKER_NOT_AVAILABLE,
    KafkaError.NOT_ENOUGH_REPLICAS,
}
_OUT_OF_RANGE = {KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE}
_ABSENT = {KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC}


class KafkaSource:
    """The messages of all partitions of a topic: a JSON object each.

    Parameters
    ----------
    address : Address
        ``kafka://user:password@host:port,host:port/topic``. ``config=FILE`` names a file of
        properties for librdkafka, ``name=value`` lines; options with a dot go there too.
    """

    typed = True

    def __init__(self, address: Address) -> None:
        self._settings = _settings(address, ("group",))
        self._topic = _topic_of(address)
        self._commits = "group" in address.options
        self._settings |= {
            "group.id": address.options.get("group", "boxwise"),
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "auto.offset.reset": "error",
            "queued.max.messages.kbytes": PREFETCHED_KILOBYTES,
            "error_cb": self._note,
        }
        self.name = address.place
        self._consumer: Any = None
        self._next: dict[str, int] = {}
        self._failed: str | None = None  # what the client reported since the last message
        self._looked = 0.0

    def open(self, state: State) -> None:
        """Connect, check that the offsets are there, and assign all partitions."""
        self.close()
        self._failed = None
        with _errors(self.name):
            self._consumer = kafka.Consumer(self._settings, logger=_SILENT)
            self._next = {str(partition): int(offset) for partition, offset in state.items()}
            partitions = self._partitions()
            gone = sorted(set(self._next) - set(map(str, partitions)))
            if gone:
                raise DataLostError(
                    f"{self.name} has no partition {', '.join(gone)} any more, which was read: the "
                    "topic was made anew",
                    {},
                )
            assigned = [self._checked(partition) for partition in partitions]
            self._consumer.assign(assigned)

    def read(self, most: int, seconds: float) -> Sequence[Message] | None:
        """Return the next messages."""
        with _errors(self.name):
            found = self._consumer.consume(1, seconds)
            if not found:
                self._look()
                return []
            if most > 1:  # what has come by now; more is not waited for
                found += self._consumer.consume(most - 1, 0)
        self._failed = None
        messages = []
        for one in found:
            if one.error() is not None:
                self._fail(one)
            key = str(one.partition())
            self._next[key] = one.offset() + 1
            payload = one.value() or b""
            row, problem = read_json(payload)
            state = {key: one.offset() + 1}
            messages.append(
                Message(f"{self._topic}-{key}-{one.offset()}", state, row, payload, problem)
            )
        return messages

    def stored(self, state: State) -> None:
        """Commit the offsets, if a group is named."""
        if self._commits and self._consumer is not None and state:
            offsets = [TopicPartition(self._topic, int(p), n) for p, n in state.items()]
            with suppress(KafkaException):  # they only serve to show the lag
                self._consumer.commit(offsets=offsets, asynchronous=True)

    def close(self) -> None:
        """Close the connection."""
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None

    def _partitions(self) -> list[int]:
        self._looked = monotonic()
        topic = self._consumer.list_topics(self._topic, ANSWER_SECONDS).topics[self._topic]
        if topic.error is not None:
            raise KafkaException(topic.error)
        return sorted(topic.partitions)

    def _checked(self, partition: int) -> TopicPartition:
        """Return where to go on in a partition, if that is still there."""
        low, high = self._consumer.get_watermark_offsets(
            TopicPartition(self._topic, partition), ANSWER_SECONDS
        )
        offset = self._next.get(str(partition))
        if offset is not None and not low <= offset <= high:
            self._lost(partition, offset, low, high)
        return TopicPartition(self._topic, partition, low if offset is None else offset)

    def _lost(self, partition: int, offset: int, low: int, high: int) -> None:
        if offset < low:
            problem = (
                f"messages {offset:,} to {low - 1:,} of partition {partition} were removed before "
                "they were read; keep more of them (retention), or read more often"
            )
        else:
            problem = (
                f"the model has learned up to message {offset - 1:,} of partition {partition}, but "
                f"it ends with {high - 1:,}: the topic was made anew, or its end was lost"
            )
        raise DataLostError(f"{self.name}: {problem}", {**self._next, str(partition): low})

    def _fail(self, message: Any) -> None:
        """Raise what an error that came in place of a message means."""
        if message.error().code() in (
            KafkaError._AUTO_OFFSET_RESET,
            KafkaError.OFFSET_OUT_OF_RANGE,
        ):
            for partition in self._partitions():
                self._checked(partition)
            raise UnreachableError(f"{self.name}: {message.error().str()}")  # it is there again
        raise KafkaException(message.error())

    def _look(self) -> None:
        """Ask for the brokers if they were said to be away, and for new partitions."""
        if self._failed is None and monotonic() - self._looked < LOOK_FOR_PARTITIONS:
            return
        new = [p for p in self._partitions() if str(p) not in self._assigned()]
        if new:
            self._consumer.incremental_assign([self._checked(partition) for partition in new])
        self._failed = None

    def _assigned(self) -> set[str]:
        return {str(one.partition) for one in self._consumer.assignment()}

    def _note(self, error: KafkaError) -> None:
        self._failed = error.str()


class KafkaSink:
    """Sends to a Kafka topic; the key of a message is that of the record.

    Parameters
    ----------
    address : Address
        As that of a source.
    """

    def __init__(self, address: Address) -> None:
        self._settings = _settings(address, ())
        self._topic = _topic_of(address)
        self._settings |= {
            "enable.idempotence": True,
            "linger.ms": 5,
            "message.timeout.ms": int(2000 * ANSWER_SECONDS),
            "error_cb": lambda error: None,
        }
        self.name = address.place
        self._producer: Any = None
        self._errors: list[KafkaError] = []

    def open(self, state: State) -> None:
        """Connect."""
        self.close()
        with _errors(self.name):
            self._producer = kafka.Producer(self._settings, logger=_SILENT)
            topic = self._producer.list_topics(self._topic, ANSWER_SECONDS).topics[self._topic]
            if topic.error is not None and topic.error.code() not in _ABSENT:
                raise KafkaException(topic.error)

    def send(self, records: Sequence[tuple[str, bytes]]) -> None:
        """Send the records and wait until all are acknowledged."""
        if self._producer is None:
            self.open({})
        self._errors.clear()
        with _errors(self.name):
            for key, content in records:
                self._produce(key, content)
            self._producer.flush()
            if self._errors:
                failed, self._producer = self._errors[0], None  # its idempotence may be broken
                raise KafkaException(failed)

    def flushed(self) -> State:
        """Return nothing: what was sent is there."""
        return {}

    def close(self) -> None:
        """Drop the connection."""
        self._producer = None

    def _produce(self, key: str, content: bytes) -> None:
        while True:
            try:
                self._producer.produce(self._topic, content, key.encode(), on_delivery=self._note)
            except BufferError:  # the queue of the client is full
                self._producer.poll(0.1)
            else:
                return

    def _note(self, error: KafkaError | None, message: Any) -> None:
        if error is not None:
            self._errors.append(error)


class _Silent:
    """A logger that drops what librdkafka logs; errors come as exceptions."""

    def log(self, *arguments: object, **named: object) -> None:
        pass


_SILENT = _Silent()


def _topic_of(address: Address) -> str:
    if not address.path or "/" in address.path:
        raise StreamError(f"{address.place} names no topic; write kafka://HOST:PORT/TOPIC")
    return address.path


def _settings(address: Address, options: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a client."""
    own = {name: text for name, text in address.options.items() if "." not in name}
    dotted = {name: text for name, text in address.options.items() if "." in name}
    Address(address.scheme, address.host, address.path, None, None, own).check_options(
        (*options, "config")
    )
    settings: dict[str, Any] = {"bootstrap.servers": address.host}
    if address.user is not None:
        settings |= {"security.protocol": "SASL_SSL", "sasl.mechanisms": "PLAIN"}
        settings |= {"sasl.username": address.user, "sasl.password": address.password or ""}
    if "config" in own:
        settings |= _properties(own["config"])
    return settings | dotted


def _properties(file: str) -> Mapping[str, str]:
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise StreamError(f"config={file} cannot be read: {error.strerror}") from None
    pairs = [line.partition("=") for line in lines if line.strip() and not line.startswith("#")]
    return {name.strip(): value.strip() for name, _, value in pairs}


@contextmanager
def _errors(place: str) -> Iterator[None]:
    """Translate the errors of the client."""
    try:
        yield
    except KafkaException as raised:
        error = raised.args[0]
        if error.code() in _ABSENT:
            raise StreamError(
                f"{place}: there is no such topic; create it, or check its name"
            ) from None
        if error.code() in _TEMPORARY or error.retriable():
            raise UnreachableError(f"{place} does not answer ({error.str()})") from None
        raise StreamError(f"{place}: {error.str()}") from None
