"""A page as one HTML file that needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

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


def to_html(blocks: Sequence[Block]) -> str:
    """Return the page; its first heading is the title."""
    title = next((b.text for b in blocks if isinstance(b, Heading)), "")
    style = files("boxwise.paper.report").joinpath("style.css").read_text(encoding="utf-8")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{style}</style>",
            "</head>",
            "<body>",
            "<main>",
            *_body(blocks),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _body(blocks: Sequence[Block]) -> Iterator[str]:
    for i, block in enumerate(blocks):
        # The contents come before the first section, after what introduces the page.
        if isinstance(block, Heading) and block.level == 2 and not _sections(blocks[:i]):
            yield from _contents(_sections(blocks))
        yield _block(block)


def _sections(blocks: Sequence[Block]) -> list[Heading]:
    return [b for b in blocks if isinstance(b, Heading) and b.level in (2, 3)]


def _contents(headings: Sequence[Heading]) -> Iterator[str]:
    yield '<nav aria-label="Contents">\n<ul>'
    for heading in headings:
        words = escape(heading.text)
        yield f'<li class="level-{heading.level}"><a href="#{escape(heading.id)}">{words}</a></li>'
    yield "</ul>\n</nav>"


def _block(block: Block) -> str:
    match block:
        case Heading(level, text, id_):
            return f'<h{level} id="{escape(id_)}">{escape(text)}</h{level}>'
        case Paragraph(text):
            return f"<p>{_text(text)}</p>"
        case Bullets(items):
            return "<ul>\n{}\n</ul>".format("\n".join(f"<li>{_text(item)}</li>" for item in items))
        case Table():
            return _table(block)
        case Picture(_, caption, alt, svg):
            data = f"data:image/svg+xml;base64,{b64encode(svg).decode('ascii')}"
            image = f'<img src="{data}" alt="{escape(alt)}">'
            return f"<figure>\n{image}\n<figcaption>{escape(caption)}</figcaption>\n</figure>"


def _table(table: Table) -> str:
    kinds = [_kind(table, j) for j in range(len(table.header))]
    head = (f'<th scope="col"{kinds[j]}>{escape(t)}</th>' for j, t in enumerate(table.header))
    lines = [f"<tr>{''.join(head)}</tr>", "</thead>", "<tbody>"]
    for first, *rest in table.rows:
        cells = (f"<td{kinds[j]}>{_text(cell)}</td>" for j, cell in enumerate(rest, start=1))
        lines.append(f'<tr><th scope="row">{_text(first)}</th>{"".join(cells)}</tr>')
    # It scrolls on its own when it is wider than the screen, so the keyboard must reach it.
    label = escape(table.caption)
    return "\n".join(
        [
            f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">',
            f"<table>\n<caption>{label}</caption>\n<thead>",
            *lines,
            "</tbody>\n</table>\n</div>",
        ]
    )


def _kind(table: Table, column: int) -> str:
    if column and table.is_numeric(column):
        return ' class="number"'
    return ' class="words"' if table.is_wordy(column) else ""


def _text(text: Text) -> str:
    return "".join(map(_part, parts(text)))


def _part(part: str | Link | Strong) -> str:
    match part:
        case Link(words, to):
            return f'<a href="{escape(to)}">{escape(words)}</a>'
        case Strong(words, kind):
            mark = f' class="{kind}"' if kind else ""
            return f"<strong{mark}>{escape(words)}</strong>"
        case _:
            return escape(part)
