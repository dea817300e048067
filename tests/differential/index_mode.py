"""The switch of the index, for all models made within a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from boxwise.core import Model


@contextmanager
def index(mode: str, leaf: int = 64) -> Iterator[None]:
    """Models made within use an index from the first box on, or none."""
    make = Model.__init__

    def make_with_index(self: Model, *arguments: Any) -> None:
        make(self, *arguments)
        self.set_index(mode, leaf)

    Model.__init__ = make_with_index  # type: ignore[method-assign]
    try:
        yield
    finally:
        Model.__init__ = make  # type: ignore[method-assign]
