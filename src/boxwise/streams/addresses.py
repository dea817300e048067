"""URLs of sources and sinks, and which class reads or writes which."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from boxwise.streams.errors import StreamError
from boxwise.streams.message import Sink, Source

REDIS = ("redis", "rediss")
_FORMS = (
    "csv:FILE, csv:- (standard input), redis://HOST:PORT/DB?stream=NAME, "
    "kafka://HOST:PORT/TOPIC or nats://HOST:PORT/SUBJECT"
)
_VARIABLE = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True)
class Address:
    """A URL, in parts.

    Attributes
    ----------
    scheme, host, path : str
        As in ``scheme://user:password@host/path?name=value``; hosts may be several with commas.
    user, password : str or None
        Decoded.
    options : dict
        What comes after the question mark.
    """

    scheme: str
    host: str
    path: str
    user: str | None
    password: str | None
    options: dict[str, str]

    @property
    def place(self) -> str:
        """The URL without user, password and options."""
        return f"{self.scheme}://{self.host}/{self.path}"

    def check_options(self, known: Iterable[str]) -> None:
        """Raise StreamError for an option that is not among these."""
        known = [*known]
        for name in self.options:
            if name not in known:
                raise StreamError(
                    f"{self.place} has no option {name!r}; there are {', '.join(known)}"
                )

    def number(self, name: str) -> int | None:
        """Return an option that is a whole number, None if it is not given."""
        text = self.options.get(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdigit()):
            raise StreamError(f"{self.place}: {name}={text} is not a whole number")
        return int(text)


def parse_address(url: str) -> Address:
    """Return the parts of a URL; ``${NAME}`` stands for a variable of the environment.

    Examples
    --------
    >>> address = parse_address("redis://:secret@host:6379/0?stream=rows")
    >>> address.place, address.password, address.options
    ('redis://host:6379/0', 'secret', {'stream': 'rows'})
    """
    filled = _VARIABLE.sub(lambda found: _variable(found[1]), url)
    parts = urlsplit(filled)
    login, at, host = parts.netloc.rpartition("@")
    user, colon, password = login.partition(":")
    if not host:
        raise StreamError(f"{_hidden(filled)} names no host; write {_FORMS}")
    try:
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise StreamError(
            f"{parts.scheme}://{host}{parts.path}: the options after ? are written "
            "name=value&name=value"
        ) from None
    return Address(
        parts.scheme,
        host,
        unquote(parts.path.strip("/")),
        unquote(user) if at and user else None,
        unquote(password) if colon else None,
        dict(pairs),
    )


def open_source(url: str) -> Source:
    """Return the source that a URL names; nothing is connected yet.

    Parameters
    ----------
    url : str
        ``csv:FILE``, ``csv:-``, ``redis://``, ``kafka://`` or ``nats://``.

    Returns
    -------
    Source

    Raises
    ------
    StreamError
        If the URL is none of these, or lacks something.
    ImportError
        If the client of the server is not installed.
    """
    if url.startswith("csv:"):
        from boxwise.streams.csv_rows import CsvSource

        return CsvSource(url.removeprefix("csv:"))
    scheme = url.partition("://")[0]
    if scheme in REDIS:
        from boxwise.streams.redis_streams import RedisSource

        return RedisSource(parse_address(url))
    if scheme == "kafka":
        from boxwise.streams.kafka_topics import KafkaSource

        return KafkaSource(parse_address(url))
    if scheme == "nats":
        from boxwise.streams.nats_streams import NatsSource

        return NatsSource(parse_address(url))
    raise StreamError(f"{_hidden(url)} is no stream; write {_FORMS}")


def open_sink(target: str) -> Sink:
    """Return the sink that a URL or a path names; nothing is connected yet.

    Parameters
    ----------
    target : str
        A path of a file, ``-`` for standard output, ``redis://``, ``kafka://`` or ``nats://``.
    """
    scheme, found, _ = target.partition("://")
    if not found:
        from boxwise.streams.file_lines import FileSink

        return FileSink(target)
    if scheme in REDIS:
        from boxwise.streams.redis_streams import RedisSink

        return RedisSink(parse_address(target))
    if scheme == "kafka":
        from boxwise.streams.kafka_topics import KafkaSink

        return KafkaSink(parse_address(target))
    if scheme == "nats":
        from boxwise.streams.nats_streams import NatsSink

        return NatsSink(parse_address(target))
    raise StreamError(
        f"results cannot go to {_hidden(target)}; give a file, - or a redis://, kafka:// or "
        "nats:// address"
    )


def _variable(name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise StreamError(f"the address has ${{{name}}}, but there is no such variable; set it")
    return value


def _hidden(url: str) -> str:
    """Return a URL without what may be a password."""
    return re.sub(r"//[^/@]*@", "//", url)
