"""No test here is told of the index: every engine that can have one runs with and without."""

from collections.abc import Sequence
from typing import Any

import pytest

from boxwise.core import EntropySettings, trials
from boxwise.core.settings import Range

from .side_by_side import SideBySide

new_engine = EntropySettings.new_engine
run_trials = trials.run_trials


def engines(self: EntropySettings, n_categorical: int, ranges: Sequence[Range]) -> SideBySide:
    return SideBySide(lambda: new_engine(self, n_categorical, ranges), self.needs_all_rows)


def trials_of_one(prototypes: Sequence[Any], *rest: Any) -> Any:
    """Trials are the engine's own: they have no index, and what they give has to be the same."""
    return run_trials([getattr(p, "as_users_have_it", p) for p in prototypes], *rest)


@pytest.fixture(autouse=True)
def with_and_without_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EntropySettings, "new_engine", engines)
    monkeypatch.setattr(trials, "run_trials", trials_of_one)
