"""Writing files: every file that boxwise writes is written here.

A regular file is replaced atomically. The content goes to a temporary file in the same folder, is
synced to the disk, and is renamed over the target; then the folder is synced too. Readers see the
old content or the new one, and an error leaves the old one. A symbolic link stays: the file it
points to is replaced.

A pipe, a device or an open file such as ``/dev/stdout`` is never replaced. `writing` writes
straight into it; `replacing` refuses it.

A writer that is killed leaves its temporary file, which the next writer to that folder removes. A
live writer holds a lock (flock) on its file, and the name says which boot of which machine it
belongs to, because other machines that share the folder may not see the lock.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import IO, TextIO

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

AnyPath = str | os.PathLike[str]

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_MAX_LINKS = 40  # as many as Linux follows
_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EBADF}
_KINDS = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


@contextmanager
def replacing(path: AnyPath) -> Iterator[IO[bytes]]:
    """Open a regular file to write; it appears, or is replaced, when the block ends well."""
    target = _target(path)
    _remove_debris(target.parent)
    with errors_named(path):
        with _temporary_beside(target) as (part, handle), os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:
                file.close()  # Windows does not rename an open file
            part.replace(target)
        _sync_folder(target.parent)


@contextmanager
def writing(path: AnyPath) -> Iterator[IO[bytes]]:
    """Open anything to write: a file is replaced, all else is written into as it is."""
    handle = _open_stream(path)
    if handle is None:
        with replacing(path) as file:
            yield file
    else:
        with errors_named(path), os.fdopen(handle, "wb") as file:
            yield file


@contextmanager
def writing_text(path: AnyPath) -> Iterator[TextIO]:
    """Open anything to write text in UTF-8, as `writing` does."""
    with writing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.detach()  # flushes, and leaves it to `writing` to close the file


def check_replaceable(path: AnyPath) -> None:
    """Raise OSError if `replacing` could not write this file, to be called before long work."""
    target = _target(path)
    folder = target.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {folder}")
    try:
        with _temporary_beside(target) as (_, handle):
            os.close(handle)
    except OSError as error:
        raise type(error)(
            f"{path} cannot be written: the folder {folder} may not be written to "
            f"({error.strerror}); choose another"
        ) from None


def check_writable(path: AnyPath) -> None:
    """Raise OSError if `writing` could not write this, to be called before long work."""
    if not _is_stream(path):
        check_replaceable(path)
    elif not os.access(path, os.W_OK):
        raise PermissionError(f"{path} may not be written to; check its permissions")


def _target(path: AnyPath) -> Path:
    """Return the file to replace, links followed; complain of what cannot be replaced."""
    state = _state(path)
    kind = 0 if state is None else stat.S_IFMT(state.st_mode)
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(f"{path} is a folder; give the name of a file")
    if _is_stream(path):
        what = _KINDS.get(kind, "a file that is open already")
        raise OSError(f"{path} is {what}, not a regular file; give the name of a file")
    return Path(os.path.realpath(path))


def _is_stream(path: AnyPath) -> bool:
    """Return whether it is there and can be written into, but not replaced."""
    state = _state(path)
    if state is None or stat.S_ISDIR(state.st_mode):
        return False
    return not stat.S_ISREG(state.st_mode) or _descriptor(path) is not None


def _open_stream(path: AnyPath) -> int | None:
    """Open what cannot be replaced; None for a regular file."""
    if not _is_stream(path):
        return None
    number = _descriptor(path)
    # Opened by name, a redirected standard output would be written from its start again.
    return os.open(path, os.O_WRONLY) if number is None else os.dup(number)


def _descriptor(path: AnyPath) -> int | None:
    """Return the open file that a path such as ``/dev/stdout`` or ``/dev/fd/3`` stands for."""
    link = Path(path)
    for _ in range(_MAX_LINKS):
        folder = os.path.realpath(link.parent)
        if folder in (f"/proc/{os.getpid()}/fd", "/dev/fd") and link.name.isdecimal():
            return int(link.name)
        if not link.is_symlink():
            return None
        link = link.parent / link.readlink()
    return None


def _state(path: AnyPath) -> os.stat_result | None:
    try:
        return Path(path).stat()
    except FileNotFoundError:  # or a link to a file that is still to come
        return None


@contextmanager
def _temporary_beside(target: Path) -> Iterator[tuple[Path, int]]:
    """Create a temporary file, gone at the end of the block unless it was renamed."""
    part = target.with_name(f".boxwise-{_boot()}-{token_hex(8)}")
    try:  # before the file is there, for Ctrl-C may come at any moment
        yield part, _create_locked(part, _state(target))
    finally:
        with suppress(OSError):
            part.unlink()


def _create_locked(part: Path, old: os.stat_result | None) -> int:
    """Create a file with the permissions of the old one; it is locked until closed."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        handle = os.open(part, flags, 0o666 if old is None else 0o600)
        try:
            if _lock(handle, part):
                if old is not None:
                    part.chmod(old.st_mode & 0o777)
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _lock(handle: int, part: Path) -> bool:
    """Lock a new file; False if it was taken for debris, and removed, just before."""
    if fcntl is None:
        return True
    with suppress(OSError):  # no locks in this file system: then nobody removes debris from it
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(handle), part.stat())
    except FileNotFoundError:
        return False


@cache
def _boot() -> str:
    """Return a name of this boot of this machine, "0" where the system does not tell it."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip().replace("-", "") or "0"
    except (OSError, ValueError):
        return "0"


def _remove_debris(folder: Path) -> None:
    """Remove the temporary files of this user's writers on this machine that were killed."""
    if fcntl is None or _boot() == "0":
        return
    ours = re.compile(rf"\.boxwise-{_boot()}-[0-9a-f]{{16}}")
    with suppress(OSError):
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if ours.fullmatch(entry.name)]
        for name in names:
            _remove_unless_locked(folder / name)


def _remove_unless_locked(part: Path) -> None:
    with suppress(OSError):  # it is locked, was renamed meanwhile, or is not ours
        handle = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            state = os.fstat(handle)
            if stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid():
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()
        finally:
            os.close(handle)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure."""
    if fcntl is None:  # Windows does not open folders
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:  # some file systems cannot, some folders may not
            raise


@contextmanager
def errors_named(path: AnyPath) -> Iterator[None]:
    """Say in an error of a write, such as that of a full disk, which file it was."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = os.fspath(path)
        raise
