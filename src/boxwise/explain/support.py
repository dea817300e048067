"""How much is known of rows like one: the support of a decision, in words."""

from __future__ import annotations

FEW_ROWS = 5  # learned rows, below which a decision rests on little


def few_rows_in_words(support: float | None) -> str | None:
    """Say that few learned rows are like a row; nothing if there are enough, or it is not known.

    Examples
    --------
    >>> few_rows_in_words(3.2), few_rows_in_words(0.2), few_rows_in_words(12.0)
    ('low support: about 3 rows', 'low support: less than 1 row', None)
    """
    if support is None or support >= FEW_ROWS:
        return None
    return f"low support: {rows_in_words(support)}"


def rows_in_words(support: float) -> str:
    """Return a number of rows that is not exact.

    Examples
    --------
    >>> rows_in_words(1240.6), rows_in_words(1.2), rows_in_words(0.2)
    ('about 1,241 rows', 'about 1 row', 'less than 1 row')
    """
    if support < 1:
        return "less than 1 row"
    return f"about {support:,.0f} row{'' if round(support) == 1 else 's'}"
