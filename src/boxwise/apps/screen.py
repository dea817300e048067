"""What the demo prints: a bar on a terminal, a line every tenth of the way, and a summary."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
import rich.progress as bars
from rich.console import Console

if TYPE_CHECKING:
    from boxwise import HyperboxClassifier
    from boxwise.apps.demo import Progress, Scores


class Screen:
    """The printed side of a run of `total` rows."""

    def __init__(self, total: int, *, noise: float, drift_at: int, window: int) -> None:
        self.total, self.noise, self.drift_at, self.window = total, noise, drift_at, window
        self.console = Console(highlight=False, markup=False)

    def show(
        self, run: Iterable[Progress], model: HyperboxClassifier, newcomer: dict[str, object]
    ) -> None:
        """Print the run as it goes, what came out of it, and why it decides as it does."""
        self._introduce()
        tenths, now = 0, None
        with self._bar() as bar:
            task = bar.add_task("", total=self.total)
            for now in run:
                bar.update(task, completed=now.rows, description=beside_the_bar(now))
                before, tenths = tenths, now.rows * 10 // self.total
                if tenths > before:
                    self.console.print(line(now))
                    if before < 5 <= tenths:
                        self.console.print("          from here on another rule decides")
        if now is not None:
            self._summarise(now, model)
            self._explain(model, newcomer)

    def _introduce(self) -> None:
        self.console.print(
            f"{self.total:,} loan applications arrive one at a time. The model predicts each "
            f"decision, then is told it and learns. {self.noise:.0%} of the labels are wrong, and "
            f"from row {self.drift_at:,} on another rule decides.\n"
        )
        self.console.print(f"{'':29}{'all so far':>18}{f'last {self.window:,}':>18}")
        scores = f"{'accuracy':>11}{'CBA':>7}"
        self.console.print(f"{'rows':>9}{'boxes':>10}{'rows/s':>10}{scores}{scores}")

    def _bar(self) -> bars.Progress:
        return bars.Progress(
            bars.BarColumn(bar_width=15),
            bars.MofNCompleteColumn(),
            bars.TextColumn("{task.description}", markup=False),
            console=self.console,
            transient=True,
            disable=not sys.stdout.isatty(),
        )

    def _summarise(self, end: Progress, model: HyperboxClassifier) -> None:
        self.console.print(
            f"\n{end.rows:,} rows in {end.seconds:.1f} s: throughput "
            f"{end.rows_per_second:,.0f} rows/s, predicted and learned one by one. "
            f"{end.boxes:,} boxes. Overall {in_words(end.overall)}."
        )
        self.console.print("\nThe largest box of each kind:")
        for i in largest(model):
            self._indented(model.boxes_.describe(i))

    def _explain(self, model: HyperboxClassifier, newcomer: dict[str, object]) -> None:
        (degrees,), (decision,) = model.membership([newcomer]), model.predict([newcomer])
        winner = int(np.argmax(np.where(model.boxes_.labels == decision, degrees, -1)))
        self.console.print("\nA new application, and why it is decided so:")
        self._indented("; ".join(f"{name} {shown(value)}" for name, value in newcomer.items()))
        self._indented(
            f"{decision}: of {len(degrees):,} boxes it belongs most to this "
            f"one, with membership {degrees[winner]:.3f}:"
        )
        self._indented(model.boxes_.describe(winner))

    def _indented(self, text: str) -> None:
        width = self.console.width
        self.console.print(fill(text, width, initial_indent="  ", subsequent_indent="    "))


def shown(value: object) -> str:
    """Return a value of an application as a person writes it."""
    return f"{value:,.0f}" if isinstance(value, float) else str(value)


def line(now: Progress) -> str:
    """Return one line of the table."""
    figures = f"{now.rows:>9,}{now.boxes:>10,}{now.rows_per_second:>10,.0f}"
    scores = (f"{s.accuracy:>11.1%}{s.cba:>7.3f}" for s in (now.overall, now.recent))
    return figures + "".join(scores)


def beside_the_bar(now: Progress) -> str:
    """Return the latest figures, on two lines so that they fit on a narrow terminal."""
    return (
        f"{now.rows_per_second:,.0f} rows/s, {now.boxes:,} boxes\n"
        f"{in_words(now.recent)}; all {now.overall.accuracy:.1%}, {now.overall.cba:.3f}"
    )


def in_words(scores: Scores) -> str:
    """Return accuracy and class balanced accuracy in words."""
    return f"accuracy {scores.accuracy:.1%}, CBA {scores.cba:.3f}"


def largest(model: HyperboxClassifier) -> list[int]:
    """Return, for every class, the number of the box that holds most rows."""
    boxes = model.boxes_
    labels, n_samples = np.asarray(boxes.labels), np.asarray(boxes.n_samples)
    return [int(np.argmax(np.where(labels == label, n_samples, 0))) for label in np.unique(labels)]
