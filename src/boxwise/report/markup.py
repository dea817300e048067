"""Pieces of HTML. What comes from data goes through `text`; all else is written here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan

from boxwise.card import short as short
from boxwise.card import text as text
from boxwise.evaluate import Figure


@dataclass(frozen=True)
class Section:
    """A part of the page, with a heading that the table of contents leads to."""

    id: str
    title: str
    content: str


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and whether it holds numbers or bars."""

    title: str
    kind: str = ""  # "number", "wide" or none


def paragraph(*parts: str, kind: str = "") -> str:
    """Return a paragraph of HTML."""
    return f"<p{_class(kind)}>{' '.join(part for part in parts if part)}</p>"


def bullets(items: Iterable[str]) -> str:
    """Return a list."""
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def folded(title: str, content: str) -> str:
    """Return what is shown on demand; the title is HTML."""
    return f"<details><summary>{title}</summary>{content}</details>"


def table(
    caption: str, columns: Sequence[Column], rows: Iterable[Sequence[str]], kind: str = ""
) -> str:
    """Return a table of HTML cells, the first of each row its heading.

    With the kind "stack" a row becomes a block on a narrow screen, each cell under its heading.
    """
    kinds = [_class(column.kind) for column in columns]
    titles = [f' data-title="{column.title}"' if kind == "stack" else "" for column in columns]
    head = "".join(
        f'<th scope="col"{kind}>{column.title}</th>'
        for column, kind in zip(columns, kinds, strict=True)
    )
    lines = []
    for first, *rest in rows:
        cells = [
            cell if cell.startswith("<td") else f"<td{its}{title}>{cell}</td>"
            for cell, its, title in zip(rest, kinds[1:], titles[1:], strict=True)
        ]
        lines.append(f'<tr><th scope="row">{breakable(first)}</th>{"".join(cells)}</tr>')
    return scrolled(
        f"<table{_class(kind)}><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>",
        caption,
    )


def scrolled(content: str, label: str) -> str:
    """Return what scrolls on its own where it is wider than the screen; the keyboard reaches it."""
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">{content}</div>'


def bar(share: float, words: str, kind: str = "") -> str:
    """Return a bar for a share from 0 to 1, with words beside it."""
    width = 100 * min(max(share, 0.0), 1.0)
    return (
        f'<span class="bar {kind}" aria-hidden="true"><i style="width:{width:.1f}%"></i></span>'
        f'<span class="beside">{words}</span>'
    )


def breakable(html: str) -> str:
    """Return HTML in which a name may be broken after each underscore."""
    return re.sub("_(?![^<]*>)", "_<wbr>", html)


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def figure_text(value: float) -> str:
    """Return a figure with three decimals, or a dash where there is none.

    Examples
    --------
    >>> figure_text(0.9346), figure_text(float("nan"))
    ('0.935', '–')
    """
    return f"{value:.3f}" if value == value else "–"


def with_interval(figure: Figure) -> str:
    """Return a figure with its interval, if it has one, on a second line."""
    if isnan(figure.low):
        return figure_text(figure.value)
    ends = f"{figure_text(figure.low)} to {figure_text(figure.high)}"
    return f"{figure_text(figure.value)}<br><small>{ends}</small>"


def share_text(share: float) -> str:
    """Return a share in percent; only what is none is 0 %.

    Examples
    --------
    >>> share_text(0.934), share_text(0.0004), share_text(0.9996)
    ('93.4%', 'under 0.1%', 'over 99.9%')
    """
    if 0 < share < 0.0005:
        return "under 0.1%"
    if 0.9995 <= share < 1:
        return "over 99.9%"
    return f"{share:.1%}".replace(".0%", "%")
