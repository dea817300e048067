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

import contextlib
import hashlib
import json
import math
import os
import struct
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MARK = b"\x89BOX\r\n\x1a\n"
VERSION = 1
_PREFIX = struct.Struct("<8sIQ")
_DIGEST = hashlib.sha256().digest_size
_DTYPES = {"f8", "u8", "u4", "i4", "u1"}


class ModelFileError(ValueError):
    """A file that is not a model file, is damaged, or was written by a newer version."""


def write(
    path: str | os.PathLike[str], content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model file; an existing one is replaced at once or, on an error, left as it was."""
    target = Path(path).resolve()  # a link stays a link; what it points to is replaced
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; give the name of a file")
    if target.exists() and not target.is_file():
        raise OSError(f"{target} is not a regular file, so it cannot be replaced by one")
    parts = _parts(content, arrays)
    handle, name = tempfile.mkstemp(prefix=".boxwise-", dir=target.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        part.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a model file, all of it checked."""
    try:
        return unpack(Path(path).read_bytes())
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
    return _with_digest(_PREFIX.pack(MARK, VERSION, len(header)) + header, [*little.values()])


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
    if data[: len(MARK)] != MARK:
        raise ModelFileError("not a boxwise model file")
    if len(data) < _PREFIX.size + _DIGEST:
        raise ModelFileError("the file is cut short")
    _, version, header_length = _PREFIX.unpack_from(data)
    if version > VERSION:
        raise ModelFileError(
            f"written by a newer boxwise (format {version}, this one reads up to {VERSION}); "
            "upgrade boxwise"
        )
    body, digest = memoryview(data)[:-_DIGEST], data[-_DIGEST:]
    if version < 1 or hashlib.sha256(body).digest() != digest:
        raise ModelFileError("the file is damaged or cut short (its checksum does not match)")
    header_end = _PREFIX.size + header_length
    try:
        header = json.loads(bytes(body[_PREFIX.size : header_end]))
        content, table = header["content"], header["arrays"]
        if not isinstance(content, dict):
            raise ValueError("the content is no mapping")
        arrays = _unpack_arrays(table, body[header_end:])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelFileError(f"the file is malformed: {error}") from None
    return content, arrays


def _unpack_arrays(table: Any, data: memoryview) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    begin = 0
    for name, dtype, shape in table:
        if not isinstance(name, str) or dtype not in _DTYPES or len(shape) not in (1, 2):
            raise ValueError("an array has an unknown form")
        if not all(type(length) is int and 0 <= length <= len(data) for length in shape):
            raise ValueError("an array has an impossible shape")
        size = math.prod(shape) * int(dtype[1])
        if begin + size > len(data):
            raise ValueError("an array is longer than the file")
        values = np.frombuffer(data[begin : begin + size], dtype=f"<{dtype}").reshape(shape)
        arrays[name] = values.astype(values.dtype.newbyteorder("="))
        begin += size + -size % 8
    if begin != len(data):
        raise ValueError("there is more in the file than its header says")
    return arrays


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
