"""The same value as text and as a number: 3 in JSON, the text "3" in CSV.

A column keeps the kind of its first value: text if that is text. So what a model holds does not
depend on where the stream was cut by a restart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from types import NoneType

from boxwise.files.numbers import is_number

_TEXT = {str, NoneType}
_TRUTHS = {"true": True, "false": False}


def spelled(
    cells: Sequence[object], known: Sequence[object], learned: Sequence[bool], *, typed: bool
) -> Sequence[object]:
    """Return the cells of a column, or labels, in the kind of the first value.

    Parameters
    ----------
    cells : sequence
        The values, None where one is missing.
    known : sequence
        The values that the model knows, in order of first appearance.
    learned : sequence of bool
        Which of the cells are going to be learned: only these can be the first value.
    typed : bool
        Whether the source tells text from numbers.

    Examples
    --------
    >>> spelled([3, True, "x"], ["a"], [True, True, True], typed=True)
    ['3', 'true', 'x']
    >>> spelled(["3", "true", "x"], [4], [True, True, True], typed=False)
    [3, True, 'x']
    """
    new = (cell for cell, is_learned in zip(cells, learned, strict=True) if is_learned)
    first = next((value for value in chain(known, new) if value is not None), None)
    if isinstance(first, str) or first is None:
        return cells if set(map(type, cells)) <= _TEXT else [*map(_to_text, cells)]
    return cells if typed else [*map(_from_text, cells)]


def _to_text(cell: object) -> object:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell) if isinstance(cell, int | float) else cell


def _from_text(cell: object) -> object:
    if not isinstance(cell, str):
        return cell
    truth = _TRUTHS.get(cell.strip().lower())
    if truth is not None or not is_number(cell):
        return cell if truth is None else truth
    number = float(cell)
    return int(number) if number.is_integer() else number
