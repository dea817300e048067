"""The values of the other columns while two are drawn, and the predictions there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boxwise.plot.texts import held
from boxwise.plot.view import View
from boxwise.schema import show


class HeldValues:
    """The value that each column keeps: one given, or the usual one.

    Parameters
    ----------
    view : View
        The model.
    at : mapping or row, optional
        The values given.
    called : str
        What the caller calls it, for errors.
    """

    def __init__(self, view: View, at: Any, called: str = "at") -> None:
        self._view = view
        self._given = _by_position(view, at, called)
        for j, value in self._given.items():
            if view.is_number(j):
                self._given[j] = _number(view.schema.names[j], value, called)

    def gives(self, j: int) -> bool:
        """Say whether a value was given for column `j`, and is not missing."""
        value = self._given.get(j)
        return value is not None and value == value

    def number(self, j: int) -> float:
        """Return the number given for column `j`."""
        value = self._given[j]
        assert isinstance(value, float)
        return value

    def value(self, j: int) -> Any:
        """Return the value that column `j` keeps."""
        return self._given[j] if j in self._given else self._view.usual(j)

    def notes(self, first: int, second: int) -> list[str]:
        """Say what the other columns are."""
        names = self._view.schema.names
        others = [j for j in self._view.schema.known if j not in (first, second)]
        # Those that were asked for come first: they may not be among the few for which is room.
        others.sort(key=lambda j: j not in self._given)
        if not others:
            return []
        return [f"Background: with {held({names[j]: self.value(j) for j in others})}"]

    def predicted(
        self, columns: tuple[int, int], across: Sequence[Any], upward: Sequence[Any]
    ) -> NDArray[np.intp]:
        """Return the class predicted for each pair of values, row by row of the picture."""
        rows = self._grid(columns, across, upward)
        labels = self._view.model.predict(rows).tolist()
        code_of = {label: code for code, label in enumerate(self._view.classes)}
        return np.fromiter((code_of[label] for label in labels), np.intp, len(labels))

    def probabilities(
        self, columns: tuple[int, int], across: Sequence[Any], upward: Sequence[Any]
    ) -> NDArray[np.float64]:
        """Return the probabilities of the classes for each pair of values."""
        found: NDArray[np.float64] = self._view.model.predict_proba(
            self._grid(columns, across, upward)
        )
        return found

    def _grid(self, columns: tuple[int, int], across: Sequence[Any], upward: Sequence[Any]) -> Any:
        n_rows = len(across) * len(upward)
        first, second = columns
        cells: list[Sequence[Any]] = []
        for j in range(self._view.schema.n_features):
            if j == first:
                cells.append([*across] * len(upward))
            elif j == second:
                cells.append([value for value in upward for _ in across])
            else:
                cells.append([self.value(j)] * n_rows)
        return self._view.table(cells)


def _by_position(view: View, at: Any, called: str) -> dict[int, Any]:
    if at is None:
        return {}
    if hasattr(at, "to_dict"):  # a row of a pandas table
        at = at.to_dict()
    if isinstance(at, Mapping):
        return {view.position(name): value for name, value in at.items()}
    values = [*at]
    n_columns = view.schema.n_features
    if len(values) != n_columns:
        raise ValueError(f"{called} has {len(values)} values, but there are {n_columns} columns")
    return dict(enumerate(values))


def _number(name: str, value: Any, called: str) -> float:
    if value is None:
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"column {name!r}: {show(value)} is not a number (in {called})") from None
