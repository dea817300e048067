"""Whether a file can be written, asked before the work and not after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import typer

from boxwise.files import STANDARD_INPUT, InputError


def check_writable(path: Path) -> None:
    """Raise InputError if no file can be written under this name."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the name of a file to write")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path} cannot be written: the folder {folder} may not be written to")


def refuse_input(path: Path | None, inputs: Iterable[str | Path], option: str) -> None:
    """Refuse an output that is one of the files to read, under whatever name: it would be lost."""
    if path is None or not path.is_file():
        return
    for given in inputs:
        if _is_same(path, given):
            raise typer.BadParameter(
                f"{path} is a file to read, and would be overwritten; name another file to write",
                param_hint=option,
            )


def _is_same(path: Path, given: str | Path) -> bool:
    with suppress(OSError, ValueError):  # what cannot be read is told when it is read
        if given == STANDARD_INPUT:
            return os.path.samestat(path.stat(), os.fstat(sys.stdin.fileno()))
        return path.samefile(given)
    return False
