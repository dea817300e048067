"""Names, values and numbers, as pictures show them: short, and never taken for a formula."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any
from unicodedata import category

from boxwise.schema import Schema

BREAK = "\v"  # where a line may end; to textwrap it is whitespace


def shown(value: object, most: int = 28) -> str:
    r"""Return a name or a value with its middle left out if it is long.

    Examples
    --------
    >>> shown("number_of_previous_applications", 15)
    'number…ications'
    >>> shown(None)
    'missing'
    >>> print(shown("a\0b"))
    a\x00b
    """
    text = "missing" if value is None else _visible(" ".join(str(value).split())) or "(empty)"
    if len(text) > most:
        front = (most - 1) * 2 // 5 + 1
        text = f"{text[:front]}…{text[front + 1 - most :]}"
    # Between two dollars matplotlib sees a formula; a legend leaves out what begins with "_".
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def _visible(text: str) -> str:
    """Return a text with escapes for what no font has: controls, halves of pairs, no characters."""
    if text.isprintable():
        return text
    return "".join(repr(c)[1:-1] if category(c) in ("Cc", "Cs", "Cn") else c for c in text)


def in_lines(name: str, width: int = 12, most: int = 28) -> str:
    """Return a name in lines of so many characters; see `wrapped`."""
    return wrapped(shown(name, most), width)


def wrapped(text: str, width: int) -> str:
    r"""Return a text in lines of so many characters, broken after spaces, underscores and hyphens.

    Examples
    --------
    >>> wrapped("request_from_other_domain", 20)
    'request_from_\nother_domain'
    """
    places = text.replace("_", f"_{BREAK}").replace("-", f"-{BREAK}")
    lines = wrap(places, width, break_on_hyphens=False, replace_whitespace=False)
    return "\n".join(line.replace(BREAK, "") for line in lines)


def number(x: float) -> str:
    """Return a number with as many digits as a reader wants.

    Examples
    --------
    >>> number(31.0), number(0.12345), number(80342.7), number(2.5e9)
    ('31', '0.1235', '80,343', '2.5e+09')
    """
    return f"{x:,.0f}" if 1_000 <= abs(x) < 1e7 else f"{x:.4g}"


def numbers(values: Sequence[float]) -> list[str]:
    """Return numbers with so many digits that they can be told apart.

    Examples
    --------
    >>> numbers([0.0, 2_500.0]), numbers([1_000_000.0, 1_000_000.5])
    (['0', '2,500'], ['1,000,000', '1,000,000.5'])
    """
    texts = [number(x) for x in values]
    digits = 5
    while len(set(texts)) < len(set(values)) and digits < 18:
        texts = [f"{x:,.{digits}g}" for x in values]
        digits += 1
    return texts


def cell(value: object) -> str:
    """Return the value of a cell: a number or a category."""
    if isinstance(value, float):
        return "missing" if value != value else number(value)
    return shown(value)


def held(values: dict[str, object], most: int = 5) -> str:
    """Return the columns that are held, with their values."""
    parts = [f"{shown(name)} = {cell(value)}" for name, value in values.items()]
    more = f", and {len(parts) - most} more" if len(parts) > most else ""
    return ", ".join(parts[:most]) + more


def drawn_boxes(drawn: int, there: int) -> str:
    """Say how many boxes are drawn, of how many there are."""
    if not drawn:
        return f"none of {there:,} boxes"
    if drawn == there:
        return f"all {there:,} boxes" if there > 1 else "the one box"
    return f"the {drawn:,} with most rows of {there:,} boxes"


def cut_text(scales: Sequence[Any]) -> list[str]:
    """Say on which axes the ends with hardly any rows are cut off."""
    names = [shown(scale.name) for scale in scales if getattr(scale, "is_cut", False)]
    return [f"Cut to the middle 90% of rows: {', '.join(names)}"] if names else []


def known_names(schema: Schema, most: int = 12) -> str:
    """Return the names of the columns, for a message."""
    names: Sequence[str] = schema.names
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")
