"""The bytes of a file or of standard input, block by block, decompressed if they are gzip."""

from __future__ import annotations

import gzip
import sys
import zlib
from pathlib import Path
from typing import IO, Any, cast

from boxwise.files.errors import InputError
from boxwise.files.stopping import Stop

STANDARD_INPUT = "-"
BLOCK = 256 * 1024
_GZIP = b"\x1f\x8b"
_LONGEST_MARK = 4


class Source:
    """Reads blocks of bytes.

    Parameters
    ----------
    path : str
        A file, or ``-`` for standard input.
    stop : Stop, optional
        Ends the reading early.

    Attributes
    ----------
    name : str
        How messages call it.
    head : bytes
        The beginning of the content: at least four bytes, if there are as many.
    size : int or None
        The size on the disk; None if it is not known.
    """

    def __init__(self, path: str, stop: Stop | None = None) -> None:
        self.path = path
        self.name = shown_name(path)
        self._file = _open(path)
        self._stop = stop or Stop()
        self.size = None if path == STANDARD_INPUT else _size(path)
        self._bytes = _Bytes(self._file, self._stop, self.name)
        self._unzipped: gzip.GzipFile | None = None
        if self._bytes.start().startswith(_GZIP):
            # GzipFile asks nothing of a file but this one method.
            self._unzipped = gzip.GzipFile(fileobj=cast(Any, self._bytes))
        self.head = b""
        while len(self.head) < _LONGEST_MARK and (block := self._next()):
            self.head += block
        self._first: bytes | None = self.head

    @property
    def taken(self) -> int:
        """How many bytes were taken from the disk or the pipe."""
        return self._bytes.taken

    def read(self) -> bytes:
        """Return the next block, empty at the end."""
        if self._first is not None:
            first, self._first = self._first, None
            return first
        return self._next()

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.path != STANDARD_INPUT:
            self._file.close()

    def _next(self) -> bytes:
        try:
            if self._unzipped is None:
                return self._bytes.read(BLOCK)
            return self._unzipped.read1(BLOCK)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(
                f"{self.name}: the gzip data is damaged or cut short ({error}); "
                "copy or download the file again"
            ) from None
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror or error}") from None


class _Bytes:
    """A file that counts what is taken of it, and whose waits can be broken off."""

    def __init__(self, file: IO[bytes], stop: Stop, name: str) -> None:
        self._file, self._stop, self._name = file, stop, name
        self._put_back = b""
        self.taken = 0

    def start(self) -> bytes:
        """Return the first bytes, which the next `read` returns again."""
        while len(self._put_back) < len(_GZIP) and (block := self._take(BLOCK)):
            self._put_back += block
        return self._put_back

    def read(self, size: int = BLOCK) -> bytes:
        if self._put_back:
            block, self._put_back = self._put_back[:size], self._put_back[size:]
            return block
        return self._take(size)

    def _take(self, size: int) -> bytes:
        block = self._stop.read(self._file, size)
        if block is None:
            raise InputError(f"{self._name} does not wait for data (it is in non-blocking mode)")
        self.taken += len(block)
        return block


def shown_name(path: str) -> str:
    """Return how messages call a file."""
    return "standard input" if path == STANDARD_INPUT else path


def _open(path: str) -> IO[bytes]:
    if path == STANDARD_INPUT:
        buffer = sys.stdin.buffer
        # Unbuffered: a block is what there is, and a slow pipe is not waited for.
        return cast(IO[bytes], getattr(buffer, "raw", buffer))
    try:
        return cast(IO[bytes], Path(path).open("rb", buffering=0))
    except FileNotFoundError:
        raise InputError(f"there is no file {path!r}; check the name and the folder") from None
    except IsADirectoryError:
        raise _a_folder(path) from None
    except PermissionError:
        if Path(path).is_dir():  # as Windows puts it
            raise _a_folder(path) from None
        raise InputError(f"{path} may not be read; check its permissions") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def _a_folder(path: str) -> InputError:
    return InputError(f"{path} is a folder; name the files in it")


def _size(path: str) -> int | None:
    file = Path(path)
    return file.stat().st_size if file.is_file() else None
