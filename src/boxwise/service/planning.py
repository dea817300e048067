"""A group of requests: checked, encoded and written to the journal in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from time import time
from typing import TYPE_CHECKING, Any

from boxwise.database import LEARN, Answer, Entry, Prediction, Transaction
from boxwise.service.http.wire import from_json, to_json
from boxwise.service.live import LiveModel, Prepared
from boxwise.service.problems import Problem
from boxwise.service.requests import Key, LearnLabels, LearnRows, Remember, Request
from boxwise.service.spelling import labels_as_known

if TYPE_CHECKING:
    from boxwise.service.served import Served


@dataclass
class Planned:
    """A request that is in the journal as soon as the transaction is committed."""

    request: Request
    body: bytes  # of the answer
    entry: Entry | None = None
    prepared: Prepared | None = None
    lesson: Lesson | None = None
    truths: dict[str, Any] | None = None  # labels of rows that were predicted before


@dataclass(frozen=True)
class Lesson:
    """Rows to learn, as the journal has them."""

    rows: list[Any]
    labels: list[Any]
    weights: list[Any] | None = None

    @classmethod
    def of_payload(cls, payload: bytes) -> Lesson:
        """Return what an entry of the journal says."""
        content = from_json(payload)
        return cls(content["rows"], content["labels"], content.get("weights"))

    def prepared_for(self, live: LiveModel) -> Prepared:
        """Return the rows, encoded."""
        return live.prepare(self.rows, self.labels, self.weights)


class Plan:
    """Turns requests into entries of the journal, in order, within a transaction.

    Parameters
    ----------
    served : Served
        The model, as it is before the group.
    writing : Transaction
        The transaction.
    """

    def __init__(self, served: Served, writing: Transaction) -> None:
        self._served, self._writing = served, writing
        self._position, self._rows = served.position, served.live.rows
        self._given: dict[str, Answer] = {}
        self.planned: list[Planned] = []
        self.refused: list[tuple[Request, Problem]] = []

    def add(self, request: Request) -> None:
        """Plan a request, or note why it is refused."""
        try:
            self.planned.append(self._plan(request))
        except Problem as problem:
            self.refused.append((request, problem))

    def write(self) -> None:
        """Write the entries and the answers."""
        entries = [one.entry for one in self.planned if one.entry is not None]
        if entries:
            self._writing.append(self._served.name, entries)
        if self._given:
            self._writing.save_answers(self._served.name, self._given)

    def _plan(self, request: Request) -> Planned:
        if isinstance(request, Remember):
            self._writing.save_predictions(self._served.name, request.predictions)
            return Planned(request, b"")
        assert isinstance(request, LearnRows | LearnLabels)
        given = None if request.key is None else self._given_to(request.key)
        if given is not None:
            return Planned(request, given.body)
        if isinstance(request, LearnRows):
            lesson = Lesson(request.rows, request.labels, request.weights)
            planned = self._learn(request, lesson, request.payload)
        else:
            planned = self._learn_labels(request)
        if request.key is not None:
            self._given[request.key.text] = Answer(request.key.digest, 200, planned.body)
        return planned

    def _given_to(self, key: Key) -> Answer | None:
        """Return the answer that was given to a request with this key."""
        given = self._given.get(key.text)
        if given is None:
            given = self._writing.answers(self._served.name, [key.text]).get(key.text)
        if given is not None and given.digest != key.digest:
            raise Problem(
                422,
                "this Idempotency-Key came with another request before; use a new key for a new "
                "request, and the same one only to send the very same bytes again",
            )
        return given

    def _learn(self, request: Request, lesson: Lesson, payload: bytes) -> Planned:
        prepared = lesson.prepared_for(self._served.live)
        self._position += 1
        self._rows += prepared.rows.times_learned
        entry = Entry(self._position, time(), LEARN, len(lesson.rows), payload)
        body = to_json(
            {
                "model": self._served.name,
                "version": self._served.version,
                "learned": len(lesson.rows),
                "position": self._position,
                "rows": self._rows,
            }
        )
        return Planned(request, body, entry, prepared, lesson)

    def _learn_labels(self, request: LearnLabels) -> Planned:
        found = self._predictions([one for one, _, _ in request.labelled])
        rows = [from_json(found[one].row) for one, _, _ in request.labelled]
        labels = [label for _, label, _ in request.labelled]
        given = [weight for _, _, weight in request.labelled]
        weights = (
            [1.0 if weight is None else weight for weight in given]
            if any(weight is not None for weight in given)
            else None
        )
        lesson = Lesson(rows, labels, weights)
        content = {"rows": rows, "labels": labels, "ids": [*found]}
        if weights is not None:
            content["weights"] = weights
        planned = self._learn(request, lesson, to_json(content))
        known = labels_as_known(labels, self._served.live.model.labels.values)
        planned.truths = dict(zip([one for one, _, _ in request.labelled], known, strict=True))
        truths = {one: to_json(label) for one, label in planned.truths.items()}
        self._writing.save_truths(self._served.name, truths, self._position)
        return planned

    def _predictions(self, ids: list[str]) -> dict[str, Prediction]:
        found = self._writing.predictions(self._served.name, ids)
        for i, one in enumerate(ids):
            if one not in found:
                raise Problem(
                    404,
                    f"no prediction with the id {one[:200]!r} waits for its label (item {i}): it "
                    "was predicted without 'remember' or 'ids', or too long ago; learn the row "
                    "itself with 'rows' and 'labels'",
                )
            if found[one].truth is not None:
                raise Problem(
                    409,
                    f"the prediction with the id {one[:200]!r} has its label already (item {i}), "
                    f"learned at position {found[one].position}",
                )
        return found
