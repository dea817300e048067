"""The changes of a learner since one looked last; a learner keeps the latest only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Change = TypeVar("Change")


def changes_after(last: Change | None, changes: Sequence[Change]) -> Sequence[Change]:
    """Return the changes that came after one; all, if it is not among them any more.

    Examples
    --------
    >>> changes_after("b", ["a", "b", "c"]), changes_after("a", ["b", "c"])
    (['c'], ['b', 'c'])
    """
    return changes[changes.index(last) + 1 :] if last in changes else changes


def last_of(changes: Sequence[Change]) -> Change | None:
    """Return the last change, if there is one."""
    return changes[-1] if changes else None
