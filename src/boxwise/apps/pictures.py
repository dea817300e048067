"""Whether a picture can be drawn into a file, asked before the work and not after it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import typer

from boxwise.apps.outcome import fail
from boxwise.apps.writable import check_writable

PICTURES = (".png", ".svg", ".pdf")


def check_picture(path: Path, option: str) -> None:
    """End the command if the file of this option cannot become a picture."""
    if path.suffix.lower() not in PICTURES:
        raise typer.BadParameter(
            f"{path}: pictures are written as {', '.join(PICTURES)}; name the file so",
            param_hint=option,
        )
    if find_spec("matplotlib") is None:
        fail(f'{option} needs matplotlib: pip install "boxwise[plot]"')
    check_writable(path)
