"""The progress bar of reading files, on a terminal only."""

from __future__ import annotations

from typing import Protocol, Self

import rich.progress as bars
from rich.console import Console


class Shared(Protocol):
    """What knows how much of it was read, from 0 to 1; None if its size is not known."""

    @property
    def share(self) -> float | None:
        """How much was read."""


class ReadingBar:
    """A bar on standard error, with a text beside it; nothing if quiet or not on a terminal."""

    def __init__(self, files: Shared, *, quiet: bool = False) -> None:
        console = Console(stderr=True)
        self._files = files
        self.seen = console.is_terminal and not quiet
        self._bar = bars.Progress(
            bars.BarColumn(bar_width=20),
            bars.TextColumn("{task.description}", markup=False),
            console=console,
            transient=True,
            disable=not self.seen,
        )
        self._task = self._bar.add_task("reading", total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def show(self, text: str) -> None:
        """Bring the bar and the text up to date."""
        share = self._files.share
        total = None if share is None else 1.0
        self._bar.update(self._task, total=total, completed=share or 0.0, description=text)
