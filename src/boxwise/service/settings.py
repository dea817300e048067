"""The limits and intervals of a service."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """What a service allows, and how often it writes.

    Attributes
    ----------
    max_body : int
        Bytes of a request.
    max_rows : int
        Rows of a request.
    max_explained : int
        Rows of a request that is to be explained.
    rate : float or None
        Requests a second of each token (of each address, without tokens); None is no limit.
    max_waiting : int
        Requests that wait for the writer of a model.
    body_seconds : float
        How long a client may take to send a body.
    checkpoint_rows, checkpoint_seconds : int, float
        A checkpoint is written after so many rows, or so long after the first row since the last.
    keep_checkpoints : int
        How many checkpoints stay, besides the first and those around a roll back or a promotion.
    keep_journal : int or None
        How many journal entries stay, at least those after the latest checkpoint but one.
    keep_predictions, prediction_days : int, float
        How many predictions wait for their label, and how long.
    answer_hours : float
        How long the answer to an Idempotency-Key is kept.
    point_seconds : float
        The interval of the history.
    keep_points : int
        How many points of the history stay.
    window : int
        The scores are over so many of the latest rows.
    keep_decisions : int
        How many of the latest decisions are shown.
    heartbeat_seconds : float
        The interval of comments in a stream of events, which show that it is alive.
    max_readers : int
        Streams of events of a model.
    read_seconds : float
        How long a reader of events may take to read one before it is dropped.
    cors_origins : tuple of str
        Origins whose pages may use the service; none by default.
    allowed_hosts : tuple of str
        The Host headers that are accepted; empty: all.
    """

    max_body: int = 16 * 2**20
    max_rows: int = 10_000
    max_explained: int = 100
    rate: float | None = None
    max_waiting: int = 1_000
    body_seconds: float = 30.0
    checkpoint_rows: int = 10_000
    checkpoint_seconds: float = 60.0
    keep_checkpoints: int = 5
    keep_journal: int | None = None
    keep_predictions: int = 1_000_000
    prediction_days: float = 30.0
    answer_hours: float = 24.0
    point_seconds: float = 5.0
    keep_points: int = 10_000
    window: int = 1_000
    keep_decisions: int = 200
    heartbeat_seconds: float = 10.0
    max_readers: int = 100
    read_seconds: float = 10.0
    cors_origins: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
