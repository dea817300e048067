"""The options with which commands are told how to read files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from boxwise.files import CHUNK_ROWS


class FileFormat(StrEnum):
    """Formats of files."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"


class OnErrorChoice(StrEnum):
    """What becomes of rows that cannot be used."""

    stop = "stop"
    skip = "skip"
    report = "report"


def _one_character(delimiter: str | None) -> str | None:
    if delimiter is None:
        return None
    character = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(character) != 1 or character in '"\r\n':
        raise typer.BadParameter(f"{delimiter!r} is not one character (a tab is written 'tab')")
    return character


FormatOption = Annotated[
    FileFormat | None,
    typer.Option("--format", help="The format, if content and name do not tell."),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        help="What separates the values of a CSV file; found out unless given.",
        callback=_one_character,
    ),
]
MissingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="TEXT",
        help='A text that means a missing value, such as "?"; may be given several times. '
        "An empty field always does.",
    ),
]
OnErrorOption = Annotated[
    OnErrorChoice,
    typer.Option(
        "--on-error",
        help="At a row that cannot be used: stop, skip it, or skip and report it.",
    ),
]
ChunkRowsOption = Annotated[
    int,
    typer.Option("--chunk-rows", min=1, help="How many rows are held in memory at a time."),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
DEFAULT_CHUNK_ROWS = CHUNK_ROWS


def candidates(given: Iterable[str] | None) -> frozenset[str]:
    """Return all names that might be meant: each text as a whole, and its parts between commas."""
    texts = list(given or ())
    return frozenset(texts) | {part.strip() for text in texts for part in text.split(",")}


def chosen(option: str, given: Iterable[str] | None, names: Sequence[str]) -> list[str]:
    """Return the columns that an option names, one by one or with commas between them."""
    found: list[str] = []
    for text in given or ():
        parts = [text] if text in names else [part.strip() for part in text.split(",")]
        for part in parts:
            if part not in names:
                shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
                raise typer.BadParameter(f"there is no column {part!r}; there are {shown}",
                                         param_hint=option)  # fmt: skip
            found.append(part)
    return found
