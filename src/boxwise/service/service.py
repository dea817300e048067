"""All models of a store, their writers, and what the routes share."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import Request

from boxwise.database import ConflictError, Store, check_model_name
from boxwise.service.http.rates import Rates
from boxwise.service.http.tokens import Tokens
from boxwise.service.live import LiveModel
from boxwise.service.metrics import Metrics
from boxwise.service.problems import Problem
from boxwise.service.served import Served
from boxwise.service.settings import Settings
from boxwise.service.writer import Writer

T = TypeVar("T")
THREADS = 4  # for what takes longer than a few milliseconds
MOST_WAITING = 64  # requests that wait for these threads


class Service:
    """Models by name; each has a writer while the service runs.

    Parameters
    ----------
    store : Store
        Where the models are.
    settings : Settings
        Limits and intervals.
    tokens : Tokens
        Who may do what.
    """

    def __init__(self, store: Store, settings: Settings, tokens: Tokens) -> None:
        self.store, self.settings, self.tokens = store, settings, tokens
        self.rates = Rates(settings.rate)
        self.writers: dict[str, Writer] = {}
        self.metrics = Metrics(self.writers)
        self.ready = False
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="service")
        self._waiting = 0

    def load(self) -> None:
        """Load all models, so that what is wrong with one is known before the service starts."""
        for record in self.store.models():
            if record.name not in self.writers:
                self.writers[record.name] = self._loaded(record.name)

    def _loaded(self, name: str) -> Writer:
        self.store.hold(name)
        return Writer(Served(self.store, name, self.settings))

    async def start(self) -> None:
        """Load the models that are not loaded yet, and begin to learn."""
        await asyncio.get_running_loop().run_in_executor(self._pool, self.load)
        for writer in self.writers.values():
            writer.start(asyncio.get_running_loop())
        self.ready = True

    def end_streams(self) -> None:
        """End the streams of events, which would never end by themselves."""
        self.ready = False
        for writer in self.writers.values():
            writer.served.hub.close()

    async def stop(self) -> None:
        """Answer what waits, write checkpoints and let go of the models."""
        self.end_streams()
        loop = asyncio.get_running_loop()
        writers = [*self.writers.values()]
        await asyncio.gather(*(loop.run_in_executor(None, writer.stop) for writer in writers))
        for writer in writers:
            self.store.release(writer.served.name)
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def heavy(self, work: Callable[[], T]) -> T:
        """Run something in a thread, so that others need not wait for it."""
        if self._waiting >= MOST_WAITING:
            raise Problem(503, "too many requests wait for an answer", {"Retry-After": "1"})
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._waiting -= 1

    def writer(self, name: str | None) -> Writer:
        """Return the writer of a model; of the only or first one without a name."""
        if name is None:
            if not self.writers:
                raise Problem(404, "the service has no model yet; create one with POST /v1/models")
            return next(iter(self.writers.values()))
        found = self.writers.get(name)
        if found is None:
            known = ", ".join(map(repr, self.writers)) or "none"
            raise Problem(404, f"there is no model {name[:80]!r}; there are {known}")
        return found

    def asked(self, request: Request) -> Writer:
        """Return the writer of the model that a request names by ``?model=``."""
        return self.writer(request.query_params.get("model"))

    async def create(self, name: Any, data: bytes) -> Writer:
        """Add a model and begin to serve it."""
        try:
            check_model_name(name)
            await self.heavy(lambda: self.store.create_model(name, data))
        except ConflictError:
            raise Problem(409, f"there is a model {name!r} already; choose another name") from None
        except ValueError as error:
            raise Problem(422, str(error)) from None
        writer = await self.heavy(lambda: self._loaded(name))
        writer.start(asyncio.get_running_loop())
        self.writers[name] = writer
        return writer

    async def model_of_bytes(self, data: bytes) -> LiveModel:
        """Return a model from the bytes of its file."""
        return await self.heavy(lambda: LiveModel.from_bytes(data))


def flag(request: Request, name: str) -> bool:
    """Return a truth value from the query."""
    text = request.query_params.get(name, "false").lower()
    if text not in ("true", "false"):
        raise Problem(422, f"{name} must be true or false, not {text[:80]!r}")
    return text == "true"


def whole(request: Request, name: str, default: int, most: int) -> int:
    """Return a whole number from 1 up from the query."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= most:
        raise Problem(422, f"{name} must be a whole number from 1 to {most:,}, not {text[:80]!r}")
    return int(text)
