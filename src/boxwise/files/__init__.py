"""Files larger than memory, read in chunks: CSV, TSV, JSON Lines, Parquet, also compressed."""

from boxwise.files.chunk import CHUNK_ROWS, Chunk
from boxwise.files.errors import InputError, RowError
from boxwise.files.file_set import FileSet, check_names
from boxwise.files.formats import Format, ReadOptions
from boxwise.files.kinds import (
    KIND_ROWS,
    check_classes,
    first_rows,
    infer_kinds,
    later_kinds,
    may_have_more,
)
from boxwise.files.number_labels import NumberLabels
from boxwise.files.row_errors import OnError, RowErrors
from boxwise.files.source import STANDARD_INPUT
from boxwise.files.stopping import ReadingStopped, Stop
from boxwise.files.typed import TypedChunk, Typing

# The names of version 0.1.
Faults, Files, Manner = RowErrors, FileSet, ReadOptions

__all__ = [
    "CHUNK_ROWS",
    "KIND_ROWS",
    "STANDARD_INPUT",
    "Chunk",
    "Faults",
    "FileSet",
    "Files",
    "Format",
    "InputError",
    "Manner",
    "NumberLabels",
    "OnError",
    "ReadOptions",
    "ReadingStopped",
    "RowError",
    "RowErrors",
    "Stop",
    "TypedChunk",
    "Typing",
    "check_classes",
    "check_names",
    "first_rows",
    "infer_kinds",
    "later_kinds",
    "may_have_more",
]
