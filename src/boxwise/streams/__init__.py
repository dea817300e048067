"""Learning from streams as they come, each row exactly once: CSV, Redis, Kafka, NATS, Python."""

from boxwise.streams.addresses import open_sink, open_source
from boxwise.streams.errors import (
    DataLostError,
    RefusedRowError,
    StreamError,
    StreamStopped,
    UnreachableError,
)
from boxwise.streams.learning import learn
from boxwise.streams.message import Message, Sink, Source, State

__all__ = [
    "DataLostError",
    "Message",
    "RefusedRowError",
    "Sink",
    "Source",
    "State",
    "StreamError",
    "StreamStopped",
    "UnreachableError",
    "learn",
    "open_sink",
    "open_source",
]
