"""Lines of text, counted, without ever holding more than a bounded part of a line."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from itertools import chain

from boxwise.files.errors import InputError
from boxwise.files.source import Source

LINE_LIMIT = 8 * 1024 * 1024
_END = re.compile(rb"\r\n?|\n")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class BadLine(Exception):  # noqa: N818  (it becomes a RowError where the columns are known)
    """A line that is no text, or too long; `before` is what comes before the culprit."""

    def __init__(self, problem: str, remedy: str, before: str) -> None:
        super().__init__(problem)
        self.problem, self.remedy, self.before = problem, remedy, before


class Lines:
    r"""Iterates over the lines of a source, each with its end; goes on after a BadLine.

    Lines may end with ``\n``, ``\r\n`` or ``\r``. A byte order mark is left out.

    Attributes
    ----------
    number : int
        The number of the latest line, from 1.
    since : list of str
        The lines since the caller last emptied it.
    taken : int
        How many characters were taken.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._ready: Iterator[bytes] = iter(())
        self._rest = b""
        self._first = True
        self._inside_a_long_line = False
        self.number = 0
        self.taken = 0
        self.since: list[str] = []

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        raw = next(self._ready, None)
        if raw is None:
            raw = self._from_next_block()
        self.number += 1
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            raise _not_utf_8(raw, error) from None
        if "\0" in line:
            raise _zero(line)
        self.taken += len(line)
        self.since.append(line)
        return line

    def give_back(self, lines: Sequence[str]) -> None:
        """Take these lines, the latest ones, as if they had not been read yet."""
        self.number -= len(lines)
        self._ready = chain([line.encode() for line in lines], self._ready)

    def peek(self, most: int) -> list[str]:
        """Return some of the first lines, without taking them."""
        try:
            lines = [self._from_next_block(), *self._ready]
        except StopIteration:
            return []
        except BadLine as error:
            raise InputError(
                f"{self._source.name}, line 1: {error.problem}; {error.remedy}"
            ) from None
        self._ready = iter(lines)
        return [line.decode(errors="replace") for line in lines[:most]]

    def _from_next_block(self) -> bytes:
        while True:
            block = self._source.read()
            if not block:
                return self._last()
            if self._first:
                block = self._without_mark(block)
            if self._inside_a_long_line:
                end = _END.search(block)
                if end is None:
                    continue
                self._inside_a_long_line = False
                block = block[end.end() :]
            lines = (self._rest + block).splitlines(keepends=True)
            self._rest = b""
            # A line that ends with \r may go on with \n in the next block.
            if lines and not lines[-1].endswith(b"\n"):
                self._rest = lines.pop()
            if lines:
                self._ready = iter(lines)
                return next(self._ready)
            if len(self._rest) > LINE_LIMIT:
                raise self._too_long()

    def _last(self) -> bytes:
        last, self._rest = self._rest, b""
        if not last:
            raise StopIteration
        return last

    def _without_mark(self, block: bytes) -> bytes:
        self._first = False
        if block.startswith(_UTF_16):
            raise InputError(
                f"{self._source.name} is text in UTF-16; convert it to UTF-8, for example with "
                "iconv -f UTF-16 -t UTF-8"
            )
        return block.removeprefix(codecs.BOM_UTF8)

    def _too_long(self) -> BadLine:
        self.number += 1
        self._inside_a_long_line = True
        before, self._rest = self._rest.decode(errors="replace"), b""
        return BadLine(
            f"the line is more than {LINE_LIMIT // 2**20} MB long",
            "shorten it; if it should be many lines, look for a quote that is not closed",
            before,
        )


def _not_utf_8(raw: bytes, error: UnicodeDecodeError) -> BadLine:
    return BadLine(
        f"byte {error.start + 1} of the line, 0x{raw[error.start]:02X}, is not UTF-8",
        "convert the file to UTF-8, for example with iconv -f LATIN1 -t UTF-8",
        raw[: error.start].decode(),
    )


def _zero(line: str) -> BadLine:
    before = line[: line.index("\0")]
    return BadLine(
        f"byte {len(before.encode()) + 1} of the line is NUL",
        "the file is damaged or no text; export it again",
        before,
    )
