"""What the benchmarks share: a page of Markdown that is printed as it grows, a stopwatch, rows."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from boxwise.datasets import LoanStream

FOLDER = Path(__file__).parent / "results"


class Report:
    """Lines of Markdown, printed at once and written to benchmarks/results in the end."""

    def __init__(self, title: str, command: str) -> None:
        self.lines: list[str] = []
        self.say(f"# {title}\n")
        self.say(
            f"Made by `{command}`; {platform.machine()}, Python {platform.python_version()}, "
            f"NumPy {np.__version__}.\n"
        )

    def say(self, text: str = "") -> None:
        """Add a line."""
        print(text, flush=True)
        self.lines.append(text)

    def write(self, name: str) -> None:
        """Write the page to a file of the results."""
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / name).write_text("\n".join(self.lines).rstrip() + "\n")


def seconds(work: Callable[..., object], *arguments: object, repeat: int = 1) -> float:
    """Return the least time of a few runs."""
    times = []
    for _ in range(repeat):
        start = perf_counter()
        work(*arguments)
        times.append(perf_counter() - start)
    return min(times)


def scaled_table(n_rows: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return the loan stream in the only form hyperbox-brain takes: scaled, numbered categories."""
    columns, labels = LoanStream(n_rows, function=2, noise=0.05, seed=1).table()
    numbers = [c for c in columns.values() if c.dtype.kind in "fi"]
    texts = [c for c in columns.values() if c.dtype.kind not in "fi"]
    X = np.empty((n_rows, len(columns)), dtype=object)
    for j, c in enumerate(numbers):
        X[:, j] = (c - c.min()) / (c.max() - c.min())
    for j, c in enumerate(texts, start=len(numbers)):
        X[:, j] = np.unique(c, return_inverse=True)[1]
    y = np.unique(labels, return_inverse=True)[1]
    return X, y, [*range(len(numbers), len(columns))]
