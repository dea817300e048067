"""Products of parameters, of which `make test` runs a few and `make test-long` the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def mostly_long(
    cases: Iterable[tuple[Any, ...]], quick: Collection[tuple[Any, ...]]
) -> list[tuple[Any, ...]]:
    """Return the cases for `parametrize`, all but the quick ones marked as long."""
    cases = [*cases]
    assert all(case in cases for case in quick), "a quick case that is none of the cases"
    return [c if c in quick else pytest.param(*c, marks=pytest.mark.long) for c in cases]
