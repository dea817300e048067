"""Errors of a store, the same for every database."""

from __future__ import annotations


class StoreError(Exception):
    """The database refused or failed; nothing of the transaction was kept."""


class StoreFullError(StoreError):
    """There is no room left; nothing of the transaction was kept."""


class StoreUnavailableError(StoreError):
    """The database cannot be reached, or is busy.

    If this comes from a commit, the transaction may have been kept or not: read the last position
    to find out.
    """


class ConflictError(StoreError):
    """What was to be written is there already, written by somebody else."""


class ModelInUseError(StoreError):
    """Another process writes this model."""


class UnknownModelError(LookupError):
    """The store has no such model."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""
