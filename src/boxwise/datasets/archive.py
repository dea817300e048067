"""Fetching a data set from the archive."""

from __future__ import annotations

import os
import zipfile
from hashlib import sha256
from http.client import HTTPException
from io import BytesIO
from pathlib import PurePosixPath
from time import monotonic, sleep
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from boxwise.datasets.catalogue import Entry
from boxwise.datasets.errors import DatasetError
from boxwise.datasets.local import cache_file
from boxwise.datasets.recipes import convert

UCI = "https://archive.ics.uci.edu/static/public"
PAUSES = (0.5, 2.0)
"""Seconds to wait before the second attempt and the third."""
LIMIT = 2**26
"""More bytes than any of the data sets has: what is larger is something else."""


def fetch(entry: Entry, archive: str | None, timeout: float) -> bytes:
    """Return the table of a data set, downloaded, converted and checked."""
    base = archive or os.environ.get("BOXWISE_ARCHIVE") or UCI
    url = f"{base.rstrip('/')}/{entry.page}/{entry.slug}.zip"
    try:
        zipped = download(url, timeout)
    except (OSError, HTTPException, ValueError) as error:
        raise DatasetError(_unreachable(entry, url, error)) from error
    table = convert(entry, _unzip(entry, url, zipped))
    if not entry.is_table(table):
        raise DatasetError(
            f"data set {entry.name!r}: {url} does not hold the table that the paper used: its "
            f"sha256 is {sha256(table).hexdigest()}, not {entry.sha256}; the archive may have "
            "revised it. Nothing was kept"
        )
    return table


def download(url: str, timeout: float) -> bytes:
    """Return what is at the address; try again if the trouble may pass."""
    for pause in PAUSES:
        try:
            return _attempt(url, timeout)
        except (OSError, HTTPException) as error:
            if not _may_pass(error):
                raise
        sleep(pause)
    return _attempt(url, timeout)


def _attempt(url: str, timeout: float) -> bytes:
    request = Request(url, headers={"User-Agent": "boxwise"})
    deadline = monotonic() + timeout
    content = bytearray()
    with urlopen(request, timeout=timeout) as response:
        # The timeout of a socket is for each read; a server that drips would never be late.
        while part := response.read1(2**16):
            content += part
            if monotonic() > deadline:
                raise TimeoutError("timed out")
            if len(content) > LIMIT:
                raise ValueError(f"more than {LIMIT} bytes came")
        announced = response.headers.get("Content-Length")
    if announced is not None and int(announced) != len(content):
        raise ConnectionError(f"the connection ended after {len(content)} of {announced} bytes")
    return bytes(content)


def _may_pass(error: Exception) -> bool:
    return not isinstance(error, HTTPError) or error.code >= 500 or error.code in (408, 429)


def _unzip(entry: Entry, url: str, zipped: bytes) -> bytes:
    try:
        with zipfile.ZipFile(BytesIO(zipped)) as opened:
            for member in opened.infolist():
                if PurePosixPath(member.filename).name == entry.file:
                    with opened.open(member) as file:
                        return file.read(LIMIT)
            inside = ", ".join(opened.namelist())
    except Exception as error:  # a damaged zip makes zipfile raise errors of many kinds
        raise DatasetError(
            f"data set {entry.name!r}: what came from {url} is not a zip file, or is damaged "
            f"({error}); try again later, and if it stays so, open the address in a browser"
        ) from error
    raise DatasetError(f"data set {entry.name!r}: {entry.file} is not in {url}, only {inside}")


def _unreachable(entry: Entry, url: str, error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    if isinstance(error, HTTPError):
        reason = f"{error.code} {error.reason}"
    kept = cache_file(entry)
    return (
        f"data set {entry.name!r} is not on this machine, and {url} cannot be had: {reason}. "
        f"Without a network, load it on a machine that has one and copy {kept.name} from the "
        f"cache there to {kept}; or set BOXWISE_DATA to a folder that holds paper/{kept.name}; or "
        f"get the zip in another way, put it into a folder as {entry.page}/{entry.slug}.zip and "
        "set BOXWISE_ARCHIVE to file:// and the path of that folder"
    )
