"""The output of the demo: a bar on a terminal, a line every tenth of the way, and a summary."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import isnan
from textwrap import fill

import numpy as np
import rich.progress as bars
from rich.console import Console

from boxwise import HyperboxClassifier
from boxwise.evaluate import Point, Prequential, Scores
from boxwise.rules import Rule

MOST_BOXES = 3  # boxes that are named for a decision
GROUP = 22  # columns of text for each learner: three of them fit on 80


class Screen:
    """The printed side of a run of `total` rows."""

    def __init__(self, total: int, *, noise: float, drift_at: int) -> None:
        self.total, self.noise, self.drift_at = total, noise, drift_at
        self.console = Console(highlight=False, markup=False)

    def show(
        self, run: Prequential, model: HyperboxClassifier, newcomer: dict[str, object]
    ) -> None:
        """Print the run as it goes, what came out of it, and why it decides as it does."""
        self._introduce([*run.points])
        for text in heads([*run.points], run.window):
            self.console.print(text)
        tenths = 0
        with self._bar() as bar:
            task = bar.add_task("", total=self.total)
            for points in run:
                now = points[0]
                bar.update(task, completed=now.rows, description=beside_the_bar(now))
                before, tenths = tenths, now.rows * 10 // self.total
                if tenths > before:
                    self.console.print(line(points))
                    if before < 5 <= tenths:
                        self.console.print(f"{'':14}  the rule changes here")
        self.console.print(f"\n{run}")
        self._print_boxes(model)
        self._explain(model, newcomer)

    def _introduce(self, names: Sequence[str]) -> None:
        beside = (
            f"River's {' and '.join(names[1:])} learn from the same rows."
            if names[1:]
            else 'River is not installed, so there is no comparison: pip install "boxwise[river]".'
        )
        self._wrapped(
            f"{self.total:,} loan applications arrive one at a time. boxwise predicts each "
            f"decision, then learns from it. {self.noise:.0%} of the labels are wrong, and "
            f"at row {self.drift_at:,} the rule behind the decisions changes. {beside} "
            "Accuracy in percent, and class balanced accuracy (CBA):"
        )
        self.console.print()

    def _bar(self) -> bars.Progress:
        return bars.Progress(
            bars.BarColumn(bar_width=20),
            bars.MofNCompleteColumn(),
            bars.TextColumn("{task.description}", markup=False),
            console=self.console,
            transient=True,
            disable=not sys.stdout.isatty(),
        )

    def _print_boxes(self, model: HyperboxClassifier) -> None:
        self.console.print("\nThe largest box of each class, by its most relevant columns:")
        largest: dict[object, Rule] = {}
        for rule in model.rules():
            largest.setdefault(rule.label, rule)
        for rule in sorted(largest.values(), key=lambda rule: str(rule.label)):
            self._wrapped(str(rule), "  ", "    ")

    def _explain(self, model: HyperboxClassifier, newcomer: dict[str, object]) -> None:
        (shares,), (decision,) = model.responsibilities([newcomer]), model.predict([newcomer])
        probability = model.predict_proba([newcomer]).max()
        own = np.where(model.boxes_.labels == decision, shares, 0.0)
        most = np.argsort(-own)[:MOST_BOXES].tolist()
        self.console.print("\nA new application, and the boxes behind its prediction:")
        application = "; ".join(f"{name} {shown(value)}" for name, value in newcomer.items())
        self._wrapped(application, "  ", "    ")
        self._wrapped(
            f"{decision}, with probability {probability:.2f}. All {len(shares):,} boxes vote; "
            "these contribute most:",
            "  ",
            "    ",
        )
        rules = {rule.boxes[0]: str(rule) for rule in model.rules()}
        for box in most:  # one of a model that was replaced has no rule
            line = rules.get(box) or model.boxes_.describe(box)
            self._wrapped(f"{own[box]:.2f}  {line}", "  ", "        ")

    def _wrapped(self, text: str, first: str = "", others: str = "") -> None:
        width = self.console.width
        self.console.print(fill(text, width, initial_indent=first, subsequent_indent=others))


def heads(names: Sequence[str], window: int) -> list[str]:
    """Return the two lines above the table."""
    scores = f"{'all':>10}{f'last {window:,}':>{GROUP - 10}}"
    return [
        f"{'':14}" + "".join(f"{name:>{GROUP}}" for name in names),
        f"{'rows':>7}{'boxes':>7}" + scores * len(names),
    ]


def line(points: Sequence[Point]) -> str:
    """Return one line of the table: where all learners stand."""
    now = points[0]
    groups = (f"{in_short(p.overall):>{GROUP - 11}}  {in_short(p.recent):>9}" for p in points)
    return f"{now.rows:>7,}{now.boxes or 0:>7,}" + "".join(groups)


def in_short(scores: Scores) -> str:
    """Return the share of right predictions and the class balanced accuracy."""
    return "-" if isnan(scores.cba) else f"{scores.accuracy:.0%} {scores.cba:.2f}"


def beside_the_bar(now: Point) -> str:
    """Return the latest figures of the first learner."""
    return f"{now.boxes or 0:,} boxes, CBA {now.recent.cba:.3f}, {now.rows_per_second:,.0f} rows/s"


def shown(value: object) -> str:
    """Return a value of an application as a person writes it."""
    return f"{value:,.0f}" if isinstance(value, float) else str(value)
