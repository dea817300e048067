"""The model and the position of its source, in one transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from boxwise.database import Store
from boxwise.learners import dumps, loads
from boxwise.streams.errors import StreamError
from boxwise.streams.message import State


@dataclass
class Progress:
    """How far a source was learned.

    Attributes
    ----------
    source : dict
        The state of the source.
    output, dead_letter : mapping
        The states of the sinks.
    rows : int
        How many messages were taken from this source in all.
    """

    source: dict[str, Any] = field(default_factory=dict)
    output: State = field(default_factory=dict)
    dead_letter: State = field(default_factory=dict)
    rows: int = 0


class Checkpoints:
    """Loads and saves a model that learns from a source.

    Parameters
    ----------
    store : Store
        Where the model is kept.
    model : str
        Its name.
    source : str
        The name of the source.
    """

    def __init__(self, store: Store, model: str, source: str) -> None:
        self._store, self._model, self._source = store, model, source
        self._position = 0
        self._exists = False

    def load(self) -> tuple[Any, Progress | None]:
        """Return the model, None if there is none yet, and how far it has learned the source."""
        self._store.hold(self._model)
        self._exists = self._store.has_model(self._model)
        if not self._exists:
            return None, None
        checkpoint = self._store.latest_checkpoint(self._model)
        self._position = self._store.last_position(self._model)
        if self._position > checkpoint.info.position:
            raise StreamError(
                f"model {self._model!r} in {self._store.url} has learned requests after its last "
                "checkpoint; start `boxwise serve` with this store once, which learns them again"
            )
        text = self._store.consumed(self._model, self._source)
        return loads(checkpoint.data), None if text is None else _progress(text)

    def save(self, model: Any, progress: Progress, rows: int) -> None:
        """Write the model and its position; `rows` were taken since it was saved last."""
        data, position = dumps(model), self._position + rows
        text = json.dumps(vars(progress))
        with self._store.transaction() as writing:
            if not (self._exists or self._store.has_model(self._model)):
                writing.create_model(self._model, data, position=position)
                writing.save_consumed(self._model, self._source, text)
            else:
                writing.save_checkpoint(
                    self._model, position, data, source=self._source, source_position=text
                )
        self._position, self._exists = position, True


def _progress(text: str) -> Progress:
    found = json.loads(text)
    return Progress(found["source"], found["output"], found["dead_letter"], found["rows"])
