"""Rows of a CSV file or of standard input as a source."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from pathlib import Path

from boxwise.files import STANDARD_INPUT, RowError
from boxwise.files.delimited import DelimitedFile
from boxwise.files.source import Source as Bytes
from boxwise.files.source import shown_name
from boxwise.streams.errors import DataLostError, StreamError
from boxwise.streams.message import Message, State

CHUNK = 500  # rows handed over by the reading thread at a time, fewer if there are no more yet
CHUNKS = 4  # in memory besides those that are learned
LOOK = 0.2  # seconds between two looks at whether the source was closed

_Chunk = list[Message] | BaseException | None


class CsvSource:
    """The rows of a CSV file; the position is the number of the row.

    A thread reads, so that a pipe that delivers nothing does not hold up a checkpoint. After a
    restart the rows up to the stored position are read and skipped: a pipe must deliver them again.

    Parameters
    ----------
    target : str
        The file, or ``-`` for standard input; ``?delimiter=;`` after it names the delimiter.
    """

    typed = False

    def __init__(self, target: str) -> None:
        path, found, delimiter = target.partition("?delimiter=")
        self._path = path
        self._delimiter = {"tab": "\t"}.get(delimiter, delimiter) if found else None
        if not path:
            raise StreamError("csv: names no file; write csv:FILE, or csv:- for standard input")
        if self._delimiter is not None and len(self._delimiter) != 1:
            raise StreamError(
                f"csv:{path}: the delimiter {delimiter!r} is not one character (a tab is 'tab')"
            )
        place = path if path == STANDARD_INPUT else Path(path).resolve()
        self.name = f"csv:{place}"
        self._chunks: queue.Queue[_Chunk] = queue.Queue(CHUNKS)
        self._closed = threading.Event()
        self._rest: list[Message] = []
        self._ended = False

    def open(self, state: State) -> None:
        """Begin after a row."""
        self.close()
        self._chunks, self._closed = queue.Queue(CHUNKS), threading.Event()
        self._rest, self._ended = [], False
        after = int(state.get("row", 0))
        arguments = (self._chunks, self._closed, after)
        threading.Thread(target=self._read_all, args=arguments, daemon=True).start()

    def read(self, most: int, seconds: float) -> Sequence[Message] | None:
        """Return the next rows."""
        if not self._rest and not self._ended:
            try:
                chunk = self._chunks.get(timeout=seconds)
            except queue.Empty:
                return []
            if isinstance(chunk, BaseException):
                self._ended = True
                raise chunk
            self._ended = chunk is None
            self._rest = chunk or []
        if not self._rest and self._ended:
            return None
        taken, self._rest = self._rest[:most], self._rest[most:]
        return taken

    def stored(self, state: State) -> None:
        """Do nothing."""

    def close(self) -> None:
        """End the thread, unless it waits for standard input, whose end ends it."""
        self._closed.set()

    def _read_all(self, chunks: queue.Queue[_Chunk], closed: threading.Event, after: int) -> None:
        try:
            self._hand_over(chunks, closed, after)
        except BaseException as error:  # whatever it is, the reader raises it
            _put(chunks, closed, error)

    def _hand_over(self, chunks: queue.Queue[_Chunk], closed: threading.Event, after: int) -> None:
        file = DelimitedFile(Bytes(self._path), self._delimiter)
        try:
            chunk: list[Message] = []
            for record in file.records():
                if file.n_rows <= after:
                    continue
                chunk.append(_message(file, record))
                if len(chunk) >= CHUNK or file.waits:
                    if not _put(chunks, closed, chunk):
                        return
                    chunk = []
        finally:
            file.close()
        if file.n_rows < after:
            raise DataLostError(
                f"{shown_name(self._path)} has {file.n_rows:,} rows only, but the model has "
                f"learned {after:,} of them: it is another file, or it begins later",
                {},
            )
        if chunk:
            _put(chunks, closed, chunk)
        _put(chunks, closed, None)


def _put(chunks: queue.Queue[_Chunk], closed: threading.Event, chunk: _Chunk) -> bool:
    """Hand over a chunk as soon as there is room; False if nobody wants it any more."""
    while not closed.is_set():
        try:
            chunks.put(chunk, timeout=LOOK)
        except queue.Full:
            continue
        return True
    return False


def _message(file: DelimitedFile, record: RowError | tuple[int, int, list[str]]) -> Message:
    key, state = str(file.n_rows), {"row": file.n_rows}
    if isinstance(record, RowError):
        shown = "" if record.value is None else f"{record.value} "
        problem = f"line {record.line}: {shown}{record.problem}; {record.remedy}"
        return Message(key, state, None, file.raw, problem)
    return Message(key, state, dict(zip(file.names, record[2], strict=True)), file.raw)
