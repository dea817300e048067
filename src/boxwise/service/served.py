"""A model that is served: what it is now, what happened lately, and its shadow."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import time
from typing import Any

from boxwise.database import (
    REPLACE,
    CheckpointInfo,
    Entry,
    Store,
    shadow_name,
)
from boxwise.service.decisions import Decisions
from boxwise.service.events import Hub
from boxwise.service.http.wire import from_json, to_json
from boxwise.service.live import LiveModel
from boxwise.service.planning import Lesson
from boxwise.service.problems import Problem
from boxwise.service.scores import Activity, RecentScores
from boxwise.service.settings import Settings


class Shadow:
    """A model that learns the same rows beside the one that is served.

    Parameters
    ----------
    live : LiveModel
        The model.
    position : int
        The last entry of the journal that is in it.
    window : int
        The scores are over so many of the latest rows.
    created : float
        Seconds since 1970.
    """

    def __init__(self, live: LiveModel, position: int, window: int, created: float) -> None:
        self.live, self.position, self.created = live, position, created
        self.scores = RecentScores(window)
        self.failed: str | None = None

    def learn(self, lesson: Lesson, position: int, *, score: bool = True) -> None:
        """Learn an entry of the journal; a shadow that cannot is left as it is from then on."""
        if self.failed is not None or position <= self.position:
            return
        self.position = position
        try:
            prepared = lesson.prepared_for(self.live)
            if score:
                self.scores.add(self.live.score_and_learn(prepared))
            else:
                self.live.learn(prepared)
        except Problem as problem:
            self.failed = problem.detail


class Served:
    """The state of a model. The writer's thread changes it, all others read it.

    Parameters
    ----------
    store : Store
        Where the model is.
    name : str
        The model, which this process must hold.
    settings : Settings
        Limits and intervals.
    """

    def __init__(self, store: Store, name: str, settings: Settings) -> None:
        self.store, self.name, self.settings = store, name, settings
        self.scores = RecentScores(settings.window)
        self.activity = Activity()
        self.hub = Hub(settings.max_readers)
        self.decisions = Decisions(store, name, settings.keep_decisions)
        self.points: deque[dict[str, Any]] = deque(maxlen=settings.keep_points)
        self.points.extend(from_json(point) for point in store.history(name, settings.keep_points))
        self.changed_at: dict[tuple[int, str], float] = {}
        self.loop: asyncio.AbstractEventLoop | None = None
        self.trouble: str | None = None  # why nothing can be learned at the moment
        self.full = False  # whether that is for want of room
        self.shadow: Shadow | None = None
        self.load()

    def load(self) -> None:
        """Read the latest checkpoint and learn the journal after it."""
        record = self.store.model(self.name)
        latest = self.store.latest_checkpoint(self.name)
        self.created, self.version = record.created, record.version
        self.live = LiveModel.from_bytes(latest.data)
        self.checkpoint: CheckpointInfo = latest.info
        self.position = latest.info.position
        self._load_shadow()
        self.catch_up()

    def _load_shadow(self) -> None:
        name = shadow_name(self.name)
        self.shadow = None
        if self.store.has_model(name):
            latest = self.store.latest_checkpoint(name)
            live = LiveModel.from_bytes(latest.data)
            created = self.store.model(name).created
            self.shadow = Shadow(live, latest.info.position, self.settings.window, created)
            has = latest.info.position
            for entry in self.store.journal_since(self.name, has):
                if entry.position != has + 1:
                    break
                has = entry.position
                if entry.kind != REPLACE and has <= self.position:
                    self.shadow.learn(Lesson.of_payload(entry.payload), has, score=False)
            if has < self.position:  # only a shadow that had stopped learning is that far behind
                self.shadow.failed = "the journal no longer has the rows that it has not learned"

    def catch_up(self) -> int:
        """Learn what the journal has after the position; return how many entries that were."""
        learned = 0
        for entry in self.store.journal_since(self.name, self.position):
            self.replay(entry)
            learned += 1
        return learned

    def replay(self, entry: Entry) -> None:
        """Do what an entry of the journal says."""
        if entry.kind == REPLACE:
            found = self.store.checkpoint(self.name, entry.position)
            if found is None:
                raise Problem(
                    500,
                    f"the store has no checkpoint at position {entry.position}, its journal has",
                )
            self.live, self.checkpoint = LiveModel.from_bytes(found.data), found.info
        else:
            lesson = Lesson.of_payload(entry.payload)
            self.live.learn(lesson.prepared_for(self.live))
            if self.shadow is not None:
                self.shadow.learn(lesson, entry.position, score=False)
        self.position = entry.position

    def tell(self, work: Callable[[], None]) -> None:
        """Run something on the event loop, from any thread; without a loop it is left out."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(work)

    def publish(self, kind: str, content: Any) -> None:
        """Send an event to all who listen, from any thread."""
        data = to_json(content)
        self.tell(lambda: self.hub.publish(kind, data))

    def new_point(self) -> dict[str, Any]:
        """Return what is going on, and count anew."""
        return {
            "at": time(),
            "rows": self.live.rows,
            **self.scores.summary(),
            **self.activity.take(),
            "boxes": self.live.model.n_boxes,
        }
