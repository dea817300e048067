"""The blocks of a page, before it is HTML or Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = re.compile(r"[-−+–∞✓\d., ±%()]*")


@dataclass(frozen=True)
class Link:
    """Words that lead to "#id" on the page, or to an address."""

    text: str
    to: str


@dataclass(frozen=True)
class Strong:
    """Words that stand out; `kind` may be "good", "bad" or "open"."""

    text: str
    kind: str = ""


Text = str | tuple[str | Link | Strong, ...]


@dataclass(frozen=True)
class Heading:
    """A heading: level 1 for the page, 2 and 3 for what the table of contents shows."""

    level: int
    text: str
    id: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: Text


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: tuple[Text, ...]


@dataclass(frozen=True)
class Table:
    """A table; the first cell of a row is its heading."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]

    def is_numeric(self, column: int) -> bool:
        """Whether a column holds numbers only."""
        cells = [plain(row[column]) for row in self.rows]
        return all(map(_NUMBER.fullmatch, cells)) and any(re.search(r"\d", cell) for cell in cells)

    def is_wordy(self, column: int) -> bool:
        """Whether a column holds sentences, which need room."""
        return any(len(plain(row[column])) > 30 for row in self.rows)


@dataclass(frozen=True)
class Picture:
    """A figure: `name` is that of its file, `alt` what is to be seen in it."""

    name: str
    caption: str
    alt: str
    svg: bytes


Block = Heading | Paragraph | Bullets | Table | Picture


def parts(text: Text) -> tuple[str | Link | Strong, ...]:
    """Return a text as its parts."""
    return (text,) if isinstance(text, str) else text


def plain(text: Text) -> str:
    """Return a text without links and emphasis."""
    return "".join(part if isinstance(part, str) else part.text for part in parts(text))
