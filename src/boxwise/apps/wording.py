"""Numbers of things, as sentences have them."""

from __future__ import annotations

_MANY = {"row": "rows", "box": "boxes", "class": "classes", "column": "columns"}


def counted(number: int, thing: str) -> str:
    """Return a number with its thing.

    Examples
    --------
    >>> counted(1, "box"), counted(1200, "box")
    ('1 box', '1,200 boxes')
    """
    return f"{number:,} {thing if number == 1 else _MANY[thing]}"
