"""The writes of a store, all within one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import time

from boxwise.database.backend import Connection, Row
from boxwise.database.errors import UnknownModelError
from boxwise.database.records import (
    Answer,
    Entry,
    ModelRecord,
    Prediction,
    check_model_name,
    shadow_name,
)


class Transaction:
    """What can be written; `Store.transaction` makes one and commits it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create_model(
        self, name: str, data: bytes, *, position: int = 0, shadow_of: str | None = None
    ) -> ModelRecord:
        """Add a model with its first checkpoint, or a shadow of a model.

        Parameters
        ----------
        name : str
            A new name. Of a shadow it is `shadow_name` of the model.
        data : bytes
            What ``boxwise.dumps`` gives.
        position : int
            The position at which the model is as in `data`.
        shadow_of : str, optional
            The model whose journal it learns.
        """
        if shadow_of is None:
            check_model_name(name)
        elif name != shadow_name(shadow_of):
            raise ValueError(f"the shadow of {shadow_of!r} must be called {shadow_name(shadow_of)}")
        record = ModelRecord(name, 1, time(), shadow_of)
        self._connection.execute(
            "INSERT INTO boxwise_model (name, version, created, shadow_of) VALUES (?, ?, ?, ?)",
            (record.name, record.version, record.created, record.shadow_of),
        )
        self.save_checkpoint(name, position, data, reason="created", kept=True)
        return record

    def delete_model(self, name: str) -> None:
        """Remove a model and all that belongs to it."""
        self._connection.execute("DELETE FROM boxwise_model WHERE name = ?", (name,))

    def set_version(self, name: str, version: int) -> None:
        """Say which version the model has from now on."""
        self._connection.execute(
            "UPDATE boxwise_model SET version = ? WHERE name = ?", (version, name)
        )

    def append(self, model: str, entries: Sequence[Entry]) -> None:
        """Append to the journal; `ConflictError` if another process has used the positions."""
        self._connection.execute_many(
            "INSERT INTO boxwise_journal (model, position, at, kind, n_rows, payload) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [(model, e.position, e.at, e.kind, e.rows, e.payload) for e in entries],
        )

    def save_checkpoint(
        self,
        model: str,
        position: int,
        data: bytes,
        *,
        reason: str = "regular",
        kept: bool = False,
        source: str | None = None,
        source_position: str | None = None,
        keep_last: int = 5,
    ) -> None:
        """Write a checkpoint and, of a stream, how far its source has been read.

        Parameters
        ----------
        model : str
            The name.
        position : int
            The last journal entry that is in the model. A model that learns from a stream and has
            no journal counts what it likes, as long as the position rises.
        data : bytes
            What ``boxwise.dumps`` gives.
        reason : str
            In one word.
        kept : bool
            Whether it stays when old ones are removed.
        source, source_position : str, optional
            The source, and up to where its rows are in the model.
        keep_last : int
            How many checkpoints stay, besides those that are `kept`.
        """
        self._connection.execute(
            "INSERT INTO boxwise_checkpoint (model, position, version, at, reason, kept, file) "
            "SELECT ?, ?, version, ?, ?, ?, ? FROM boxwise_model WHERE name = ? "
            "ON CONFLICT (model, position) DO UPDATE SET version = excluded.version, "
            "at = excluded.at, reason = excluded.reason, file = excluded.file, "
            "kept = CASE WHEN boxwise_checkpoint.kept > excluded.kept "
            "THEN boxwise_checkpoint.kept ELSE excluded.kept END",
            (model, position, time(), reason, int(kept), data, model),
        )
        if not self._connection.execute("SELECT 1 FROM boxwise_model WHERE name = ?", (model,)):
            raise UnknownModelError(f"there is no model {model!r} in the store")
        self._connection.execute(
            "DELETE FROM boxwise_checkpoint WHERE model = ? AND kept = 0 AND position < "
            "(SELECT min(position) FROM (SELECT position FROM boxwise_checkpoint "
            "WHERE model = ? AND kept = 0 ORDER BY position DESC LIMIT ?) AS latest)",
            (model, model, keep_last),
        )
        if source is not None:
            self.save_consumed(model, source, source_position or "")

    def save_consumed(self, model: str, source: str, position: str) -> None:
        """Write up to where the rows of a source are in the model."""
        self._connection.execute(
            "INSERT INTO boxwise_consumed (model, source, position, at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (model, source) DO UPDATE SET position = excluded.position, "
            "at = excluded.at",
            (model, source, position, time()),
        )

    def answers(self, model: str, keys: Sequence[str]) -> dict[str, Answer]:
        """Return the answers given to these keys, those that there are."""
        found = {}
        for key in keys:
            rows = self._connection.execute(
                "SELECT digest, status, body FROM boxwise_answer WHERE model = ? AND key = ?",
                (model, key.encode()),
            )
            if rows:
                digest, status, body = rows[0]
                found[key] = Answer(bytes(digest), int(status), bytes(body))
        return found

    def save_answers(self, model: str, answers: Mapping[str, Answer]) -> None:
        """Write the answers given to new keys."""
        now = time()
        self._connection.execute_many(
            "INSERT INTO boxwise_answer (model, key, at, digest, status, body) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [(model, k.encode(), now, a.digest, a.status, a.body) for k, a in answers.items()],
        )

    def save_predictions(self, model: str, predictions: Sequence[Prediction]) -> None:
        """Write rows whose labels may follow; an id that is there already is replaced."""
        self._connection.execute_many(
            "INSERT INTO boxwise_prediction (model, id, at, content, answer, truth, position) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (model, id) DO UPDATE SET "
            "at = excluded.at, content = excluded.content, answer = excluded.answer, "
            "truth = excluded.truth, position = excluded.position",
            [
                (model, _id_to_bytes(p.id), p.at, p.row, p.answer, p.truth, p.position)
                for p in predictions
            ],
        )

    def predictions(self, model: str, ids: Sequence[str]) -> dict[str, Prediction]:
        """Return the predictions with these ids, those that there are."""
        found = {}
        for one in ids:
            rows = self._connection.execute(
                f"SELECT {PREDICTION} FROM boxwise_prediction WHERE model = ? AND id = ?",
                (model, _id_to_bytes(one)),
            )
            if rows:
                found[one] = to_prediction(rows[0])
        return found

    def save_truths(self, model: str, truths: Mapping[str, bytes], position: int) -> None:
        """Write the labels of predictions that are learned in a journal entry."""
        self._connection.execute_many(
            "UPDATE boxwise_prediction SET truth = ?, position = ? WHERE model = ? AND id = ?",
            [(truth, position, model, _id_to_bytes(one)) for one, truth in truths.items()],
        )

    def save_point(self, model: str, at: float, point: bytes, keep_last: int) -> None:
        """Append a point to the history, of which the last ones are kept."""
        self._connection.execute(
            "INSERT INTO boxwise_history (model, at, point) VALUES (?, ?, ?) "
            "ON CONFLICT (model, at) DO UPDATE SET point = excluded.point",
            (model, at, point),
        )
        self._keep_latest("boxwise_history", model, keep_last)

    def expire(
        self, model: str, *, before: float, keep_predictions: int, answers_before: float
    ) -> None:
        """Remove predictions and answers that are too old, and predictions that are too many."""
        execute = self._connection.execute
        execute("DELETE FROM boxwise_prediction WHERE model = ? AND at < ?", (model, before))
        self._keep_latest("boxwise_prediction", model, keep_predictions)
        execute("DELETE FROM boxwise_answer WHERE model = ? AND at < ?", (model, answers_before))

    def trim_journal(self, model: str, keep_last: int) -> None:
        """Remove old entries; those after the latest checkpoint but one always stay."""
        self._connection.execute(
            "DELETE FROM boxwise_journal WHERE model = ? AND position <= "
            "(SELECT max(position) FROM boxwise_journal WHERE model = ?) - ? AND position <= "
            "(SELECT min(position) FROM (SELECT position FROM boxwise_checkpoint "
            "WHERE model = ? ORDER BY position DESC LIMIT 2) AS latest)",
            (model, model, keep_last, model),
        )

    def _keep_latest(self, table: str, model: str, number: int) -> None:
        self._connection.execute(
            f"DELETE FROM {table} WHERE model = ? AND at <= (SELECT at FROM {table} "
            "WHERE model = ? ORDER BY at DESC LIMIT 1 OFFSET ?)",
            (model, model, number),
        )


PREDICTION = "id, at, content, answer, truth, position"


def _id_to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def to_prediction(row: Row) -> Prediction:
    """Return the prediction that a row of the table holds."""
    one, at, content, answer, truth, position = row
    text = bytes(one).decode("utf-8", "surrogatepass")
    truth = None if truth is None else bytes(truth)
    return Prediction(text, at, bytes(content), bytes(answer), truth, position)
