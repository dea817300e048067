"""One engine without an index, one with, one as users have it and one that keeps changing over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import Any

import numpy as np

BY_ROW = {"learn", "predict", "probabilities", "memberships", "responsibilities", "test_then_train"}
# Mode, boxes in a leaf.
CHANGES = [("on", 2), ("off", 64), ("on", 5), ("small", 64), ("on", 64), ("auto", 64)]
PIECES = [1, 2, 13, 3, 1, 29, 7, 200]  # rows between two changes


class SideBySide:
    """Engines that are told the same, and must answer the same, bit for bit.

    To a model it is an engine: every test that compares a model with the specification, which is
    slow, compares it with all of them.

    Parameters
    ----------
    make : callable
        Returns an engine that has learned nothing.
    whole : bool
        Whether the engine has to be given all its rows at once.
    """

    def __init__(self, make: Callable[[], Any], whole: bool) -> None:
        self.as_users_have_it, without, within, self.changing = (make() for _ in range(4))
        without.set_index("off")
        within.set_index("on", 4)
        self.whole = {"learn"} if whole else set()
        self.steady = [self.as_users_have_it, without, within]
        self.changes, self.pieces = cycle(CHANGES), cycle(PIECES)

    def __getattr__(self, name: str) -> Any:
        first = getattr(self.as_users_have_it, name)
        if name == "bytes":  # an index takes some
            return first
        if callable(first):
            return lambda *given, **named: self._call(name, given, named)
        for engine in (*self.steady, self.changing):
            assert getattr(engine, name) == first, name
        return first

    def _call(self, name: str, given: Sequence[Any], named: dict[str, Any]) -> Any:
        first, *others = [
            getattr(engine, name)(*(_one_of(argument, i) for argument in given), **named)
            for i, engine in enumerate(self.steady)
        ]
        given = [_one_of(argument, -1) for argument in given]
        answers = [
            getattr(self.changing, name)(*piece, **named) for piece in self._pieces(name, given)
        ]
        others.append(answers[0] if len(answers) == 1 else _together(answers))
        for other in others:
            assert _bits(other) == _bits(first), f"{name} differs with the index"
        return first

    def _pieces(self, name: str, given: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Yield arguments a few rows at a time, and change over before each."""
        n_rows = len(given[0]) if name in BY_ROW - self.whole else 0
        begin = 0
        while begin == 0 or begin < n_rows:
            self.changing.set_index(*next(self.changes))
            end = begin + next(self.pieces)
            yield [a[begin:end] if isinstance(a, np.ndarray) and n_rows else a for a in given]
            begin = end


def _one_of(argument: Any, i: int) -> Any:
    """Return what the engine in place i is to be told: another one in the same place, say."""
    if isinstance(argument, SideBySide):
        return [*argument.steady, argument.changing][i]
    return argument


def _together(answers: Sequence[Any]) -> Any:
    return None if answers[0] is None else np.concatenate(answers)


def _bits(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {name: _bits(value) for name, value in answer.items()}
    if isinstance(answer, np.ndarray):
        return answer.dtype, answer.shape, answer.tobytes()
    return answer
