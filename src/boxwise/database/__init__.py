"""Databases of models: checkpoints, journals, answers and positions in SQLite or PostgreSQL."""

from boxwise.database.errors import (
    ConflictError,
    ModelInUseError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
    UnknownModelError,
)
from boxwise.database.records import (
    LEARN,
    REPLACE,
    Answer,
    Checkpoint,
    CheckpointInfo,
    Entry,
    ModelRecord,
    Prediction,
    check_model_name,
    shadow_name,
)
from boxwise.database.store import Store, open_store
from boxwise.database.transaction import Transaction

__all__ = [
    "LEARN",
    "REPLACE",
    "Answer",
    "Checkpoint",
    "CheckpointInfo",
    "ConflictError",
    "Entry",
    "ModelInUseError",
    "ModelRecord",
    "Prediction",
    "Store",
    "StoreError",
    "StoreFullError",
    "StoreUnavailableError",
    "Transaction",
    "UnknownModelError",
    "check_model_name",
    "open_store",
    "shadow_name",
]
