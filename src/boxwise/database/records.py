"""What a store keeps: models, checkpoints, journal entries, answers and predictions."""

from __future__ import annotations

import re
from dataclasses import dataclass

LEARN = "learn"  # kind of a journal entry: rows that were learned
REPLACE = "replace"  # kind of a journal entry: the model became that of the checkpoint there

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SHADOW = "~shadow"


def check_model_name(name: object) -> str:
    """Return the name, or raise ValueError if it cannot be that of a model."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"a model cannot be called {str(name)[:80]!r}: a name has up to 64 letters (a to z), "
            "digits, dots, dashes and underscores, and begins with a letter or a digit"
        )
    return name


def shadow_name(name: str) -> str:
    """Return the name under which the shadow of a model is stored; no other model can have it."""
    return name + _SHADOW


@dataclass(frozen=True)
class ModelRecord:
    """A model in the store.

    Attributes
    ----------
    name : str
        Its name; a shadow has that of `shadow_name`.
    version : int
        Rises when the model is replaced: by a roll back or by the promotion of its shadow.
    created : float
        Seconds since 1970.
    shadow_of : str or None
        The model whose journal a shadow learns as well.
    """

    name: str
    version: int
    created: float
    shadow_of: str | None = None


@dataclass(frozen=True)
class CheckpointInfo:
    """A checkpoint without its bytes.

    Attributes
    ----------
    position : int
        All journal entries up to this one are in the model.
    version : int
        The version of the model then.
    at : float
        Seconds since 1970.
    reason : str
        Why it was written: "created", "regular", "rollback", "promoted", ...
    kept : bool
        Whether it stays when old ones are removed.
    size : int
        The number of bytes.
    """

    position: int
    version: int
    at: float
    reason: str
    kept: bool
    size: int


@dataclass(frozen=True)
class Checkpoint:
    """A model at one position: the bytes are those of ``boxwise.dumps``."""

    info: CheckpointInfo
    data: bytes


@dataclass(frozen=True)
class Entry:
    """One entry of the journal of a model.

    Attributes
    ----------
    position : int
        1, 2, 3, ... without a gap.
    at : float
        Seconds since 1970.
    kind : str
        `LEARN`, or `REPLACE`: the model became that of the checkpoint at this position.
    rows : int
        How many rows it has.
    payload : bytes
        JSON.
    """

    position: int
    at: float
    kind: str
    rows: int
    payload: bytes


@dataclass(frozen=True)
class Answer:
    """The answer given to an Idempotency-Key.

    Attributes
    ----------
    digest : bytes
        Of the request: another request with the same key is an error of the client.
    status : int
        Of HTTP.
    body : bytes
        JSON.
    """

    digest: bytes
    status: int
    body: bytes


@dataclass(frozen=True)
class Prediction:
    """A row that was predicted and may get its label later.

    Attributes
    ----------
    id : str
        Any text.
    at : float
        Seconds since 1970.
    row, answer : bytes
        JSON of the row and of what was predicted.
    truth : bytes or None
        JSON of the label, once it is known.
    position : int or None
        The journal entry in which the row was learned.
    """

    id: str
    at: float
    row: bytes
    answer: bytes
    truth: bytes | None = None
    position: int | None = None
