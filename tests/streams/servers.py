"""Real servers, started by the tests on the loopback interface, with their data on the disk."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 20.0  # seconds for a server to start


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server(ABC):
    """A program that listens on a port; killed and started again, it has its data still."""

    program = ""

    def __init__(self, folder: Path) -> None:
        if shutil.which(self.program) is None:
            pytest.skip(f"{self.program} is not installed (Debian's package {self.program})")
        self.folder, self.port = folder, free_port()
        folder.mkdir(parents=True, exist_ok=True)
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def command(self) -> list[str]:
        """Return the command that starts it."""

    def start(self) -> None:
        """Start it and wait until it listens."""
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(self.command(), stdout=log, stderr=log)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1):
                    return
            except OSError:
                assert time.monotonic() < until, (self.folder / "server.log").read_text()
                time.sleep(0.02)

    def kill(self) -> None:
        """Kill it without a chance to write anything."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)
            self._process = None


class RedisServer(Server):
    """Redis that syncs its append-only file at every command."""

    program = "redis-server"

    def command(self) -> list[str]:
        return [
            self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
            "--appendonly", "yes", "--appendfsync", "always", "--dir", str(self.folder),
        ]  # fmt: skip

    def url(self, stream: str, **options: str) -> str:
        more = "".join(f"&{name}={value}" for name, value in options.items())
        return f"redis://127.0.0.1:{self.port}/0?stream={stream}{more}"

    def name(self, stream: str) -> str:
        """Return the name of the source in a store."""
        return f"redis://127.0.0.1:{self.port}/0?stream={stream}"

    def client(self) -> Any:
        import redis

        return redis.Redis(port=self.port)

    def add(self, stream: str, rows: list[dict[str, Any]], *, as_json: bool = True) -> list[str]:
        """Append rows; return their ids."""
        pipeline = self.client().pipeline(transaction=False)
        for row in rows:
            pipeline.xadd(stream, {"row": json.dumps(row)} if as_json else row)
        return [one.decode() for one in pipeline.execute()]


class NatsServer(Server):
    """NATS with JetStream in a folder."""

    program = "nats-server"

    def command(self) -> list[str]:
        return [
            self.program, "-js", "-sd", str(self.folder), "-a", "127.0.0.1", "-p", str(self.port),
        ]  # fmt: skip

    def url(self, subject: str, **options: str) -> str:
        more = "&".join(f"{name}={value}" for name, value in options.items())
        return f"nats://127.0.0.1:{self.port}/{subject}" + (f"?{more}" if more else "")

    def create(self, stream: str, subjects: list[str], **limits: Any) -> None:
        self.run(lambda js: js.add_stream(name=stream, subjects=subjects, **limits))

    def publish(self, subject: str, payloads: list[bytes]) -> None:
        async def work(js: Any) -> None:
            for begin in range(0, len(payloads), 500):
                part = payloads[begin : begin + 500]
                await asyncio.gather(*(js.publish(subject, one) for one in part))

        self.run(work)

    def read(self, stream: str, subject: str) -> list[dict[str, Any]]:
        async def work(js: Any) -> list[dict[str, Any]]:
            found = []
            last = (await js.stream_info(stream)).state.last_seq
            for number in range(1, last + 1):
                message = await js.get_msg(stream, number)
                if message.subject == subject:
                    found.append(json.loads(message.data))
            return found

        return self.run(work)

    def run(self, work: Any) -> Any:
        """Run work with JetStream."""
        import nats

        async def connected() -> Any:
            client = await nats.connect(f"nats://127.0.0.1:{self.port}")
            try:
                return await work(client.jetstream(timeout=PATIENCE))
            finally:
                await client.close()

        return asyncio.run(connected())


class KafkaMock:
    """The mock cluster of librdkafka, which lives in a client in this process; no real broker."""

    def __init__(self) -> None:
        import confluent_kafka

        self._kafka = confluent_kafka
        self.producer = confluent_kafka.Producer({"test.mock.num.brokers": 1})
        (broker,) = self.producer.list_topics(timeout=PATIENCE).brokers.values()
        self.address = f"{broker.host}:{broker.port}"

    def url(self, topic: str, **options: str) -> str:
        more = "&".join(f"{name}={value}" for name, value in options.items())
        return f"kafka://{self.address}/{topic}" + (f"?{more}" if more else "")

    def send(self, topic: str, payloads: list[bytes], partition: int = 0) -> None:
        for one in payloads:
            self.producer.produce(topic, one, partition=partition)
            self.producer.poll(0)
        assert self.producer.flush(PATIENCE) == 0

    def read(self, topic: str) -> list[tuple[str, dict[str, Any]]]:
        """Return the keys and the records of a topic."""
        consumer = self._kafka.Consumer({"bootstrap.servers": self.address, "group.id": "test"})
        partitions = consumer.list_topics(topic, PATIENCE).topics[topic].partitions
        ends = {
            partition: consumer.get_watermark_offsets(
                self._kafka.TopicPartition(topic, partition), PATIENCE
            )
            for partition in partitions
        }
        consumer.assign(
            [
                self._kafka.TopicPartition(topic, p, low)
                for p, (low, high) in ends.items()
                if high > low
            ]
        )
        n = sum(high - low for low, high in ends.values())
        found: list[tuple[str, dict[str, Any]]] = []
        while len(found) < n:
            message = consumer.poll(PATIENCE)
            assert message is not None and message.error() is None
            found.append((message.key().decode(), json.loads(message.value())))
        consumer.close()
        return found
