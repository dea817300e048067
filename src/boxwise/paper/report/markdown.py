"""A page as Markdown, as the documentation reads it (MyST), with its figures in files."""

from __future__ import annotations

import re
from collections.abc import Sequence

from boxwise.paper.report.page import (
    Block,
    Bullets,
    Heading,
    Link,
    Paragraph,
    Picture,
    Strong,
    Table,
    Text,
    parts,
)

_SPECIAL = re.compile(r"([\\`*_\[\]<>|{}#$~])")


def to_markdown(blocks: Sequence[Block], figures: str = "figures") -> str:
    """Return the page; `figures` is the folder of the figures, seen from it."""
    return "\n\n".join(_block(block, figures) for block in blocks) + "\n"


def _block(block: Block, figures: str) -> str:
    match block:
        case Heading(level, text, id_):
            return f"({id_})=\n{'#' * level} {escape(text)}"
        case Paragraph(text):
            return _text(text)
        case Bullets(items):
            return "\n".join(f"- {_text(item)}" for item in items)
        case Table():
            return _table(block)
        case Picture(name, caption, alt, _):
            return f"![{escape(alt)}]({figures}/{name}.svg)\n\n*{escape(caption)}*"


def _table(table: Table) -> str:
    rule = ["---:" if j and table.is_numeric(j) else "---" for j in range(len(table.header))]
    lines = [[escape(t) for t in table.header], rule]
    lines += [[_text(cell) for cell in row] for row in table.rows]
    rows = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"**{escape(table.caption)}**\n\n{rows}"


def escape(text: str) -> str:
    """Return a text in which Markdown sees nothing special."""
    return _SPECIAL.sub(r"\\\1", text)


def _text(text: Text) -> str:
    return "".join(map(_part, parts(text)))


def _part(part: str | Link | Strong) -> str:
    match part:
        case Link(words, to):
            return f"[{escape(words)}]({to})"
        case Strong(words, _):
            # Blanks stay outside: Markdown takes "**Missing: **" for stars.
            bare = words.strip()
            return words.replace(bare, f"**{escape(bare)}**") if bare else words
        case _:
            return escape(part)
