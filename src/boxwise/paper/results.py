"""The results file: a line per method, setting and fold; complete folds only, come what may."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from boxwise.atomic_files import writing_text
from boxwise.paper.protocol import Row


class Unit(NamedTuple):
    """One piece of work: one outer fold of one data set in one experiment."""

    experiment: str
    dataset: str
    repeat: int
    fold: int


HEADER = (*Unit._fields, *Row._fields, "of")  # of: how many rows the unit has


class ResultsFile:
    """A CSV file to which the rows of a unit are added when it is done.

    Each row says how many its unit has. When the file is opened again, units of which a row
    is missing or damaged are dropped, to be run again: a run may be killed at any moment.

    Parameters
    ----------
    path : Path
        The file; made if there is none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[Unit, list[Row]] = {}
        if path.exists():
            with path.open(newline="", encoding="utf-8", errors="replace") as file:
                self.done = dict(_read(file))
        self.rewrite()

    def add(self, unit: Unit, rows: Sequence[Row]) -> None:
        """Store what a unit gave, for good."""
        self.done[unit] = [*rows]
        with self.path.open("a", newline="", encoding="utf-8") as file:
            file.write(_text(unit, rows))
            file.flush()
            os.fsync(file.fileno())

    def rewrite(self) -> None:
        """Write the file anew, the units in alphabetical order: equal results, equal bytes."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with writing_text(self.path) as file:
            csv.writer(file, lineterminator="\n").writerow(HEADER)
            for unit in sorted(self.done):
                file.write(_text(unit, self.done[unit]))


def _text(unit: Unit, rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow([*unit, *("" if value is None else value for value in row), len(rows)])
    return text.getvalue()


def _read(lines: Iterable[str]) -> Iterator[tuple[Unit, list[Row]]]:
    """Yield the units that are complete."""
    rows: list[Row] = []
    current: Unit | None = None
    for cells in csv.reader((line.replace("\0", "") for line in lines), quoting=csv.QUOTE_NONE):
        try:
            unit, row, wanted = _parse(cells)
        except ValueError:  # the header, or damaged: then its unit lacks a row
            continue
        if unit != current:
            current, rows = unit, []
        rows.append(row)
        if len(rows) == wanted:
            yield unit, rows


def _parse(cells: Sequence[str]) -> tuple[Unit, Row, int]:
    def number(text: str) -> float | None:
        return float(text) if text else None

    experiment, dataset, repeat, fold, method, variant, theta, second, alpha, *rest = cells
    cba, boxes, wanted = rest
    unit = Unit(experiment, dataset, int(repeat), int(fold))
    row = Row(method, variant, float(theta), number(second), number(alpha), float(cba), int(boxes))
    if not 0 <= row.cba <= 1:
        raise ValueError("not a class balanced accuracy")
    return unit, row, int(wanted)
