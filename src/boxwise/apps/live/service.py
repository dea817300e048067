"""The service as a process of its own, started again on the same port and store if it dies."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic, sleep

READY_WITHIN = 60.0  # seconds
ENDS_WITHIN = 15.0  # seconds, after SIGTERM
LOOK = 0.05  # seconds between two looks at whether it is ready


class ServiceError(Exception):
    """The service cannot be started."""


def free_port() -> int:
    """Return a port of the loopback address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class LiveService:
    """`boxwise serve` on a loopback port.

    Parameters
    ----------
    arguments : sequence of str
        Of ``boxwise serve``, all but host and port.
    port : int
        The port.
    log : Path
        The file for what it prints.
    restarted : callable
        Called with the new process's id after it was started again.
    """

    def __init__(
        self, arguments: Sequence[str], *, port: int, log: Path, restarted: Callable[[int], None]
    ) -> None:
        self.port = port
        self._arguments, self._log, self._restarted = arguments, log, restarted
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process that runs now."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        self._spawn()
        if not self._becomes_ready():
            lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            said = "\n".join(lines[-5:]) or "it says nothing"
            raise ServiceError(f"the service does not start: {said}")

    def keep_running(self) -> None:
        """Start it again if it has ended."""
        if self._process is not None and self._process.poll() is not None:
            self.start()
            self._restarted(self._process.pid)

    def stop(self) -> None:
        """End it, gracefully if it does so in time."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _spawn(self) -> None:
        place = ["--host", "127.0.0.1", "--port", str(self.port)]
        command = [sys.executable, "-m", "boxwise.apps", "serve", *self._arguments, *place]
        with self._log.open("ab") as log:
            # A session of its own: Ctrl-C is for `live`, which ends the service in order.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={name: x for name, x in os.environ.items() if name != "BOXWISE_TOKENS"},
                start_new_session=True,
            )

    def _becomes_ready(self) -> bool:
        until = monotonic() + READY_WITHIN
        while monotonic() < until and self._process is not None and self._process.poll() is None:
            if self._is_ready():
                return True
            sleep(LOOK)
        self.stop()
        return False

    def _is_ready(self) -> bool:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()
