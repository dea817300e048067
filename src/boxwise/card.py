"""Pieces of HTML for notebooks: small cards without a style sheet, legible on light and dark.

Text has the colour of its surroundings; colours of their own are half transparent. What comes from
data goes through `text` or `short`; all else is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

LONGEST = 60  # characters of a name or a value
MOST_ROWS = 10  # of a table; the others are folded away
MOST_FOLDED = 40  # rows of a folded table; those beyond are only counted
FOR, AGAINST = "rgba(46,125,220,.55)", "rgba(230,120,30,.6)"
LINE = "1px solid rgba(128,128,128,.35)"
_TABLE = "border-collapse:collapse;margin:.2em 0;font-size:inherit;color:inherit"
_CELL = "padding:2px 12px 2px 0;text-align:left;vertical-align:top"
_SMALL = "opacity:.75;font-size:90%"


def text(value: object) -> str:
    """Return a value as HTML shows it, as it is.

    Examples
    --------
    >>> text("<b>")
    '&lt;b&gt;'
    """
    return escape("missing" if value is None else str(value))


def short(value: object, most: int = LONGEST) -> str:
    """Return a name or a value; if it is long, its beginning, with the whole as its title."""
    whole = "missing" if value is None else str(value)
    if len(whole) <= most:
        return escape(whole) or "(empty)"
    return f'<span title="{escape(whole)}">{escape(whole[: most - 1])}…</span>'


def card(title: str, *parts: str) -> str:
    """Return a framed card; the title is text, the parts are HTML."""
    head = f'<div style="font-weight:600;font-size:110%">{escape(title)}</div>'
    box = f"border:{LINE};border-radius:6px;padding:.6em .9em;margin:.3em 0"
    frame = f"max-width:60em;overflow-x:auto;{box}"
    return f'<div style="{frame}">{head}{"".join(parts)}</div>'


def note(content: str) -> str:
    """Return a line of text."""
    return f'<div style="margin-top:.5em">{escape(content)}</div>'


def small(content: str) -> str:
    """Return HTML in small letters."""
    return f'<span style="{_SMALL}">{content}</span>'


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """Return a table of HTML cells; the headings are text."""
    lines = [_row(f"<b>{escape(title)}</b>" for title in head)] if head else []
    lines += [_row(cells) for cells in rows]
    return f'<table style="{_TABLE}">{"".join(lines)}</table>'


def _row(cells: Iterable[str]) -> str:
    inner = "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells)
    return f"<tr style='background:transparent'>{inner}</tr>"


def long_table(
    rows: Sequence[Sequence[str]], head: Sequence[str] = (), total: int | None = None
) -> str:
    """Return a table of the first rows; the next are folded, those beyond only counted.

    `rows` may end after as many as are shown; then `total` says how many there are.
    """
    n = len(rows) if total is None else total
    parts = [table(rows[:MOST_ROWS], head)]
    if n > MOST_ROWS:
        more = rows[MOST_ROWS : MOST_ROWS + MOST_FOLDED]
        left = n - MOST_ROWS - len(more)
        content = table(more) + (note(f"and {left:,} that are not shown") if left else "")
        parts.append(folded(f"and {n - MOST_ROWS:,} more", content))
    return "".join(parts)


def folded(title: str, content: str) -> str:
    """Return what is shown on demand; the title is text, the content HTML."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def balance(weight: float, most: float) -> str:
    """Return a bar from the middle: to the right above 0, to the left below."""
    width = 0 if most == 0 else round(50 * abs(weight) / most)
    left, colour = (50, FOR) if weight > 0 else (50 - width, AGAINST)
    return _bar(left, width, colour)


def bar(number: float, most: float) -> str:
    """Return a bar from the left."""
    return _bar(0, 0 if most == 0 else round(100 * number / most), FOR)


def _bar(left: int, width: int, colour: str) -> str:
    inner = f"position:absolute;left:{left}%;width:{width}%;height:100%;background:{colour}"
    outer = f"position:relative;width:8em;height:1em;border-left:{LINE};border-right:{LINE}"
    return f'<div style="{outer}"><div style="{inner}"></div></div>'


def line_chart(
    x: Sequence[float], y: Sequence[float], label: str, width: int = 360, height: int = 90
) -> str:
    """Return a line through points, with a line at 0; the label says what it shows."""
    left, right = min(x), max(x)
    low, high = min(0.0, *y), max(0.0, *y)
    across = (width - 4) / (right - left or 1.0)
    down = (height - 4) / (high - low or 1.0)
    points = " ".join(
        f"{2 + (a - left) * across:.1f},{2 + (high - b) * down:.1f}"
        for a, b in zip(x, y, strict=True)
    )
    zero = f"{2 + high * down:.1f}"
    return (
        f'<svg role="img" aria-label="{escape(label)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" style="display:block;max-width:100%">'
        f'<line x1="2" x2="{width - 2}" y1="{zero}" y2="{zero}" stroke="currentColor" '
        'stroke-opacity=".35"></line>'
        f'<polyline points="{points}" fill="none" stroke="rgb(46,125,220)" stroke-width="2">'
        "</polyline></svg>"
    )
