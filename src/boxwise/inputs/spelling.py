"""The same value as text and as a number: ``3`` in one table, ``"3"`` in another."""

from __future__ import annotations

from collections.abc import Container

_MOST_EXACT = 2**53  # whole numbers that have one spelling as a float
_MOST_DIGITS = 300  # more is no number


def other_spellings(value: object) -> list[object]:
    """Return a number or a truth value as text, or a text as a number; the usual spelling first.

    Examples
    --------
    >>> other_spellings(3), other_spellings(3.0), other_spellings(0.5), other_spellings(True)
    (['3', '3.0'], ['3', '3.0'], ['0.5'], ['true', 'True'])
    >>> other_spellings("3"), other_spellings("0.50"), other_spellings("x")
    ([3], [0.5], [])
    """
    if isinstance(value, str):
        return _numbers(value)
    if isinstance(value, bool):
        return [str(value).lower(), str(value)]
    if not isinstance(value, int | float):
        return []
    if not abs(value) <= _MOST_EXACT or value != int(value):
        return [str(value)]
    return [str(int(value)), str(float(value))]


def known_spelling(value: object, known: Container[object]) -> object | None:
    """Return a value as it is known, if only another spelling of it is; else None."""
    if value in known:
        return None
    return next((other for other in other_spellings(value) if other in known), None)


def _numbers(text: str) -> list[object]:
    try:
        number = float(text) if len(text) < _MOST_DIGITS else float("nan")
    except ValueError:
        return []
    if not abs(number) <= _MOST_EXACT:
        return []
    return [int(number) if number.is_integer() else number]
