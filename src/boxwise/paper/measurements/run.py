"""Making the measurements that a file does not hold yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from joblib import Parallel, delayed

from boxwise.paper.measurements import MEASUREMENTS, Measure, Measurement
from boxwise.paper.measurements.file import read_measurements, write_measurements
from boxwise.paper.protocol import Protocol, outer_fold, table
from boxwise.paper.results import Unit


def measure(
    path: Path,
    protocol: Protocol,
    datasets: Sequence[str],
    *,
    n_jobs: int = -1,
    folder: str | None = None,
    report: Callable[[str], object] = lambda name: None,
) -> None:
    """Measure what a file lacks on these data sets, and store each measurement as it is done."""
    measured = read_measurements(path)
    for measurement in MEASUREMENTS.values():
        units = [
            unit
            for dataset in measurement.datasets
            if dataset in datasets
            for unit in measurement.units(dataset, protocol.repeats)
            if unit not in measured
        ]
        if units:
            report(measurement.name)
            work = Parallel(n_jobs=1 if measurement.alone else n_jobs)
            found = work(delayed(measure_unit)(measurement, u, protocol, folder) for u in units)
            measured |= dict(zip(units, found, strict=True))
            write_measurements(path, measured)


def measure_unit(
    measurement: Measurement, unit: Unit, protocol: Protocol, folder: str | None
) -> list[Measure]:
    """Measure on one fold."""
    fold = outer_fold(table(unit.dataset, folder), protocol, unit.repeat, unit.fold)
    return [*measurement.run(fold)]
