"""The model file: our own versioned binary format. Reading one never executes code.

All numbers are little-endian::

    bytes 0–7     the mark  89 B O X 0D 0A 1A 0A   (as in PNG, so that text transfer is noticed)
    bytes 8–11    format version, uint32
    bytes 12–19   length H of the header, uint64
    next H bytes  header, JSON in ASCII: {"content": {...}, "arrays": [[name, dtype, shape], ...]}
    then          the arrays in that order, row-major, each padded with zeros to 8 bytes
    last 32 bytes SHA-256 of everything before
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import stat
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boxwise.atomic_files import replacing

MARK = b"\x89BOX\r\n\x1a\n"
VERSION = 1
LONGEST_HEADER = 2**30  # bytes: tens of millions of category values
LONGEST_AXIS = 2**48  # of an array
_PREFIX = struct.Struct("<IQ")
_DIGEST = hashlib.sha256().digest_size
_DTYPES = {"f8", "u8", "u4", "i4", "u1"}
_PART = 2**20  # bytes read at a time
_SHORT = "the file is damaged or cut short: its header announces more data than the file contains"
_MORE = "the file is malformed or damaged: there is more in the file than its header says"


class ModelFileError(ValueError):
    """A file that is not a model file, is damaged, or was written by a newer version."""


def write(
    path: str | os.PathLike[str], content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model file; an existing one is replaced at once or, on an error, left as it was."""
    parts = _parts(content, arrays)
    with replacing(path) as file:
        file.writelines(parts)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a model file, all of it checked, from its beginning to its end: a pipe will do.

    No more is read than the header announces, and no more memory taken than the file has bytes.
    """
    try:
        with Path(path).open("rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            # Some regular files that the system makes up say that they are empty.
            return _read(file, status.st_size or None if stat.S_ISREG(status.st_mode) else None)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from None


def pack(content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of a model file; the same model gives the same bytes."""
    return b"".join(_parts(content, arrays))


def _parts(
    content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> Iterator[bytes | memoryview]:
    """Return the file in parts, so that a large model need not be copied to be written."""
    little = {
        name: np.ascontiguousarray(a, a.dtype.newbyteorder("<")) for name, a in arrays.items()
    }
    table = [[name, f"{a.dtype.kind}{a.itemsize}", [*a.shape]] for name, a in little.items()]
    header = json.dumps({"content": content, "arrays": table}, allow_nan=False).encode()
    if len(header) > LONGEST_HEADER:  # it could not be read again
        raise ValueError(
            f"the names, categories and parameters of the model take {len(header)} bytes, but a "
            f"model file has room for {LONGEST_HEADER}; leave out columns of identifiers"
        )
    head = MARK + _PREFIX.pack(VERSION, len(header)) + header
    return _with_digest(head, [*little.values()])


def _with_digest(head: bytes, arrays: list[NDArray[Any]]) -> Iterator[bytes | memoryview]:
    digest = hashlib.sha256(head)
    yield head
    for array in arrays:
        for part in (array.reshape(-1).view(np.uint8).data, bytes(-array.nbytes % 8)):
            digest.update(part)
            yield part
    yield digest.digest()


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Take the bytes of a model file apart."""
    return _read(io.BytesIO(data), len(data))


def _read(
    file: io.RawIOBase | io.BytesIO, size: int | None
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a model; `size` is that of the file, None where only reading on will tell."""
    source = _Source(file, size)
    if source.upto(len(MARK)) != MARK:
        raise ModelFileError("not a boxwise model file")
    version, header_length = _PREFIX.unpack(source.exactly(_PREFIX.size))
    if version > VERSION:
        raise ModelFileError(
            f"written by a newer boxwise (format {version}, this one reads up to {VERSION}); "
            "upgrade boxwise"
        )
    if version < 1:
        raise ModelFileError("the file is malformed or damaged: there is no format 0")
    content, table = _read_header(source, header_length)
    expected = sum(form.n_bytes + form.padding for form in table) + _DIGEST
    if source.left is not None and source.left != expected:
        raise ModelFileError(_SHORT if source.left < expected else _MORE)
    arrays = {form.name: _read_array(source, form) for form in table}
    digest = source.digest.digest()
    if source.exactly(_DIGEST) != digest:
        raise ModelFileError("the file is damaged or cut short (its checksum does not match)")
    if source.upto(1):
        raise ModelFileError(_MORE)
    return content, arrays


class _Form(NamedTuple):
    """The description of an array in the header."""

    name: str
    dtype: str
    shape: list[int]

    @property
    def n_bytes(self) -> int:
        return math.prod(self.shape) * int(self.dtype[1])

    @property
    def padding(self) -> int:
        return -self.n_bytes % 8


class _Source:
    """A file that is read once, from its beginning on, and never taken at its word for a length."""

    def __init__(self, file: io.RawIOBase | io.BytesIO, size: int | None) -> None:
        self.file = file
        self.left = size  # bytes; None: not known
        self.digest = hashlib.sha256()

    def upto(self, length: int) -> bytearray:
        """Read so many bytes, or fewer if the file ends."""
        data = bytearray()
        while len(data) < length:  # in parts: a length may be claimed that nothing stands behind
            part = self.file.read(min(length - len(data), _PART))
            if not part:
                break
            data += part
        self.digest.update(data)
        if self.left is not None:
            self.left -= len(data)
        return data

    def exactly(self, length: int) -> bytearray:
        """Read so many bytes."""
        if self.left is not None and self.left < length:
            raise ModelFileError(_SHORT)
        data = self.upto(length)
        if len(data) < length:
            raise ModelFileError(_SHORT)
        return data


def _read_header(source: _Source, length: int) -> tuple[dict[str, Any], list[_Form]]:
    if length > LONGEST_HEADER:
        raise ModelFileError(
            f"the file is malformed or damaged: its header would have {length} bytes"
        )
    text = source.exactly(length)
    try:
        header = json.loads(text)
        content, table = header["content"], header["arrays"]
        if not isinstance(content, dict):
            raise ValueError("the content is no mapping")
        return content, [_form(*entry) for entry in table]
    except (ValueError, KeyError, TypeError, RecursionError, MemoryError) as error:
        raise ModelFileError(f"the file is malformed or damaged: {error}") from None


def _form(name: Any, dtype: Any, shape: Any) -> _Form:
    if not isinstance(name, str) or dtype not in _DTYPES or len(shape) not in (1, 2):
        raise ValueError("an array has an unknown form")
    if not all(type(length) is int and 0 <= length <= LONGEST_AXIS for length in shape):
        raise ValueError("an array has an impossible shape")
    return _Form(name, dtype, shape)


def _read_array(source: _Source, form: _Form) -> NDArray[Any]:
    values = np.frombuffer(source.exactly(form.n_bytes), dtype=f"<{form.dtype}")
    source.exactly(form.padding)
    return values.reshape(form.shape).astype(values.dtype.newbyteorder("="), copy=False)
