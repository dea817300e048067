"""Results as JSON Lines in a file, each record once, or on standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from boxwise.streams.errors import StreamError
from boxwise.streams.message import State

STANDARD_OUTPUT = "-"


class FileSink:
    """Appends to a file; after a kill, what came after the last checkpoint is cut off again.

    So each record is in the file once. That holds for regular files; what goes to standard output
    or to a pipe comes again.

    Parameters
    ----------
    path : str
        The file, or ``-``.
    """

    def __init__(self, path: str) -> None:
        self.name = "standard output" if path == STANDARD_OUTPUT else path
        self._path = path
        self._file: IO[bytes] | None = None
        self._regular = False

    def open(self, state: State) -> None:
        """Open the file, and cut off what was written after the last checkpoint."""
        if self._file is not None:
            return
        if self._path == STANDARD_OUTPUT:
            self._file = sys.stdout.buffer
            return
        try:
            self._file = Path(self._path).open("ab")  # noqa: SIM115  (`close` closes it)
        except OSError as error:
            raise StreamError(f"{self._path} cannot be written: {error.strerror}") from None
        self._regular = Path(self._path).is_file()
        found = os.fstat(self._file.fileno())
        if self._regular and state.get("file") == found.st_ino and state["size"] < found.st_size:
            self._file.truncate(state["size"])

    def send(self, records: Sequence[tuple[str, bytes]]) -> None:
        """Write a line for each record."""
        assert self._file is not None
        try:
            self._file.write(b"".join(line + b"\n" for _, line in records))
            self._file.flush()
        except OSError as error:
            if error.filename is None:
                error.filename = self.name
            raise

    def flushed(self) -> State:
        """Sync the file; return which one it is, and how long."""
        if self._file is None or not self._regular:
            return {}
        os.fsync(self._file.fileno())
        found = os.fstat(self._file.fileno())
        return {"file": found.st_ino, "size": found.st_size}

    def close(self) -> None:
        """Close the file."""
        if self._file is not None and self._path != STANDARD_OUTPUT:
            self._file.close()
        self._file = None
