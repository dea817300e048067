"""The command `boxwise`: what to say where its libraries are not installed."""

from __future__ import annotations

import ctypes
import signal
import sys
from contextlib import suppress
from importlib.util import find_spec

_M_MMAP_THRESHOLD = -3  # as glibc's malloc.h has it


def main() -> None:
    """Run the command line."""
    missing = [name for name in ("typer", "rich") if find_spec(name) is None]
    if missing:
        sys.exit(f'the command line needs {" and ".join(missing)}: pip install "boxwise[cli]"')
    _give_memory_back()
    # Unwinds the command like Ctrl-C, so that no partial file is left.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        from boxwise.apps.cli import app

        app(standalone_mode=True)
    except KeyboardInterrupt:
        sys.exit(130)


def _give_memory_back() -> None:
    """Have large arrays go back to the system when they are freed.

    While a model grows, so do its arrays, and glibc would keep the room of the old ones: a third
    more memory at the end.
    """
    with suppress(AttributeError, OSError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, 1 << 17)
