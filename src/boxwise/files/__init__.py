"""Files larger than memory, read in chunks: CSV, TSV, JSON Lines, Parquet, also compressed."""

from boxwise.files.chunk import CHUNK_ROWS, Chunk
from boxwise.files.errors import InputError, RowError
from boxwise.files.file_set import Files, check_names
from boxwise.files.formats import Format, Manner
from boxwise.files.kinds import KIND_ROWS, check_classes, first_rows, infer_kinds
from boxwise.files.number_labels import NumberLabels
from boxwise.files.row_errors import Faults, OnError
from boxwise.files.source import STANDARD_INPUT
from boxwise.files.stopping import ReadingStopped, Stop
from boxwise.files.typed import TypedChunk, Typing

__all__ = [
    "CHUNK_ROWS",
    "KIND_ROWS",
    "STANDARD_INPUT",
    "Chunk",
    "Faults",
    "Files",
    "Format",
    "InputError",
    "Manner",
    "NumberLabels",
    "OnError",
    "ReadingStopped",
    "RowError",
    "Stop",
    "TypedChunk",
    "Typing",
    "check_classes",
    "check_names",
    "first_rows",
    "infer_kinds",
]
