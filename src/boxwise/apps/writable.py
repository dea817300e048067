"""Checks that an output can be written, made before the work and not after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import typer

from boxwise.atomic_files import check_replaceable, check_writable
from boxwise.files import STANDARD_INPUT, InputError

STANDARD_OUTPUT = Path("-")


def check_results(path: Path | None) -> None:
    """Raise OSError if results cannot be written there; None and ``-`` are standard output."""
    if path is not None and path != STANDARD_OUTPUT:
        check_writable(path)


def check_model(path: Path) -> None:
    """Raise OSError or InputError if no model file can be written under this name."""
    if path == STANDARD_OUTPUT:
        raise InputError("a model is not written to standard output; give the name of a file")
    check_replaceable(path)


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
    with suppress(OSError, ValueError):  # a file that cannot be read fails later, when it is read
        if given == STANDARD_INPUT:
            return os.path.samestat(path.stat(), os.fstat(sys.stdin.fileno()))
        return path.samefile(given)
    return False
