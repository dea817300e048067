"""What the writer does beside learning: checkpoints, history, changes, and the life of versions."""

from __future__ import annotations

import logging
from time import monotonic, time
from typing import TYPE_CHECKING, Any

from boxwise.database import (
    REPLACE,
    Checkpoint,
    Entry,
    StoreError,
    Transaction,
    shadow_name,
)
from boxwise.service.describing import change_items, model_description
from boxwise.service.http.wire import to_json
from boxwise.service.live import LiveModel
from boxwise.service.problems import Problem
from boxwise.service.served import Shadow

if TYPE_CHECKING:
    from boxwise.service.served import Served

DAY, HOUR = 86_400.0, 3_600.0
HOUSEKEEPING_SECONDS = 60.0

log = logging.getLogger("boxwise.service")


class Chronicle:
    """Writes what is due, in the thread of the writer.

    Parameters
    ----------
    served : Served
        The model.
    """

    def __init__(self, served: Served) -> None:
        self.served = served
        now = monotonic()
        self._next_point = now + served.settings.point_seconds
        self._next_housekeeping = now + HOUSEKEEPING_SECONDS
        self._rows_then = served.live.rows  # at the last checkpoint
        self._unsaved_since: float | None = None
        self._changes = {(one["row"], one["event"]) for one in change_items(served)}
        self._tell_model = False
        self._warned = ""

    def tell_model(self) -> None:
        """Let those who listen know, at the next point, that the model has other names."""
        self._tell_model = True

    def seconds_to_wait(self) -> float:
        """Return how long nothing is due."""
        due = [self._next_point, self._next_housekeeping]
        if self._unsaved_since is not None:
            due.append(self._unsaved_since + self.served.settings.checkpoint_seconds)
        return max(0.0, min(due) - monotonic())

    def write_what_is_due(self) -> None:
        """Write a checkpoint, a point of the history, or clean up; log what fails."""
        now = monotonic()
        settings = self.served.settings
        if self.served.position == self.served.checkpoint.position:
            self._unsaved_since = None
        elif self._unsaved_since is None:
            self._unsaved_since = now
        try:
            if self._unsaved_since is not None and (
                self.served.live.rows - self._rows_then >= settings.checkpoint_rows
                or now >= self._unsaved_since + settings.checkpoint_seconds
            ):
                self._unsaved_since = now  # whatever happens: it is tried again later
                self._rows_then = self.served.live.rows
                self.save_checkpoint()
            if now >= self._next_point:
                self._next_point = now + settings.point_seconds
                self.save_point()
            if now >= self._next_housekeeping:
                self._next_housekeeping = now + HOUSEKEEPING_SECONDS
                self._clean_up()
        except StoreError as error:
            if str(error) != self._warned:  # a full disk would fill the log as well
                self._warned = str(error)
                log.warning("%s: %s", self.served.name, error)

    def close(self) -> None:
        """Write a last checkpoint."""
        if self.served.position == self.served.checkpoint.position:
            return
        try:
            self.save_checkpoint()
        except StoreError as error:  # the journal has all of it
            log.warning("no checkpoint of %s was written: %s", self.served.name, error)

    def save_point(self) -> None:
        """Add a point to the history, and tell of it and of changes."""
        served = self.served
        point = served.new_point()
        served.points.append(point)
        served.publish("point", point)
        for one in change_items(served):
            which = (one["row"], one["event"])
            if which not in self._changes:
                self._changes.add(which)
                served.changed_at[which] = one["at"] = point["at"]
                served.publish("change", one)
        if self._tell_model:
            self._tell_model = False
            served.publish("model", model_description(served))
        with served.store.transaction() as writing:
            writing.save_point(
                served.name, point["at"], to_json(point), served.settings.keep_points
            )

    def save_checkpoint(self, reason: str = "regular", *, kept: bool = False) -> dict[str, Any]:
        """Write a checkpoint of the model, and of its shadow; return what it is."""
        with self.served.store.transaction() as writing:
            self._save(writing, reason, kept=kept)
        return self._noted()

    def _save(self, writing: Transaction, reason: str, *, kept: bool) -> None:
        served, keep = self.served, self.served.settings.keep_checkpoints
        writing.save_checkpoint(
            served.name,
            served.position,
            served.live.to_bytes(),
            reason=reason,
            kept=kept,
            keep_last=keep,
        )
        if served.shadow is not None and served.shadow.failed is None:
            data = served.shadow.live.to_bytes()
            writing.save_checkpoint(
                shadow_name(served.name), served.position, data, reason=reason, keep_last=1
            )

    def _noted(self) -> dict[str, Any]:
        self.served.checkpoint = self.served.store.checkpoints(self.served.name)[-1]
        self._rows_then, self._unsaved_since = self.served.live.rows, None
        return checkpoint_item(self.served.checkpoint)

    def roll_back(self, found: Checkpoint) -> dict[str, Any]:
        """Make the model what it was at a checkpoint; its version rises."""
        return self._replace(found.data, "rollback", {"to": found.info.position})

    def promote(self) -> dict[str, Any]:
        """Make the shadow the model; its version rises."""
        shadow = self._shadow()
        if shadow.failed is not None:
            raise Problem(409, f"the shadow stopped learning: {shadow.failed}; delete it")
        scores = shadow.scores
        done = self._replace(shadow.live.to_bytes(), "promoted", {}, shadow_ends=True)
        self.served.scores = scores
        return done

    def _replace(
        self, data: bytes, reason: str, more: dict[str, Any], *, shadow_ends: bool = False
    ) -> dict[str, Any]:
        served = self.served
        live = LiveModel.from_bytes(data)
        position, version = served.position + 1, served.version + 1
        payload = to_json({"reason": reason, "version": version, **more})
        with served.store.transaction() as writing:
            self._save(writing, f"before {reason}", kept=True)
            writing.append(served.name, [Entry(position, time(), REPLACE, 0, payload)])
            writing.set_version(served.name, version)
            writing.save_checkpoint(served.name, position, data, reason=reason, kept=True)
            if shadow_ends:
                writing.delete_model(shadow_name(served.name))
        served.live, served.position, served.version = live, position, version
        if shadow_ends:
            served.shadow = None
        checkpoint = self._noted()
        self._changes = {(one["row"], one["event"]) for one in change_items(served)}
        served.publish("model", model_description(served))
        return {"model": served.name, "version": version, "checkpoint": checkpoint}

    def start_shadow(self, live: LiveModel) -> None:
        """Let a model learn beside this one from now on."""
        served = self.served
        if served.shadow is not None:
            raise Problem(
                409, f"model {served.name!r} has a shadow already; promote or delete that first"
            )
        name = shadow_name(served.name)
        with served.store.transaction() as writing:
            writing.create_model(
                name, live.to_bytes(), position=served.position, shadow_of=served.name
            )
        served.shadow = Shadow(live, served.position, served.settings.window, time())
        served.publish("model", model_description(served))

    def end_shadow(self) -> None:
        """Delete the shadow."""
        self._shadow()
        with self.served.store.transaction() as writing:
            writing.delete_model(shadow_name(self.served.name))
        self.served.shadow = None
        self.served.publish("model", model_description(self.served))

    def _shadow(self) -> Shadow:
        if self.served.shadow is None:
            raise Problem(
                409,
                f"model {self.served.name!r} has no shadow; start one with "
                f"POST /v1/models/{self.served.name}/shadow",
            )
        return self.served.shadow

    def _clean_up(self) -> None:
        served, settings = self.served, self.served.settings
        now = time()
        with served.store.transaction() as writing:
            writing.expire(
                served.name,
                before=now - settings.prediction_days * DAY,
                keep_predictions=settings.keep_predictions,
                answers_before=now - settings.answer_hours * HOUR,
            )
            if settings.keep_journal is not None:
                writing.trim_journal(served.name, settings.keep_journal)


def checkpoint_item(info: Any) -> dict[str, Any]:
    """Return a checkpoint as clients see it."""
    return {
        "position": info.position,
        "version": info.version,
        "at": info.at,
        "reason": info.reason,
        "kept": info.kept,
        "bytes": info.size,
    }
