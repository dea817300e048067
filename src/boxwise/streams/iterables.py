"""Python iterables of (position, row, label) as a source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from boxwise.streams.errors import DataLostError, StreamError
from boxwise.streams.message import Message, State

Item: TypeAlias = tuple[Any, Mapping[str, Any], Any]
Rows: TypeAlias = Iterable[Item] | Callable[[Any], Iterable[Item]]


class IterableSource:
    """Rows from Python: tuples of a position, a row and its label.

    Parameters
    ----------
    rows : iterable or callable
        Tuples ``(position, row, label)``: a position is text or a whole number that no other row
        has, a row is a dict; the label is None if there is none. An iterable begins with the first
        row each time; what was learned before is skipped. A callable is called with the position
        to go on after, None at first, and returns an iterable of the rows after it.
    label : str
        The name under which the label is put into the row.
    name : str
        Identifies the source in the store.
    """

    typed = True

    def __init__(self, rows: Rows, label: str, name: str = "iterable") -> None:
        self.name = name
        self._rows, self._label = rows, label
        self._items: Iterator[Item] = iter(())

    def open(self, state: State) -> None:
        """Begin after a position."""
        position = state.get("position")
        if callable(self._rows):
            self._items = iter(self._rows(position))
            return
        self._items = iter(self._rows)
        if position is not None and all(item[0] != position for item in self._items):
            raise DataLostError(
                f"{self.name}: no row has the position {position!r}, after which to go on; give "
                "the rows from the beginning, or a function that takes the position",
                {},
            )

    def read(self, most: int, seconds: float) -> Sequence[Message] | None:
        """Return the next rows."""
        messages = []
        for item in self._items:
            messages.append(self._message(item))
            if len(messages) >= most:
                break
        return messages or None

    def stored(self, state: State) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def _message(self, item: Item) -> Message:
        try:
            position, row, label = item
        except (TypeError, ValueError):
            raise StreamError(
                f"{self.name}: an item is not (position, row, label), but {type(item).__name__}"
            ) from None
        if not isinstance(position, str | int) or isinstance(position, bool):
            raise StreamError(
                f"{self.name}: the position {position!r} is neither text nor a whole number"
            )
        state = {"position": position}
        if not isinstance(row, Mapping):
            problem = f"the row is a {type(row).__name__}; give a dict of columns"
            return Message(str(position), state, None, repr(row), problem)
        plain = {str(name): _plain(value) for name, value in row.items()}
        plain[self._label] = _plain(label)
        return Message(str(position), state, plain, plain)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
