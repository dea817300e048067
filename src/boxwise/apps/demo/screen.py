"""The output of the demo: a live chart on a terminal, and one decision explained.

All of it fits on 80 × 24. Piped, it is plain text, written when the stream has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from textwrap import wrap

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from boxwise import HyperboxClassifier
from boxwise.apps.demo.chart import AccuracyChart
from boxwise.evaluate import Point, Prequential
from boxwise.explain.text import counterfactual_lines

MOST_BOXES = 3  # boxes that are named for a decision, as far as the terminal has lines for them
BYTES = 1_000
DECISIONS = {"approved": "bold green", "declined": "bold red"}


class Screen:
    """The printed side of a run of `total` rows."""

    def __init__(self, total: int, *, noise: float, drift_at: int) -> None:
        self.total, self.noise, self.drift_at = total, noise, drift_at
        self.console = Console(highlight=False, markup=False)
        self._printed = 0  # lines

    def show(
        self, run: Prequential, model: HyperboxClassifier, newcomer: dict[str, object]
    ) -> None:
        """Print the run as it goes, its result, and why the model decides as it does."""
        names = [*run.points]
        self._introduce(names)
        width, height = self.console.size
        chart = AccuracyChart(
            names, self.total, self.drift_at, width=width, height=height,
            ascii_only=self.console.options.ascii_only,
        )  # fmt: skip
        points: Sequence[Point] = ()
        is_live = self.console.is_terminal
        with Live(console=self.console, refresh_per_second=8) if is_live else nullcontext() as live:
            for points in run:
                chart.add(points)
                if live is not None:
                    live.update(Group(*chart.lines()))
        if not is_live:
            self.console.print(*chart.lines(), sep="\n")
        self._printed += len(chart.lines())
        self._print(cost_text(points[0]))
        self._explain(model, newcomer)

    def _introduce(self, names: Sequence[str]) -> None:
        beside = (
            f"River's {' and '.join(names[1:])} learn the same rows."
            if names[1:]
            else 'River is not installed, so there is no comparison: pip install "boxwise[river]".'
        )
        said = (
            f"{self.total:,} loan applications: boxwise predicts each, then learns it. "
            f"{self.noise:.0%} of the labels are wrong. {beside}"
        )
        self._print(*self._lines(said), "")

    def _explain(self, model: HyperboxClassifier, newcomer: dict[str, object]) -> None:
        (why,) = model.explain([newcomer])
        (shares,), decision = model.responsibilities([newcomer]), str(why.prediction)
        own = np.where(model.boxes_.labels == decision, shares, 0.0)
        application = ", ".join(f"{name} {shown(value)}" for name, value in newcomer.items())
        said = (
            f"Prediction: {decision}, probability {why.probability:.2f}. All {len(shares):,} boxes "
            "vote; these contribute most:"
        )
        self._print("", *self._lines(f"A new application: {application}."))
        self._print(*self._lines(said), decision=decision)
        changes = [self._lines(line) for line in counterfactual_lines(why)]
        # The prompt is in the last line.
        room = self.console.height - 1 - self._printed - sum(map(len, changes))
        rules = {rule.boxes[0]: str(rule) for rule in model.rules()}
        for k, box in enumerate(np.argsort(-own)[:MOST_BOXES].tolist()):
            # A box of a model that was replaced has no rule.
            rule = rules.get(box) or model.boxes_.describe(box)
            lines = self._lines(f"{own[box]:.2f}  {rule}", "  ", "        ")
            room -= len(lines)
            if k and room < 0 and self.console.is_terminal:
                break
            self._print(*lines, decision=decision)
        for lines in changes:
            self._print(*lines)

    def _lines(self, text: str, first: str = "", others: str = "") -> list[str]:
        return wrap(text, self.console.width, initial_indent=first, subsequent_indent=others)

    def _print(self, *lines: str, decision: str = "") -> None:
        """Print lines, with the decision in colour, and count them."""
        for line in lines:
            text = Text(line)
            if decision in DECISIONS:
                text.highlight_words([decision], DECISIONS[decision])
            self.console.print(text)
        self._printed += len(lines)


def cost_text(now: Point) -> str:
    """Return the size and the speed of the first learner."""
    boxes = now.boxes or 0
    memory = f", {now.memory / BYTES:,.0f} kB" if now.memory else ""
    return (
        f"boxwise: class balanced accuracy {now.overall.cba:.3f}, {boxes:,} "
        f"box{'' if boxes == 1 else 'es'}{memory}, {now.rows_per_second:,.0f} rows/s"
    )


def shown(value: object) -> str:
    """Return a value of an application as a person writes it."""
    return f"{value:,.0f}" if isinstance(value, float) else str(value)
