"""A bar on the terminal for what takes longer than a few seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

Report = Callable[[int], object]


@contextmanager
def follow(
    progress: bool | Callable[[int, int], object] | None,
    total: int,
    work: str = "tuning",
    steps: str = "fits",
) -> Iterator[Report]:
    """Give a function to call with the number of steps done, which shows or tells it.

    Parameters
    ----------
    progress : bool, callable or None
        True shows a bar, False nothing; None shows one on a terminal; a callable gets
        ``(done, total)``.
    total : int
        How many steps there are.
    work, steps : str
        What is being done, and what is counted.
    """
    if callable(progress):
        yield lambda done: progress(done, total)
        progress(total, total)
    elif progress or (progress is None and sys.stderr.isatty() and find_spec("rich")):
        with _bar(total, work, steps) as report:
            yield report
            report(total)
    else:
        yield lambda done: None


@contextmanager
def _bar(total: int, work: str, steps: str) -> Iterator[Report]:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining
    except ImportError:
        raise ImportError(
            'a progress bar needs rich: pip install "boxwise[cli]", or pass progress=False'
        ) from None
    columns = (TextColumn(work), BarColumn(), MofNCompleteColumn(), TextColumn(steps))
    with Progress(*columns, Remaining(), console=Console(stderr=True)) as bar:
        task = bar.add_task(work, total=total)
        yield lambda done: bar.update(task, completed=done)
