"""The command `boxwise`: what to say where its libraries are not installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec


def main() -> None:
    """Run the command line."""
    missing = [name for name in ("typer", "rich") if find_spec(name) is None]
    if missing:
        sys.exit(f'the command line needs {" and ".join(missing)}: pip install "boxwise[cli]"')
    try:
        from boxwise.apps.cli import app

        app(standalone_mode=True)
    except KeyboardInterrupt:
        sys.exit(130)
