"""Watch a model learn from a stream: ``python -m boxwise.apps.demo``.

Loan applications arrive one at a time. The model first predicts the decision, then is told it and
learns; so every prediction is for a row it has not seen. One label in twenty is wrong, and halfway
through the bank changes its mind about whom to approve.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from boxwise import HyperboxClassifier
from boxwise.datasets import LoanStream
from boxwise.evaluate import Confusion

ROWS = 30_000
NOISE = 0.05
# From a decision about money (income against loan) to one about people (age and education).
BEFORE, AFTER = 7, 3
WINDOW = 1_000
REPORTS = 100


@dataclass(frozen=True)
class Scores:
    """Share of right predictions and class balanced accuracy."""

    accuracy: float
    cba: float


@dataclass(frozen=True)
class Progress:
    """Where a run has got to; `recent` is over the last `WINDOW` rows."""

    rows: int
    boxes: int
    seconds: float
    overall: Scores
    recent: Scores

    @property
    def rows_per_second(self) -> float:
        """Rows predicted and learned in a second, since the start."""
        return self.rows / self.seconds


def classifier() -> HyperboxClassifier:
    """Return the model of the demo, before it has seen anything."""
    # Twenty makes of car say nothing about a loan: delta=1 lets a box hold any mixture of them.
    return HyperboxClassifier(theta=0.3, delta=1.0)


def stream(rows: int, seed: int) -> LoanStream:
    """Return the applications, with the change of mind halfway."""
    return LoanStream(
        rows, function=BEFORE, noise=NOISE, drift_at=rows // 2, drift_to=AFTER, seed=seed
    )


def learn(model: HyperboxClassifier, applications: LoanStream) -> Iterator[Progress]:
    """Predict, then learn, row by row; say now and then how it goes."""
    total = applications.n_rows or 0
    every = max(1, total // REPORTS)
    overall, recent = Confusion(), Confusion(window=WINDOW)
    seconds, started = 0.0, perf_counter()
    for rows, (row, label) in enumerate(applications, start=1):
        if rows > 1:  # before the first row there is nothing to predict with
            guess = model.predict([row])[0]
            overall.add(label, guess)
            recent.add(label, guess)
        model.partial_fit([row], [label])
        if rows % every == 0 or rows == total:
            seconds += perf_counter() - started
            yield Progress(
                rows,
                len(model.boxes_),
                seconds,
                Scores(overall.accuracy, overall.cba),
                Scores(recent.accuracy, recent.cba),
            )
            started = perf_counter()  # what the reader does with it is not counted


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m boxwise.apps.demo",
        description="Watch a model learn online from a stream of loan applications.",
    )
    parser.add_argument("--rows", type=_positive, default=ROWS, help="default: %(default)s")
    parser.add_argument("--seed", type=_natural, default=0, help="default: %(default)s")
    options = parser.parse_args(arguments)
    try:
        from boxwise.apps.screen import Screen
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "rich":
            raise
        print('The demo needs the package rich: pip install "boxwise[cli]"', file=sys.stderr)
        return 1
    model, applications = classifier(), stream(options.rows, options.seed)
    newcomer, _ = next(iter(stream(1, options.seed + 1)))
    screen = Screen(options.rows, noise=NOISE, drift_at=options.rows // 2, window=WINDOW)
    try:
        screen.show(learn(model, applications), model, newcomer)
    except KeyboardInterrupt:
        return 130
    return 0


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def _positive(text: str) -> int:
    number = _natural(text)
    if number == 0:
        raise argparse.ArgumentTypeError("there must be at least one row")
    return number


if __name__ == "__main__":
    sys.exit(main())
