"""``boxwise demo``: watch a model learn from a stream.

Loan applications arrive one at a time. The model first predicts the decision, then is told it and
learns; so every prediction is for a row it has not seen. One label in twenty is wrong, and halfway
through the bank changes its mind about whom to approve.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated, Any

import typer

from boxwise import HyperboxClassifier
from boxwise.apps.demo.screen import Screen
from boxwise.apps.outcome import failures_reported
from boxwise.apps.results import opened
from boxwise.apps.writable import check_results
from boxwise.datasets import LoanStream
from boxwise.evaluate import Prequential
from boxwise.evaluate.peers import has_river, peer

ROWS = 50_000
NOISE = 0.05
# From a decision about money (income against loan) to one about people (age and education).
BEFORE, AFTER = 7, 3
PEERS = ("hoeffding-tree", "naive-bayes")
STEPS = 100


def demo(
    rows: Annotated[
        int, typer.Option(metavar="N", min=1, help="The number of applications.")
    ] = ROWS,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="The random seed of the applications.")
    ] = 0,
    to_csv: Annotated[
        Path | None,
        typer.Option(
            "--csv", metavar="FILE", help="Write the applications to this CSV file instead."
        ),
    ] = None,
) -> None:
    """Watch a model learn from a stream of loan applications.

    If River is installed (pip install "boxwise[river]"), its Hoeffding tree and naive Bayes learn
    from the same rows.

    With --csv, the command writes an example file instead: the same applications, all decided by
    age and education, without wrong labels.

    \b
    Examples:
      boxwise demo                                less than half a minute
      boxwise demo --rows 5000 --seed 1           shorter, other applications
      boxwise demo --csv loans.csv --rows 3000    an example file

    \b
    Exit codes:
      0    done
      1    the file cannot be written
      2    wrong usage
      130  stopped by Ctrl-C
    """  # noqa: D301  (click marks with it what it must not wrap)
    if to_csv is not None:
        with failures_reported():
            check_results(to_csv)
            _write(to_csv, LoanStream(rows, function=AFTER, seed=seed))
        return
    model = classifier()
    learners: dict[str, Any] = {"boxwise": model}
    if has_river():
        learners |= {name: peer(name) for name in PEERS}
    run = Prequential(learners, stream(rows, seed), every=max(1, rows // STEPS))
    newcomer, _ = next(iter(stream(1, seed + 1)))
    screen = Screen(rows, noise=NOISE, drift_at=rows // 2)
    try:
        screen.show(run, model, newcomer)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _write(path: Path, applications: LoanStream) -> None:
    with opened(path) as file:
        table = csv.writer(file, lineterminator="\n")
        for n, (row, decision) in enumerate(applications):
            if n == 0:
                table.writerow([*row, "decision"])
            table.writerow([*row.values(), decision])


def classifier() -> HyperboxClassifier:
    """Return the model of the demo, before it has seen anything."""
    # Twenty makes of car say nothing about a loan: delta=1 lets a box hold any mixture of them.
    return HyperboxClassifier(theta=0.3, delta=1.0)


def stream(rows: int, seed: int) -> LoanStream:
    """Return the applications, with the change of mind halfway."""
    return LoanStream(
        rows, function=BEFORE, noise=NOISE, drift_at=rows // 2, drift_to=AFTER, seed=seed
    )
