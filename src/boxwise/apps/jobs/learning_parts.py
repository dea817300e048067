"""``boxwise learn --jobs``: files learned in parts, in several processes, and merged."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import numpy as np
import typer
from sklearn.base import clone

from boxwise import EIOLGFMM, HyperboxClassifier, ImprovedOnlineGFMM, dumps, loads
from boxwise.apps.interruption import Interruption, OverdueError
from boxwise.apps.jobs.merging import check_columns, merged
from boxwise.apps.jobs.parts import LearnedPart, Part, Progress, groups, learn_part, most_withheld
from boxwise.apps.jobs.workers import WorkerDiedError, WorkStopped, results_in_order
from boxwise.apps.options.files import FileOptions
from boxwise.apps.outcome import fail, notify
from boxwise.apps.progress.reading_bar import ReadingBar
from boxwise.files import STANDARD_INPUT, InputError, NumberLabels, ReadOptions, Typing
from boxwise.inputs import columns_by_position
from boxwise.learners.parts import tuning_order
from boxwise.schema import Schema, Vocabulary

MERGED = (HyperboxClassifier, EIOLGFMM, ImprovedOnlineGFMM)
SMALL = 10_000  # rows of a part on average: fewer are hardly worth a process
_DECLARE = "declare it with --numeric or --categorical"


def check_can_be_merged(model: Any) -> None:
    """End the command with an error if models of its kind are not learned in parts."""
    if not isinstance(model, MERGED):
        raise typer.BadParameter(
            f"{type(model).__name__} cannot be learned in parts; leave it out, or use --algorithm "
            "hyperbox, eiol-gfmm or iol-gfmm",
            param_hint="--jobs",
        )


def check_files(data: Sequence[str]) -> None:
    """End the command with an error if another process could not read a file."""
    for path in data:
        file = Path(path)
        if path == STANDARD_INPUT or (file.exists() and stat.S_ISFIFO(file.stat().st_mode)):
            shown = "standard input" if path == STANDARD_INPUT else path
            raise typer.BadParameter(
                f"{shown} cannot be read by several processes; name regular files, or leave it out",
                param_hint="--jobs",
            )


@dataclass
class PartedFiles:
    """Files to learn in parts, and what they have in common.

    Attributes
    ----------
    learned : int
        How many rows were used.
    parts : int
        How many parts had rows.
    """

    data: Sequence[str]
    jobs: int
    options: FileOptions
    read_options: ReadOptions
    interruption: Interruption
    numbers: NumberLabels | None
    learned: int = field(default=0, init=False)
    parts: int = field(default=0, init=False)

    def learn(self, blank: Any, typing: Typing, before: Sequence[tuple[str, Any]]) -> Any:
        """Return the merged model, or None if no row can be used.

        Parameters
        ----------
        blank : estimator
            With the columns and the parameters; it has learned nothing.
        typing : Typing
            What the cells are to be.
        before : sequence of (str, estimator)
            The model that has learned rows before these and its file, if there is one.
        """
        parts = groups(self.data)
        with _PartsBar(parts, quiet=self.options.quiet) as bar:
            learned = [*self._learned(self._tasks(parts, blank, typing), bar)]
            models = [*before]
            models += [(_shown(p.files), loads(p.model)) for p in learned if p.model is not None]
            self.learned = sum(part.rows for part in learned)
            self.parts = len(models) - len(before)
            if not self.parts:
                return None
            bar.show(f"merging {len(models)} models")
            whole = self._merged(models, learned)
        if not self.options.quiet and self.learned < SMALL * self.parts:
            notify(
                f"the parts have {self.learned // self.parts:,} rows on average, which is few; "
                "without --jobs the model is likely to be better, and hardly later"
            )
        return whole

    def _tasks(self, parts: Sequence[tuple[str, ...]], blank: Any, typing: Typing) -> list[Part]:
        return [
            Part(
                number,
                files,
                self.read_options,
                tuple(self.options.missing or ()),
                self.options.on_error.value,
                self.options.chunk_rows,
                typing,
                dumps(blank),
                None if self.numbers is None else self.numbers.known,
                most_withheld(blank, number, len(parts)),
            )
            for number, files in enumerate(parts)
        ]

    def _learned(self, tasks: Sequence[Part], bar: _PartsBar) -> Iterator[LearnedPart]:
        """Yield the parts in their order, after what is to be said of their rows."""
        warned: set[str] = set()
        results = results_in_order(
            learn_part,
            tasks,
            self.jobs,
            news=bar.news,
            stopped=lambda: self.interruption.signal is not None,
        )
        try:
            for part in results:
                self.options.row_errors.extend(part.row_errors)
                for warning in part.warnings:
                    if warning not in warned:
                        warned.add(warning)
                        notify(warning)
                self._count_classes(part)
                bar.done(part.rows)
                yield part
        except WorkStopped:
            self._stopped()
        except WorkerDiedError as death:
            raise InputError(
                f"{_shown(tasks[death.task].files)}: the process that learned it ended with "
                f"{death.exit_code}; if memory was short, use fewer --jobs"
            ) from None

    def _count_classes(self, part: LearnedPart) -> None:
        if self.numbers is not None and part.model is not None:
            labels = [*loads(part.model).classes_.tolist(), *part.labels]
            self.numbers.count(labels, part.files[0])
            self.numbers.question()

    def _merged(self, models: Sequence[tuple[str, Any]], learned: Sequence[LearnedPart]) -> Any:
        names, parts = [name for name, _ in models], [model for _, model in models]
        found: list[Any] = []

        def work() -> None:
            check_columns(names, parts, _DECLARE)
            with columns_by_position():
                tune = _withheld(learned, parts)
                found.append(merged(names, parts, in_order=True, tune=tune))

        try:
            self.interruption.wait_for(work)
        except OverdueError:
            self._stopped()
        return found[0]

    def _stopped(self) -> NoReturn:
        fail("stopped; nothing was written", self.interruption.exit_code)


def blank_like(model: Any) -> Any:
    """Return a model with the columns and parameters of another, which has learned nothing."""
    schema: Schema = model.schema_
    columns = [
        c.with_values(Vocabulary() if c.kind == "categorical" else None) for c in schema.columns
    ]
    blank = clone(model)
    blank._begin(Schema(columns, named=schema.named))
    return blank


def _withheld(
    parts: Sequence[LearnedPart], models: Sequence[Any]
) -> tuple[dict[str, Any], list[object]] | None:
    """Return the withheld rows of all parts, in the order in which they are learned."""
    labels = [label for part in parts for label in part.labels]
    if not labels:
        return None
    schemas = [model.schema_ for model in models]
    numeric = {j for schema in schemas for j in schema.numeric}
    order = tuning_order(len(labels)).tolist()
    table: dict[str, Any] = {}
    for j, name in enumerate(next(part for part in parts if part.columns).columns):
        cells = [cell for part in parts if part.columns for cell in part.columns[name]]
        shuffled = [cells[i] for i in order]
        table[name] = np.array(shuffled, dtype=np.float64) if j in numeric else shuffled
    return table, [labels[i] for i in order]


def _shown(files: Sequence[str]) -> str:
    return files[0] if len(files) == 1 else f"{files[0]} to {files[-1]}"


class _PartsBar(ReadingBar):
    """Parts, rows and rows per second."""

    def __init__(self, parts: Sequence[tuple[str, ...]], *, quiet: bool) -> None:
        sizes = [sum(Path(file).stat().st_size for file in files) for files in parts]
        self._sizes, self._shares = sizes, [0.0] * len(parts)
        self._rows, self._done = [0] * len(parts), 0
        self._start = monotonic()
        super().__init__(self, quiet=quiet)

    @property
    def share(self) -> float | None:
        """How much was read."""
        read = sum(size * share for size, share in zip(self._sizes, self._shares, strict=True))
        return read / max(1, sum(self._sizes))

    def news(self, part: int, progress: Progress) -> None:
        """Take what a process tells of its part."""
        self._rows[part], self._shares[part] = progress.rows, progress.share or 0.0
        self._tell()

    def done(self, rows: int) -> None:
        """Mark the next part as done."""
        self._rows[self._done], self._shares[self._done] = rows, 1.0
        self._done += 1
        self._tell()

    def _tell(self) -> None:
        rows, seconds = sum(self._rows), max(monotonic() - self._start, 1e-9)
        parts = f"{self._done} of {len(self._rows)} parts"
        self.show(f"{parts}, {rows:,} rows, {rows / seconds:,.0f} rows/s")
