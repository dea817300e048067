"""Options on how to read files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from boxwise.apps.outcome import notify
from boxwise.files import CHUNK_ROWS, FileSet, ReadOptions, RowErrors, Stop


class FileFormat(StrEnum):
    """Formats of files."""

    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"


class OnErrorChoice(StrEnum):
    """Ways to treat rows that cannot be used."""

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


ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="The model file.")]
NewModelOption = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
]
ResultOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The file to write; - is standard output (the default).",
    ),
]
EscapeFormulasOption = Annotated[
    bool,
    typer.Option(
        "--escape-formulas/--no-escape-formulas",
        help="In CSV, put ' before text that a spreadsheet would run as a formula.",
    ),
]
FilesArgument = Annotated[
    list[str], typer.Argument(metavar="FILE", help="Input files; - is standard input.")
]

MissingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="TEXT",
        help='A text that marks missing values, such as "?"; may be repeated. '
        "Empty fields are always missing.",
    ),
]


@dataclass
class FileOptions:
    """The values of these options, and the rows that could not be used."""

    missing: MissingOption = None
    form: Annotated[
        FileFormat | None,
        typer.Option("--format", help="The format, if content and name are ambiguous."),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(
            "--delimiter",
            metavar="CHARACTER",
            help="The delimiter of CSV files (detected).",
            callback=_one_character,
        ),
    ] = None
    on_error: Annotated[
        OnErrorChoice,
        typer.Option(
            "--on-error",
            help="What to do with invalid rows: stop, skip, or skip and report.",
        ),
    ] = OnErrorChoice.stop
    chunk_rows: Annotated[
        int,
        typer.Option(
            "--chunk-rows", metavar="N", min=1, help="The number of rows in memory at a time."
        ),
    ] = CHUNK_ROWS
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False
    row_errors: RowErrors = field(init=False)

    def __post_init__(self) -> None:
        self.row_errors = RowErrors(self.on_error.value, notify)

    def files(
        self,
        data: Sequence[str],
        *,
        only: frozenset[str] | None = None,
        drop: frozenset[str] = frozenset(),
        stop: Stop | None = None,
        dates: Mapping[str, Sequence[str]] | None = None,
    ) -> FileSet:
        """Return the files, which are read in the manner that the options say."""
        return FileSet(data, self.read_options(only, drop, stop, dates), self.missing or ())

    def read_options(
        self,
        only: frozenset[str] | None = None,
        drop: frozenset[str] = frozenset(),
        stop: Stop | None = None,
        dates: Mapping[str, Sequence[str]] | None = None,
    ) -> ReadOptions:
        """Return the manner that the options say."""
        return ReadOptions(
            None if self.form is None else self.form.value,
            self.delimiter,
            only,
            drop,
            stop or Stop(),
            dates or {},
        )
