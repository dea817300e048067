"""Choosing the reader for a file."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal, TypeAlias

from boxwise.files.chunk import Reader
from boxwise.files.delimited import DelimitedFile
from boxwise.files.errors import InputError
from boxwise.files.jsonlines import JsonLinesFile
from boxwise.files.parquet import ParquetFile
from boxwise.files.source import STANDARD_INPUT, Source
from boxwise.files.stopping import Stop

Format: TypeAlias = Literal["csv", "tsv", "jsonl", "parquet"]
_PARQUET = b"PAR1"
_BY_SUFFIX: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}


@dataclass(frozen=True)
class ReadOptions:
    """The options for reading files.

    Attributes
    ----------
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
        The format of all files; by default that of each, by its content and its name.
    delimiter : str, optional
        The delimiter of CSV files; by default the one that fits.
    only : frozenset of str, optional
        The columns that matter; all by default.
    drop : frozenset of str
        Columns that do not matter.
    stop : Stop
        Ends the reading early.
    dates : mapping of str to sequence of str
        Columns of dates, each of which is replaced by columns of parts of the date.
    """

    format: Format | None = None
    delimiter: str | None = None
    only: frozenset[str] | None = None
    drop: frozenset[str] = frozenset()
    stop: Stop = field(default_factory=Stop)
    dates: Mapping[str, Sequence[str]] = field(default_factory=dict)


def open_file(path: str, options: ReadOptions) -> tuple[Reader, Source | None]:
    """Open a file; the source is that of a text file."""
    source = Source(path, options.stop)
    if not source.head and path != STANDARD_INPUT:
        source.close()
        raise InputError(f"{source.name} is empty")
    form = options.format or _detect(path, source.head)
    if form == "parquet":
        return _open_parquet(path, source, options), None
    if form == "jsonl":
        return JsonLinesFile(source, options.only, options.drop), source
    delimiter = options.delimiter or ("\t" if form == "tsv" else None)
    return DelimitedFile(source, delimiter), source


def _detect(path: str, head: bytes) -> Format:
    if head.startswith(_PARQUET):
        return "parquet"
    suffixes = PurePath(path).suffixes
    last = [suffix.lower() for suffix in suffixes if suffix.lower() != ".gz"][-1:]
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    by_content: Format = "jsonl" if text.startswith(b"{") else "csv"
    return _BY_SUFFIX.get(last[0], by_content) if last and path != STANDARD_INPUT else by_content


def _open_parquet(path: str, source: Source, options: ReadOptions) -> ParquetFile:
    source.close()
    if path == STANDARD_INPUT:
        raise InputError(
            "Parquet cannot be read from standard input, because its end must be read first; "
            "name the file"
        )
    return ParquetFile(path, options.only, options.drop, options.stop, options.dates)
