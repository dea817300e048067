"""The loop that learns a stream: read, predict, learn, send results, save.

Invariant: what is in the store is a model and the position up to which it has learned the source,
written in one transaction after all results up to there were delivered. Whatever happens in
between, the source is read again from that position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Protocol

from boxwise.core.words import counted
from boxwise.database import Store, StoreUnavailableError
from boxwise.files import TypedChunk
from boxwise.schema import Kind
from boxwise.streams.checkpoints import Checkpoints, Progress
from boxwise.streams.deciding import Decider, too_many_numbers
from boxwise.streams.errors import (
    DataLostError,
    RefusedRowError,
    StreamError,
    StreamStopped,
    UnreachableError,
)
from boxwise.streams.message import Message, Sink, Source, State
from boxwise.streams.results import dead_letters, prediction_records
from boxwise.streams.retrying import Patience
from boxwise.streams.rows import RowOptions, RowReader, Rows

BATCH = 1_000  # messages read at a time, fewer if they take long
BATCH_SECONDS = 0.5
WAIT = 0.25  # seconds to wait for a message: how soon a signal is noticed
KIND_ROWS = 1_000  # messages by which the kinds of the columns of a new model are inferred
KIND_SECONDS = 1.0  # or those that come before the stream is still for so long


class Watch(Protocol):
    """Follows the learning."""

    def before(self, model: Any, rows: TypedChunk) -> None:
        """Take note of rows that are going to be learned; all have labels."""

    def after(self, model: Any, progress: Progress, taken: int) -> None:
        """Take note of so many more messages."""


class NoWatch:
    """Follows nothing."""

    def before(self, model: Any, rows: TypedChunk) -> None:
        """Do nothing."""

    def after(self, model: Any, progress: Progress, taken: int) -> None:
        """Do nothing."""


@dataclass
class Plan:
    """What to learn, from where, and what to do with it.

    Attributes
    ----------
    source : Source
        The messages.
    store, model : Store, str
        Where the model is kept, and its name.
    begin : callable
        Makes the model, if the store has none, from the kinds of the columns; the result has its
        columns.
    first : estimator, optional
        The model to begin with, if the store has none, in place of `begin`.
    rows : RowOptions
        What the values of a message are.
    every, seconds : int, float
        After how many messages, or how much time, the model is saved.
    output, dead_letter : Sink, optional
        Where predictions and refused messages go.
    proba, keep : bool, sequence of str
        What else is in the records of predictions: probabilities, columns of the row.
    on_error : {"stop", "skip", "report"}
        What to do with refused messages; they go to `dead_letter` unless it is "stop".
    until_idle : float, optional
        End when no message has come for so many seconds.
    skip_lost : bool
        Whether to go on where messages were removed before they were read.
    classes_are_numbers : bool
        Whether any number of different numbers are accepted as classes.
    patience : Patience
        How long servers may be away.
    stopped : callable
        Whether to end.
    tell : callable
        Takes a line of text.
    """

    source: Source
    store: Store
    model: str
    begin: Callable[[Mapping[str, Kind]], Any]
    patience: Patience
    first: Any = None
    rows: RowOptions = field(default_factory=RowOptions)
    every: int = 10_000
    seconds: float = 5.0
    output: Sink | None = None
    dead_letter: Sink | None = None
    proba: bool = False
    keep: Sequence[str] = ()
    on_error: str = "stop"
    until_idle: float | None = None
    skip_lost: bool = False
    classes_are_numbers: bool = False
    stopped: Callable[[], bool] = lambda: False
    tell: Callable[[str], object] = lambda text: None
    watch: Watch = field(default_factory=NoWatch)


class Consumer:
    """Learns a stream as planned.

    Attributes
    ----------
    model : estimator or None
        The model so far; None before the first messages of a new one.
    progress : Progress
        How far the source was learned.
    refused : int
        How many messages were refused in this run.
    taken : int
        How many messages were taken in this run.
    """

    def __init__(self, plan: Plan) -> None:
        names = {sink.name for sink in (plan.output, plan.dead_letter) if sink is not None}
        if len(names) == 1 and plan.output is not None and plan.dead_letter is not None:
            raise StreamError(
                f"predictions and dead letters cannot both go to {plan.output.name}; give each a "
                "place of its own"
            )
        self.plan = plan
        self.model: Any = None
        self.progress = Progress()
        self.refused = self.taken = 0
        self._seen: dict[str, Any] = {}  # the state of the last message that was read
        self._unsaved, self._saved_at = 0, monotonic()
        self._most = BATCH
        self._saving = Checkpoints(plan.store, plan.model, plan.source.name)
        self._reader = RowReader(
            plan.rows, typed=plan.source.typed, place=plan.source.name, tell=plan.tell
        )
        self._decider: Decider | None = None

    def run(self) -> None:
        """Learn until the stream ends, is idle, or the end is asked for; then save.

        Raises
        ------
        StreamError
            If a server stays away, a message is refused and `on_error` is "stop", or messages were
            lost. What was learned before is saved.
        """
        plan = self.plan
        try:
            self._start()
            self._begin()
            self._consume()
            self._save()
        except (
            StreamStopped
        ):  # while a server was away; what its answer would complete is not saved
            plan.tell("stopped while a server was away; the model is saved up to its last answer")
        finally:
            for one in (plan.source, plan.output, plan.dead_letter):
                if one is not None:
                    one.close()

    def _start(self) -> None:
        """Load the model, and open the source and the sinks where it stopped."""
        plan = self.plan
        found, progress = plan.patience.until_done(self._load, plan.store.url)
        if progress is not None:
            self.progress = progress
            rows = counted(progress.rows, "row", "rows")
            plan.tell(f"goes on after {rows} of {plan.source.name}")
        self._open_sink(plan.output, self.progress.output)
        self._open_sink(plan.dead_letter, self.progress.dead_letter)
        self._seen = dict(self.progress.source)
        self._open_source()
        first = found if found is not None else plan.first
        if first is not None:
            self._set_model(first)
            if progress is None:
                self._save(always=True)  # where the results begin

    def _load(self) -> tuple[Any, Progress | None]:
        with _store_errors():
            return self._saving.load()

    def _open_sink(self, sink: Sink | None, state: State) -> None:
        if sink is not None:
            self._with_sink(sink, lambda: sink.open(state))

    def _set_model(self, model: Any) -> None:
        plan = self.plan
        self.model = model
        self._decider = Decider(model, predicts=plan.output is not None, proba=plan.proba)

    def _begin(self) -> None:
        """Make a new model by the first messages, if there is none yet, and learn these."""
        if self.model is not None:
            return
        first: list[Message] = []
        last, until = monotonic(), self.plan.until_idle
        still = KIND_SECONDS if until is None else min(until, KIND_SECONDS)
        while len(first) < KIND_ROWS:
            if self.plan.stopped():  # the kinds are not known yet: nothing is learned or saved
                return
            messages = self._read(KIND_ROWS - len(first))
            if messages:
                first += messages
                last = monotonic()
            elif messages is None or (first and monotonic() - last >= still):
                break
            elif not first and self._idle(last):
                return
        if not any(message.row is not None for message in first):
            if first:
                reason = first[0].problem
                raise StreamError(f"{self.plan.source.name}: no message is a row; {reason}")
            return
        self._set_model(self.plan.begin(self._reader.infer(first)))
        self._save(always=True)  # the kinds of the columns, and where the results begin
        while first:
            taken, first = first[: self._most], first[self._most :]
            self._take(taken)
            self._save_if_due()

    def _consume(self) -> None:
        last = monotonic()
        while not self.plan.stopped():
            most = min(self._most, self.plan.every - self._unsaved)
            messages = self._read(most)
            if messages is None:
                return
            if messages:
                if self.model is None:
                    return
                self._take(messages)
                last = monotonic()
            elif self._idle(last):
                return
            self._save_if_due()

    def _idle(self, last: float) -> bool:
        until = self.plan.until_idle
        return until is not None and monotonic() - last >= until

    def _read(self, most: int) -> Sequence[Message] | None:
        """Return the next messages; if the server goes away, wait for it."""
        source = self.plan.source
        try:
            messages = source.read(most, WAIT)
        except (UnreachableError, DataLostError) as error:
            self._save()
            if isinstance(error, DataLostError):
                self._skip(error)
            else:
                self._open_source(error)
            return []
        for message in messages or ():
            self._seen.update(message.state)
        return messages

    def _open_source(self, failed: UnreachableError | None = None) -> None:
        source, patience = self.plan.source, self.plan.patience
        try:
            patience.until_done(lambda: source.open(dict(self._seen)), source.name, failed)
        except DataLostError as error:
            self._skip(error)

    def _skip(self, error: DataLostError) -> None:
        """Go on after what was lost, if that is wanted."""
        if not self.plan.skip_lost:
            raise StreamError(
                f"{error}; the model has not learned them: to go on with what is left, use "
                "--skip-lost"
            ) from None
        self.plan.tell(f"{error}; skipped")
        self._seen = dict(error.resume)
        self.progress.source = dict(error.resume)
        self._open_source()

    def _take(self, messages: Sequence[Message]) -> None:
        """Predict and learn messages, and send what follows from them."""
        assert self._decider is not None
        began = monotonic()
        rows = self._reader.read(self.model, messages)
        error = self._first_refused(messages, rows)
        if error is not None:
            messages = messages[: error[0]]
            rows = self._reader.read(self.model, messages)
        labelled = [i for i, wanted in enumerate(rows.learned) if wanted]
        self.plan.watch.before(self.model, rows.typed.take(labelled))
        predictions = self._decider.take(rows)
        self._check_classes()
        self._send(messages, rows, predictions)
        for message in messages:
            self.progress.source.update(message.state)
        self.refused += len(rows.refused)
        self.taken += len(messages)
        self._unsaved += len(messages)
        self.progress.rows += len(messages)
        self._adapt(len(messages), monotonic() - began)
        self.plan.watch.after(self.model, self.progress, len(messages))
        if error is not None:
            self._save()
            key, reason = error[1], error[2]
            raise RefusedRowError(
                f"{self.plan.source.name}, message {key}: {reason}\n(the model is saved up to the "
                "message before; --dead-letter keeps such messages and goes on, --on-error skip "
                "leaves them out)"
            )

    def _first_refused(
        self, messages: Sequence[Message], rows: Rows
    ) -> tuple[int, str, str] | None:
        if self.plan.on_error != "stop" or not rows.refused:
            return None
        place = min(rows.refused)
        return place, messages[place].key, rows.refused[place]

    def _send(
        self, messages: Sequence[Message], rows: Rows, predictions: Sequence[dict[str, Any]]
    ) -> None:
        plan = self.plan
        if plan.output is not None and predictions:
            places = [place for place in rows.typed.rows if place not in rows.refused]
            records = prediction_records(messages, places, predictions, plan.keep)
            self._deliver(plan.output, records)
        if not rows.refused:
            return
        if plan.dead_letter is not None:
            self._deliver(plan.dead_letter, dead_letters(messages, rows.refused))
        if plan.on_error == "report":
            for place, reason in sorted(rows.refused.items()):
                plan.tell(f"message {messages[place].key} is refused: {reason}")

    def _deliver(self, sink: Sink, records: Sequence[tuple[str, bytes]]) -> None:
        self._with_sink(sink, lambda: sink.send(records))

    def _with_sink(self, sink: Sink, work: Callable[[], None]) -> None:
        try:
            self.plan.patience.until_done(work, sink.name)
        except StreamStopped:
            raise
        except StreamError as error:
            raise StreamError(f"results cannot be delivered: {error}") from None

    def _check_classes(self) -> None:
        if not self.plan.classes_are_numbers and too_many_numbers(self.model):
            raise StreamError(
                f"column {self.plan.rows.label!r}: more than 1,000 different numbers are no "
                "classes but a quantity; choose another --label, or make classes of them, such as "
                "low and high; if each of them is a class, give --classes-are-numbers"
            )

    def _adapt(self, rows: int, seconds: float) -> None:
        """Read so many messages at a time that they do not take long."""
        if seconds > BATCH_SECONDS:
            self._most = max(1, int(rows * BATCH_SECONDS / seconds))
        elif rows >= self._most:
            self._most = min(2 * self._most, BATCH)

    def _save_if_due(self) -> None:
        if self._unsaved >= self.plan.every or (
            self._unsaved and monotonic() - self._saved_at >= self.plan.seconds
        ):
            self._save()

    def _save(self, *, always: bool = False) -> None:
        """Write the model and the position of the source."""
        if self.model is None or not (self._unsaved or always):
            return
        plan, progress = self.plan, self.progress
        if plan.output is not None:
            progress.output = plan.output.flushed()
        if plan.dead_letter is not None:
            progress.dead_letter = plan.dead_letter.flushed()
        plan.patience.until_done(self._write, plan.store.url)
        self._unsaved, self._saved_at = 0, monotonic()
        plan.source.stored(progress.source)

    def _write(self) -> None:
        with _store_errors():
            self._saving.save(self.model, self.progress, self._unsaved)


@contextmanager
def _store_errors() -> Iterator[None]:
    """Have a store that is away for a while tried again, as servers are."""
    try:
        yield
    except StoreUnavailableError as error:
        raise UnreachableError(str(error)) from error
