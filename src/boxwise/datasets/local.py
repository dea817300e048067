"""Data sets on this machine: in a folder of the user's, or in the cache."""

from __future__ import annotations

import gzip
import os
import sys
import warnings
import zlib
from hashlib import sha256
from pathlib import Path

from boxwise.atomic_files import replacing
from boxwise.datasets.catalogue import Entry
from boxwise.datasets.errors import DatasetError


def in_folder(entry: Entry, folder: str | os.PathLike[str] | None) -> bytes | None:
    """Return the table from the user's folder; None if there is no folder, or no such file."""
    named = folder or os.environ.get("BOXWISE_DATA")
    if not named:
        return None
    top = Path(named).expanduser()
    if not top.is_dir():
        raise DatasetError(f"{top} is not a folder; correct folder= (--data) or BOXWISE_DATA")
    file = f"{entry.name}.csv.gz"
    path = next((path for path in (top / "paper" / file, top / file) if path.exists()), None)
    if path is None:
        return None
    try:
        return _read(entry, path)
    except DatasetError:
        raise
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error


def in_cache(entry: Entry) -> bytes | None:
    """Return the table from the cache, None if it is not there or not as it was."""
    path = cache_file(entry)
    try:
        return _read(entry, path)
    except FileNotFoundError:
        return None
    except OSError as error:
        # Someone else's folder, or a disk that failed: not a reason to go without the data.
        warnings.warn(f"{error}; it is fetched anew", stacklevel=4)
        return None


def keep(entry: Entry, table: bytes) -> None:
    """Put a table into the cache, at once or not at all; if it cannot be, say so and go on."""
    path = cache_file(entry)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(gzip.compress(table, mtime=0))
    except OSError as error:
        warnings.warn(
            f"data set {entry.name!r} could not be kept for the next time ({error}); set "
            "BOXWISE_CACHE to a folder that can be written",
            stacklevel=4,
        )


def cache_file(entry: Entry) -> Path:
    """Return where the cache has the table; the cache looks like a folder of the user's."""
    return _cache() / "paper" / f"{entry.name}.csv.gz"


def _cache() -> Path:
    if chosen := os.environ.get("BOXWISE_CACHE"):
        return Path(chosen).expanduser()
    if xdg := os.environ.get("XDG_CACHE_HOME"):
        return Path(xdg).expanduser() / "boxwise"
    try:
        home = Path.home()
    except RuntimeError:
        raise DatasetError("there is no home folder for a cache; set BOXWISE_CACHE") from None
    if sys.platform == "win32":
        return Path(
            os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local", "boxwise", "Cache"
        )
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "boxwise"
    return home / ".cache" / "boxwise"


def _read(entry: Entry, path: Path) -> bytes:
    try:
        table = gzip.decompress(path.read_bytes())
        found = sha256(table).hexdigest()
    except (gzip.BadGzipFile, EOFError, zlib.error):
        table, found = b"", "none, because it is not a gzip file or is cut short"
    if not entry.is_table(table):
        raise DatasetError(
            f"{path} is damaged, or is another table: expected sha256 {entry.sha256} "
            f"(uncompressed), found {found}"
        )
    return table
