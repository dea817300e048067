"""Pictures as files: whether one can be written, asked before the work, and writing it."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer

from boxwise.apps.outcome import fail
from boxwise.atomic_files import check_writable, writing

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


def write_picture(figure: Any, path: Path) -> None:
    """Write a figure in the format that the name of the file says."""
    drawn = io.BytesIO()  # not every format can be drawn straight into a pipe
    figure.savefig(drawn, format=path.suffix[1:].lower(), dpi=150)
    with writing(path) as file:
        file.write(drawn.getbuffer())
