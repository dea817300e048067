"""The latest decisions, to look at."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from itertools import islice
from threading import Lock
from time import monotonic, time
from typing import Any

from boxwise.database import Prediction, Store
from boxwise.service.http.wire import from_json
from boxwise.service.live import Predicted

EVENTS_A_SECOND = 20
MOST_OF_A_REQUEST = 50  # decisions of one request that are noted
LARGEST_ROW = 16_384  # bytes, on average, of rows that are held in memory
MOST_SHOWN = 2_000  # decisions sent as events that are kept: they are sent again with the truth


class Decisions:
    """The last decisions in memory; those that wait for a label are in the store as well.

    Parameters
    ----------
    store : Store
        The store.
    name : str
        The model.
    keep : int
        How many stay in memory.
    """

    def __init__(self, store: Store, name: str, keep: int) -> None:
        self._store, self._name, self._keep = store, name, keep
        self._latest: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._sent: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = Lock()
        self._epoch, self._number = secrets.token_hex(4), 0
        self._allowance, self._counted = float(EVENTS_A_SECOND), monotonic()
        for stored in reversed(store.latest_predictions(name, keep)):
            self._latest[stored.id] = _from_store(stored)

    def new_id(self) -> str:
        """Return an id that no other decision has."""
        self._number += 1
        return f"{self._epoch}-{self._number}"

    def note(
        self, rows: list[Any], predicted: Predicted, ids: list[str] | None
    ) -> list[dict[str, Any]]:
        """Keep the last decisions of a request; return those that are to be shown at once."""
        begin = max(0, len(rows) - MOST_OF_A_REQUEST)
        now = time()
        noted = [
            {
                "id": self.new_id() if ids is None else ids[i],
                "at": now,
                "row": rows[i],
                "label": predicted.labels[i],
                "probability": predicted.best(i),
                "support": None if predicted.supports is None else predicted.supports[i],
                "truth": None,
            }
            for i in range(begin, len(rows))
        ]
        with self._lock:
            for one in noted:
                self._latest[one["id"]] = one
                self._latest.move_to_end(one["id"])
            while len(self._latest) > self._keep:
                self._latest.popitem(last=False)
            shown = noted[len(noted) - self._shown(len(noted)) :]
            for one in shown:
                self._sent[one["id"]] = one
            while len(self._sent) > MOST_SHOWN:
                self._sent.popitem(last=False)
            return shown

    def _shown(self, wanted: int) -> int:
        """Return how many events may be sent now."""
        now = monotonic()
        passed, self._counted = now - self._counted, now
        most = float(EVENTS_A_SECOND)
        self._allowance = min(most, self._allowance + passed * EVENTS_A_SECOND)
        shown = min(wanted, int(self._allowance))
        self._allowance -= shown
        return shown

    def set_truths(self, truths: dict[str, Any]) -> list[dict[str, Any]]:
        """Note labels that came; return the decisions that were shown, or would be now."""
        found = []
        with self._lock:
            for one, label in truths.items():
                sent, kept = self._sent.pop(one, None), self._latest.get(one)
                known = kept or sent
                if known is not None:
                    found.append({**known, "truth": label})
                if kept is not None:
                    self._latest[one] = found[-1]
        return found

    def latest(self, limit: int) -> list[dict[str, Any]]:
        """Return the latest decisions, the newest first."""
        with self._lock:
            return [*islice(reversed(self._latest.values()), limit)]

    def find(self, one: str) -> dict[str, Any] | None:
        """Return a decision, from the store if it is not in memory."""
        with self._lock:
            found = self._latest.get(one)
        if found is None:
            stored = self._store.prediction(self._name, one)
            found = None if stored is None else _from_store(stored)
        return found


def _from_store(stored: Prediction) -> dict[str, Any]:
    return {
        "id": stored.id,
        "at": stored.at,
        "row": from_json(stored.row),
        **from_json(stored.answer),
        "truth": None if stored.truth is None else from_json(stored.truth),
    }
