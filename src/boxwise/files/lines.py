"""Lines of text, counted, without ever holding more than a bounded part of a line."""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Sequence
from itertools import islice

from boxwise.files.errors import InputError
from boxwise.files.source import Source

LINE_LIMIT = 8 * 1024 * 1024
_END = re.compile(rb"\r\n?|\n")
# The mark of UTF-32 begins with that of UTF-16, so it is looked for first.
_OTHER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


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
        self._ready: deque[bytes] = deque()
        self._rest = b""
        self._first = True
        self._inside_a_long_line = False
        self._after_return = False
        self.number = 0
        self.taken = 0
        self.since: list[str] = []

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        raw = self._ready.popleft() if self._ready else self._from_next_block()
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

    @property
    def ready(self) -> bool:
        """Whether the next line is there already."""
        return bool(self._ready)

    def give_back(self, lines: Sequence[str]) -> None:
        """Take these lines, the latest ones, as if they had not been read yet."""
        self.number -= len(lines)
        self._ready.extendleft(line.encode() for line in reversed(lines))

    def peek(self, most: int) -> list[str]:
        """Return some of the first lines that are not blank, without taking them.

        To be called before any line is taken. Blank lines before them are passed over for good.
        """
        try:
            line = self._from_next_block()
            while _is_blank(line):
                self.number += 1
                line = self._ready.popleft() if self._ready else self._from_next_block()
        except StopIteration:
            return []
        except BadLine as error:
            raise InputError(
                f"{self._source.name}, line {self.number}: {error.problem}; {error.remedy}"
            ) from None
        self._ready.appendleft(line)
        sample = islice((line for line in self._ready if not _is_blank(line)), most)
        return [line.decode(errors="replace") for line in sample]

    def _from_next_block(self) -> bytes:
        while True:
            block = self._source.read()
            if not block:
                return self._last()
            if self._first:
                block = self._without_mark(block)
            if self._after_return:
                self._after_return = False
                block = block.removeprefix(b"\n")
            if self._inside_a_long_line:
                end = _END.search(block)
                if end is None:
                    continue
                self._inside_a_long_line = False
                block = block[end.end() :]
                self._after_return = end[0] == b"\r" and not block
            lines = (self._rest + block).splitlines(keepends=True)
            self._rest = b""
            # A line that ends with \r may go on with \n in the next block.
            if lines and not lines[-1].endswith(b"\n"):
                self._rest = lines.pop()
            if lines:
                self._ready = deque(lines)
                return self._ready.popleft()
            if len(self._rest) > LINE_LIMIT:
                raise self._too_long()

    def _last(self) -> bytes:
        last, self._rest = self._rest, b""
        if not last:
            raise StopIteration
        return last

    def _without_mark(self, block: bytes) -> bytes:
        self._first = False
        for mark, code in _OTHER_MARKS.items():
            if block.startswith(mark):
                raise InputError(
                    f"{self._source.name} is text in {code}; convert it to UTF-8, for example "
                    f"with iconv -f {code} -t UTF-8"
                )
        return block.removeprefix(codecs.BOM_UTF8)

    def _too_long(self) -> BadLine:
        self.number += 1
        self._after_return = self._rest.endswith(b"\r")
        self._inside_a_long_line = not self._after_return
        before, self._rest = self._rest.decode(errors="replace"), b""
        return BadLine(
            f"the line is more than {LINE_LIMIT // 2**20} MB long",
            "shorten it; if it should be many lines, look for a quote that is not closed",
            before,
        )


def _is_blank(line: bytes) -> bool:
    return not line.rstrip(b"\r\n")


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
