"""The service as a process: a socket, uvicorn, and an end that loses nothing."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from prometheus_client import disable_created_metrics

from boxwise.service.http.protocol import LimitedProtocol
from boxwise.service.service import Service

SWITCH_SECONDS = 0.0005  # after which a thread that learns lets one that answers go ahead
GRACE_SECONDS = 30
IDLE_SECONDS = 75  # of a connection: proxies end theirs after 60, and must be the first to do so


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any free one.

    Raises
    ------
    OSError
        If the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.bind((host, port))
        listening.listen(1024)
    except BaseException:
        listening.close()
        raise
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the URL at which a socket listens."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def run(
    app: FastAPI,
    listening: socket.socket,
    *,
    root_path: str = "",
    forwarded_allow_ips: str = "127.0.0.1",
    started: Callable[[], None] = lambda: None,
) -> bool:
    """Serve until SIGTERM or Ctrl-C; then answer what was sent and write checkpoints.

    Parameters
    ----------
    app : FastAPI
        What `create_app` returns.
    listening : socket
        Of `listen`.
    root_path : str
        The path under which a proxy offers the service.
    forwarded_allow_ips : str
        The proxies whose X-Forwarded headers are believed.
    started : callable
        Called when requests are answered.

    Returns
    -------
    bool
        Whether it started; what went wrong is in the log.
    """
    warnings.filterwarnings("ignore", category=UserWarning, module="boxwise")
    sys.setswitchinterval(SWITCH_SECONDS)
    disable_created_metrics()  # type: ignore[no-untyped-call]
    server = server_of(app, started, root_path=root_path, forwarded_allow_ips=forwarded_allow_ips)
    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(server.serve(sockets=[listening]))
    return server.started


def server_of(app: FastAPI, started: Callable[[], None], **more: Any) -> uvicorn.Server:
    """Return the server; in another thread than the main one it handles no signal.

    Parameters
    ----------
    app : FastAPI
        What `create_app` returns.
    started : callable
        Called when requests are answered.
    more
        For the configuration of uvicorn.
    """
    config = uvicorn.Config(
        app,
        http=LimitedProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # the guard writes a line without queries and headers
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=IDLE_SECONDS,
        **more,
    )
    return _Server(config, app.state.service, started)


class _Server(uvicorn.Server):
    """Ends the streams of events when it is to stop, and is itself not killed by the signal."""

    def __init__(
        self, config: uvicorn.Config, service: Service, started: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._service, self._tell = service, started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Load the models and begin to answer."""
        await super().startup(sockets)
        if self.started and not self.should_exit:
            self._tell()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Stop at SIGTERM and Ctrl-C, without raising them again at the end."""
        in_main = threading.current_thread() is threading.main_thread()
        signals = (signal.SIGINT, signal.SIGTERM) if in_main else ()
        before = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop; a second Ctrl-C does not wait for those who are being answered."""
        super().handle_exit(sig, frame)
        self._service.end_streams()


def set_up_logs(level: int) -> None:
    """Write the logs of the service to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for name in ("boxwise.service", "boxwise.access", "uvicorn.error"):
        log = logging.getLogger(name)
        log.handlers = [handler]
        log.propagate = False
        log.setLevel(level if name == "boxwise.access" else max(level, logging.WARNING))
