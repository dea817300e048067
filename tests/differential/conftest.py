"""No test here is told of the index: every engine that can have one runs with and without."""

from collections.abc import Sequence

import pytest

from boxwise.core import EntropySettings
from boxwise.core.settings import Range

from .side_by_side import SideBySide

new_engine = EntropySettings.new_engine


def engines(
    self: EntropySettings, n_categorical: int, ranges: Sequence[Range], *_: Sequence[object]
) -> SideBySide:
    return SideBySide(lambda: new_engine(self, n_categorical, ranges), self.needs_all_rows)


@pytest.fixture(autouse=True)
def with_and_without_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EntropySettings, "new_engine", engines)
