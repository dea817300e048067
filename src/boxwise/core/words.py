"""Numbers, values and counts as sentences have them."""

from __future__ import annotations


def number_text(x: float) -> str:
    """Return a number with as many digits as a reader needs.

    Examples
    --------
    >>> number_text(1234567.8), number_text(3.0), number_text(0.123456)
    ('1,234,568', '3', '0.1235')
    """
    return f"{x:,.0f}" if x == round(x) or abs(x) >= 1000 else f"{x:.4g}"


def value_text(value: object) -> str:
    """Return a category."""
    return "missing" if value is None else str(value)


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its thing.

    Examples
    --------
    >>> counted(1, "box", "boxes"), counted(1200, "box", "boxes")
    ('1 box', '1,200 boxes')
    """
    return f"{number:,} {one if number == 1 else many}"
