"""Stopping breaks off a wait for data, and loses none that were read."""

import io
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from boxwise.files import ReadingStopped, Stop

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="signals are different there")


class AskedAtTheEnd(io.FileIO):
    """A pipe; the signal comes when data were taken from it and not yet handed over."""

    def __init__(self, handle: int, stop: Stop) -> None:
        super().__init__(handle)
        self.stop = stop

    def read(self, size: int | None = -1) -> bytes | None:
        data = super().read(size)
        self.stop.request()
        return data


@posix
def test_stop_does_not_lose_data_that_were_taken() -> None:
    reader, writer = os.pipe()
    stop = Stop()
    os.write(writer, b"rows")
    with AskedAtTheEnd(reader, stop) as file:
        assert stop.read(file, 100) == b"rows"
        with pytest.raises(ReadingStopped):
            stop.read(file, 100)
    os.close(writer)


@posix
def test_stop_breaks_off_a_wait_for_data() -> None:
    reader, writer = os.pipe()
    stop = Stop()
    before = signal.signal(signal.SIGUSR1, lambda *_: stop.request())

    def send() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGUSR1)

    sender = threading.Thread(target=send)
    try:
        sender.start()
        with io.FileIO(reader) as file, pytest.raises(ReadingStopped):
            stop.read(file, 100)
    finally:
        sender.join()
        signal.signal(signal.SIGUSR1, before)
        os.close(writer)


def test_stop_reads_files_and_what_only_looks_like_one(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"rows")
    with path.open("rb", buffering=0) as file:
        assert [Stop().read(file, 3), Stop().read(file, 3), Stop().read(file, 3)] == [
            b"row",
            b"s",
            b"",
        ]
    assert Stop().read(io.BytesIO(b"rows"), 3) == b"row"
