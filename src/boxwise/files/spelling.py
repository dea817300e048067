"""The same value in files of different formats: 3 in one, the text '3' in another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from boxwise.files.numbers import is_number


def respelled(cells: Sequence[object], known: Sequence[object]) -> list[object]:
    """Return the cells as the known values are written, text or not.

    A model that has learned from a file without types knows text only; one that has learned from
    Python or from a file with types may know numbers and truth values. If all that it knows is of
    one sort, cells of the other are converted.

    Examples
    --------
    >>> respelled(["3", "7", None], [3, 4])
    [3, 7, None]
    >>> respelled([3, True], ["3", "true"])
    ['3', 'true']
    >>> respelled([1, 0.5, 2], ["1.0", "0.50"])
    ['1.0', '0.50', '2']
    """
    types = {type(value) for value in known if value is not None}
    if not types or (str in types and len(types) > 1):
        return list(cells)
    convert = _to_text(known) if types == {str} else _from_text(known)
    keys = [*zip(map(type, cells), cells, strict=True)]  # 1 and True are equal, but not alike
    table = {key: convert(key[1]) for key in {*keys}}
    return [table[key] for key in keys]


def _to_text(known: Sequence[object]) -> Callable[[object], object]:
    texts = [value for value in known if isinstance(value, str)]
    truths = {value.lower(): value for value in texts}
    numbers = {float(value): value for value in reversed(texts) if is_number(value)}

    def convert(cell: object) -> object:
        if isinstance(cell, bool):
            return truths.get(str(cell).lower(), str(cell).lower())
        if not isinstance(cell, int | float):
            return cell
        whole = isinstance(cell, float) and cell.is_integer()
        text = str(int(cell)) if whole else str(cell)
        return text if text in truths else numbers.get(cell, text)

    return convert


def _from_text(known: Sequence[object]) -> Callable[[object], object]:
    spelled = {str(value).lower(): value for value in known}

    def convert(cell: object) -> object:
        if not isinstance(cell, str):
            return cell
        if cell.strip().lower() in spelled:
            return spelled[cell.strip().lower()]
        if not is_number(cell):
            return cell
        number = float(cell)
        return int(number) if number.is_integer() else number

    return convert
