"""The one thread that learns: it takes all that waits, commits it, learns it and answers."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from threading import Condition, Thread
from time import perf_counter
from typing import Any

from boxwise.database import (
    ConflictError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)
from boxwise.service.chronicle import Chronicle
from boxwise.service.planning import Plan, Planned
from boxwise.service.problems import Problem
from boxwise.service.requests import Command, Request
from boxwise.service.served import Served

MOST_REQUESTS = 256  # in a group
MOST_ROWS = 4096  # in a group, unless one request alone has more
RETRY_SECONDS = 5  # after which a client should try again

log = logging.getLogger("boxwise.service")


class Writer:
    """Learns what is submitted, in order.

    What is answered is in the journal, on disk, and in the model.

    Parameters
    ----------
    served : Served
        The model.
    """

    def __init__(self, served: Served) -> None:
        self.served = served
        self.chronicle = Chronicle(served)
        self._waiting: deque[Request] = deque()
        self._condition = Condition()
        self._stopping = False
        self._behind = False  # the journal may have more than the model has learned
        self._thread = Thread(target=self._run, name=f"writer of {served.name}", daemon=True)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin; events are published on the loop."""
        self.served.loop = loop
        self._thread.start()

    def stop(self) -> None:
        """Answer all that waits, write a checkpoint, and end."""
        with self._condition:
            self._stopping = True
            self._condition.notify()
        self._thread.join()

    def __len__(self) -> int:
        return len(self._waiting)

    async def submit(self, request: Request) -> Any:
        """Wait for the answer to a request; `Problem` if it is refused."""
        with self._condition:
            if self._stopping:
                raise Problem(503, "the service is stopping; try again", _later())
            if len(self._waiting) >= self.served.settings.max_waiting:
                raise Problem(
                    503,
                    f"{len(self._waiting)} requests wait to be learned already; send fewer and "
                    "larger ones, or try again later",
                    _later(),
                )
            self._waiting.append(request)
            self._condition.notify()
        return await request.answer

    async def command(self, run: Callable[[Writer], Any]) -> Any:
        """Run something in the writer's thread, between two groups, and wait for its result."""
        return await self.submit(Command(asyncio.get_running_loop().create_future(), run))

    def _run(self) -> None:
        while True:
            with self._condition:
                if not self._waiting and not self._stopping:
                    self._condition.wait(self.chronicle.seconds_to_wait())
                if self._stopping and not self._waiting:
                    break
                group = self._take()
            if group:
                self._process(group)
            self.chronicle.write_what_is_due()
        self.chronicle.close()

    def _take(self) -> list[Request]:
        """Take what is committed together: rows of which the columns are known, or a command."""
        group: list[Request] = []
        rows = 0
        while self._waiting and len(group) < MOST_REQUESTS:
            request = self._waiting[0]
            alone = isinstance(request, Command) or self.served.live.has_unknown_columns
            if group and (alone or rows + request.n_rows > MOST_ROWS):
                break
            group.append(self._waiting.popleft())
            rows += request.n_rows
            if alone:
                break
        return group

    def _process(self, group: list[Request]) -> None:
        try:
            self._recover()
            if isinstance(group[0], Command):
                _resolve([(group[0], group[0].run(self), None)])
            else:
                self._commit_and_learn(group)
        except Problem as problem:
            _resolve([(request, None, problem) for request in group])
        except Exception as error:
            told = self._failed(error)
            _resolve([(request, None, told) for request in group])

    def _recover(self) -> None:
        """Learn what may be in the journal and not in the model, after a failure."""
        if self._behind:
            self.served.catch_up()
            self._behind = False
            self._relieved()

    def _commit_and_learn(self, group: list[Request]) -> None:
        plan = self._committed(group)
        self._relieved()
        for planned in plan.planned:
            if planned.entry is not None:
                self._learn(planned)
        now = perf_counter()
        for planned in plan.planned:
            if planned.entry is not None:
                self.served.activity.answered(now - planned.request.arrived)
        _resolve(
            [(one.request, one.body, None) for one in plan.planned]
            + [(request, None, problem) for request, problem in plan.refused]
        )

    def _committed(self, group: list[Request]) -> Plan:
        """Write a group to the journal; when this returns it is on disk."""
        plan = None
        try:
            with self.served.store.transaction() as writing:
                plan = Plan(self.served, writing)
                for request in group:
                    plan.add(request)
                plan.write()
        except (StoreUnavailableError, ConflictError):
            if plan is not None and self._was_committed(plan):
                return plan
            raise
        return plan

    def _was_committed(self, plan: Plan) -> bool:
        """Find out whether a commit whose answer was lost took place."""
        entries = [one.entry for one in plan.planned if one.entry is not None]
        if not entries:
            return False
        self._behind = True
        found = {
            e.position: e
            for e in self.served.store.journal_since(self.served.name, self.served.position)
        }
        kept = all(found.get(e.position) == e for e in entries)
        self._behind = not kept and bool(found)
        return kept

    def _learn(self, planned: Planned) -> None:
        served = self.served
        assert planned.entry is not None and planned.lesson is not None
        assert planned.prepared is not None
        prepared = planned.prepared
        self._behind = True  # until it is learned
        if not served.live.is_current(prepared):
            prepared = planned.lesson.prepared_for(served.live)
        served.scores.add(served.live.score_and_learn(prepared))
        served.position = planned.entry.position
        self._behind = False
        served.activity.learned(len(planned.lesson.rows))
        if served.shadow is not None:
            served.shadow.learn(planned.lesson, served.position)
        if prepared.brings_names:
            self.chronicle.tell_model()
        if planned.truths:
            for decision in served.decisions.set_truths(planned.truths):
                served.publish("decision", decision)

    def _failed(self, error: Exception) -> Problem:
        """Note why nothing can be learned; return what the client is told."""
        if isinstance(error, StoreFullError):
            self._troubled(str(error), full=True)
            return Problem(
                507, f"nothing of this was learned: {error}. Predictions go on.", _later()
            )
        if isinstance(error, StoreError):
            self._troubled(str(error))
            known = "it is not known whether this was learned" if self._behind else "not learned"
            return Problem(
                503,
                f"{known}: {error}. Send the same request again with the same Idempotency-Key, "
                "and it is learned once.",
                _later(),
            )
        log.exception("a request to %s failed", self.served.name)
        if self._behind:  # else the model is as it was, and learns what comes next
            self._troubled(f"{type(error).__name__}, see the log of the service")
            self._reload()
        return Problem(500, "the service failed; its log has the reason", _later())

    def _reload(self) -> None:
        """Make the model anew from the store, after a failure in the midst of learning."""
        try:
            self.served.load()
            self._behind = False
        except Exception:
            log.exception("%s cannot be read from the store", self.served.name)

    def _troubled(self, why: str, *, full: bool = False) -> None:
        if self.served.trouble is None:
            log.error("nothing can be learned by %s: %s", self.served.name, why)
        self.served.trouble, self.served.full = why, full

    def _relieved(self) -> None:
        if self.served.trouble is not None:
            log.warning("%s learns again", self.served.name)
        self.served.trouble, self.served.full = None, False


def _later() -> dict[str, str]:
    return {"Retry-After": str(RETRY_SECONDS)}


def _resolve(outcomes: Sequence[tuple[Request, Any, Exception | None]]) -> None:
    """Answer requests: one call of each event loop for all of its requests."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[Request, Any, Exception | None]]] = {}
    for outcome in outcomes:
        by_loop.setdefault(outcome[0].answer.get_loop(), []).append(outcome)
    for loop, those in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_set_results, those)


def _set_results(outcomes: Sequence[tuple[Request, Any, Exception | None]]) -> None:
    for request, result, problem in outcomes:
        if request.answer.done():  # the client has gone
            continue
        if problem is None:
            request.answer.set_result(result)
        else:
            request.answer.set_exception(problem)
