"""Numbers, values and counts as sentences have them."""

from __future__ import annotations

EXPONENT_FROM = 1e15  # above, digits are not told apart any more


def number_text(x: float) -> str:
    """Return a number with as many digits as a reader needs.

    Examples
    --------
    >>> number_text(1234567.8), number_text(3.0), number_text(0.123456), number_text(-1e150)
    ('1,234,568', '3', '0.1235', '-1e+150')
    """
    if abs(x) >= EXPONENT_FROM:
        return f"{x:.4g}"
    return f"{x:,.0f}" if x == round(x) or abs(x) >= 1000 else f"{x:.4g}"


def value_text(value: object) -> str:
    """Return a category."""
    return "missing" if value is None else str(value)


def count_text(number: float) -> str:
    """Return a count; one that is not whole, as weights of rows may make it, is rounded.

    Examples
    --------
    >>> count_text(1234), count_text(12345.0), count_text(0.70000076), count_text(1234.5)
    ('1,234', '12,345', '0.7', '1,234')
    """
    return f"{number:,}" if isinstance(number, int) else number_text(number)


def counted(number: float, one: str, many: str) -> str:
    """Return a count with its thing.

    Examples
    --------
    >>> counted(1, "box", "boxes"), counted(1200, "box", "boxes"), counted(0.7, "row", "rows")
    ('1 box', '1,200 boxes', '0.7 rows')
    """
    text = count_text(number)
    return f"{text} {one if text == '1' else many}"
