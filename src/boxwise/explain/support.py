"""The support of a decision in words: how many rows like this one were learned."""

from __future__ import annotations

FEW_ROWS = 5  # learned rows, below which a decision rests on little


def few_rows_text(support: float | None) -> str | None:
    """Say that few learned rows are like a row; nothing if there are enough, or it is not known.

    Examples
    --------
    >>> few_rows_text(3.2), few_rows_text(0.2), few_rows_text(12.0)
    ('few rows like this: about 3', 'few rows like this: less than 1', None)
    """
    if support is None or support >= FEW_ROWS:
        return None
    return f"few rows like this: {rows_text(support).rpartition(' ')[0]}"


def rows_text(support: float) -> str:
    """Return a number of rows that is not exact.

    Examples
    --------
    >>> rows_text(1240.6), rows_text(1.2), rows_text(0.2)
    ('about 1,241 rows', 'about 1 row', 'less than 1 row')
    """
    if support < 1:
        return "less than 1 row"
    return f"about {support:,.0f} row{'' if round(support) == 1 else 's'}"
