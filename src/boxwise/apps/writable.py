"""Whether a file can be written, asked before the work and not after it."""

from __future__ import annotations

import os
from pathlib import Path

from boxwise.files import InputError


def check_writable(path: Path) -> None:
    """Raise InputError if no file can be written under this name."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the name of a file to write")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path} cannot be written: the folder {folder} may not be written to")
