"""The file of measurements: a line for each number, beside the results."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from boxwise.atomic_files import writing_text
from boxwise.paper.measurements.measurement import Measure
from boxwise.paper.results import Unit

NAME = "measurements.csv"
HEADER = ("measurement", *Unit._fields[1:], *Measure._fields)
Measured = dict[Unit, list[Measure]]


def read_measurements(path: Path) -> Measured:
    """Return what a file holds; nothing if there is none."""
    measured: Measured = {}
    if not path.exists():
        return measured
    with path.open(newline="", encoding="utf-8") as file:
        for line, cells in enumerate(csv.reader(file), start=1):
            if line == 1:
                continue
            try:
                name, dataset, repeat, fold, of, what, value = cells
                unit = Unit(name, dataset, int(repeat), int(fold))
                measured.setdefault(unit, []).append(Measure(of, what, float(value)))
            except ValueError as error:
                raise ValueError(
                    f"{path}, line {line}: {error}; delete the file to measure anew"
                ) from error
    return measured


def write_measurements(path: Path, measured: Mapping[Unit, Sequence[Measure]]) -> None:
    """Write the file anew, whole or not at all, the units in alphabetical order."""
    with writing_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for unit in sorted(measured):
            writer.writerows([*unit, *measure] for measure in measured[unit])
