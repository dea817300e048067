"""Running experiments: every fold a piece of work, on all cores, stored as it is done."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence

from joblib import Parallel, delayed

from boxwise.paper.alpha import Alpha
from boxwise.paper.delta import Delta
from boxwise.paper.encoders import Encoders
from boxwise.paper.experiment import Experiment
from boxwise.paper.find_alpha import FindAlpha
from boxwise.paper.mixed import Mixed
from boxwise.paper.protocol import N_FOLDS, Protocol, Row, outer_fold, table
from boxwise.paper.results import ResultsFile, Unit
from boxwise.paper.tuned import Tuned

SLOWEST = (
    "abalone",
    "molecular_biology",
    "nursery",
)  # begun first, so that no core waits at the end
EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (Alpha(), Delta(), Mixed(), Encoders(), FindAlpha(), Tuned())
}


def plan(
    experiments: Iterable[str], datasets: Sequence[str] | None, protocol: Protocol
) -> list[Unit]:
    """Return the units to run: experiment by experiment, those that take longest first."""
    units = []
    for name in experiments:
        chosen = [d for d in EXPERIMENTS[name].datasets if datasets is None or d in datasets]
        chosen.sort(key=lambda dataset: dataset not in SLOWEST)
        units += [
            Unit(name, dataset, repeat, fold)
            for dataset in chosen
            for repeat in range(protocol.repeats)
            for fold in range(N_FOLDS)
        ]
    return units


def run(
    units: Sequence[Unit],
    protocol: Protocol,
    file: ResultsFile,
    *,
    n_jobs: int = -1,
    folder: str | None = None,
    report: Callable[[Unit], object] = lambda unit: None,
) -> None:
    """Run the units that the file does not hold yet, and store each as it is done.

    joblib does the work, so whatever backend it is set to (processes of this machine, Dask, Ray)
    is used.
    """
    left = [unit for unit in units if unit not in file.done]
    work = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    calls = (delayed(_run_apart)(unit, protocol, folder, os.getpid()) for unit in left)
    for unit, rows in work(calls):
        file.add(unit, rows)
        report(unit)
    file.rewrite()


def _run_apart(
    unit: Unit, protocol: Protocol, folder: str | None, caller: int
) -> tuple[Unit, list[Row]]:
    # Ctrl-C reaches every process of a terminal; the caller deals with it for all.
    if os.getpid() != caller and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return run_unit(unit, protocol, folder)


def run_unit(unit: Unit, protocol: Protocol, folder: str | None) -> tuple[Unit, list[Row]]:
    """Run one unit."""
    fold = outer_fold(table(unit.dataset, folder), protocol, unit.repeat, unit.fold)
    return unit, [*EXPERIMENTS[unit.experiment].run(fold)]
