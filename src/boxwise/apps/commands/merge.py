"""``boxwise merge``: model files learned on parts of the data in, one model file out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from boxwise import load
from boxwise.apps.interruption import Interruption, OverdueError
from boxwise.apps.jobs.merging import check_columns, merged
from boxwise.apps.labelled_files import no_rows, number_labels, started_to_learn
from boxwise.apps.learning import pieces, typed_chunks
from boxwise.apps.model_columns import (
    assign_kinds,
    report_columns_left_out,
    typing_for,
    wanted_names,
)
from boxwise.apps.model_rows import label_in
from boxwise.apps.options import files as reading
from boxwise.apps.options.columns import ColumnOptions
from boxwise.apps.outcome import end, fail, failures_reported, notify
from boxwise.apps.progress.reading_bar import ReadingBar
from boxwise.apps.writable import check_model, refuse_input
from boxwise.core.words import counted
from boxwise.dates import dates_in
from boxwise.explain import rows_learned
from boxwise.files import InputError, ReadingStopped
from boxwise.inputs import columns_by_position
from boxwise.learners.merging import tuning
from boxwise.progress import follow

SLOW = 20_000  # boxes take seconds to merge
_LEARN_AGAIN = "learn one of them again with --numeric or --categorical"


def merge(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL", help="The model files.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ],
    tune: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Labelled rows that no model has learned, to tune the merged one with; may be "
            "repeated.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The column of the classes in --tune (the one that the models do not have).",
        ),
    ] = None,
    in_order: Annotated[
        bool,
        typer.Option(
            "--in-order", help="The parts follow each other in time; the last one counts most."
        ),
    ] = False,
    *,
    options: reading.FileOptions,
) -> None:
    """Merge models that were learned on parts of the data into one.

    The models must be of one kind (hyperbox, eiol-gfmm, iol-gfmm, agglo-2 or agglo-sm) and have the
    same parameters and columns; categories, classes and ranges may differ. The result depends on
    the order of the models. They stay as they are.

    With hyperbox, boxes that are alike become one, and there are at most --max-boxes of them. Give
    about 600 labelled rows that no model has learned as --tune: the merged model learns them, which
    finds anew how much each column matters.

    \b
    Examples:
      boxwise merge north.box south.box -o all.box
      boxwise merge north.box south.box -o all.box --tune withheld.csv
      boxwise merge 2026-05.box 2026-06.box 2026-07.box -o summer.box --in-order

    \b
    Exit codes:
      0    done
      1    a model, a file or a row cannot be used; nothing was written
      2    wrong usage
      3    done, but rows were left out (--on-error skip or report)
      130  stopped by Ctrl-C (143: by SIGTERM); nothing was written
    """  # noqa: D301  (click marks with it what it must not wrap)
    _check(models, output, tune, label)
    with failures_reported(), Interruption() as interruption:
        check_model(output)
        parts = _loaded(models, options, interruption)
        rows, boxes = sum(rows_learned(m._fitted()) for m in parts), sum(m.n_boxes_ for m in parts)
        if boxes > SLOW and not options.quiet:
            notify(f"merging {boxes:,} boxes of {counted(len(parts), 'model', 'models')}")
        whole = _merged(models, parts, interruption, in_order=in_order)
        learned = _tuned(whole, tune, label, options, interruption) if tune else 0
        if interruption.signal is not None:
            _stopped(interruption)
        whole.save(output)
        if not options.quiet:
            more = f" and {learned:,} to tune" if learned else ""
            typer.echo(
                f"{output}: {counted(len(parts), 'model', 'models')}, "
                f"{counted(rows, 'row', 'rows')}{more}, "
                f"{counted(whole.n_boxes_, 'box', 'boxes')} ({boxes:,} before), "
                f"{counted(len(whole.classes_), 'class', 'classes')}"
            )
        end(options.row_errors, quiet=options.quiet)


def _check(
    models: Sequence[Path], output: Path, tune: Sequence[str] | None, label: str | None
) -> None:
    if label is not None and not tune:
        raise typer.BadParameter(
            "it is a column of --tune, which is not given", param_hint="--label"
        )
    for i, path in enumerate(models):
        if any(path == other or _is_same(path, other) for other in models[:i]):
            raise typer.BadParameter(
                f"{path} is given twice, and its rows would count twice", param_hint="MODEL"
            )
    refuse_input(output, [*models, *(tune or ())], "--output")


def _is_same(path: Path, other: Path) -> bool:
    return path.is_file() and other.is_file() and path.samefile(other)


def _loaded(
    paths: Sequence[Path], options: reading.FileOptions, interruption: Interruption
) -> list[Any]:
    models = []
    with follow(False if options.quiet else None, len(paths), "reading", "models") as report:
        for path in paths:
            models.append(load(path))
            report(len(models))
            if interruption.signal is not None:
                _stopped(interruption)
    return models


def _merged(
    paths: Sequence[Path], models: Sequence[Any], interruption: Interruption, *, in_order: bool
) -> Any:
    found: list[Any] = []
    names = [*map(str, paths)]

    def work() -> None:
        check_columns(names, models, _LEARN_AGAIN)
        found.append(merged(names, models, in_order=in_order))

    try:
        interruption.wait_for(work)
    except OverdueError:
        _stopped(interruption)
    return found[0]


def _tuned(
    model: Any,
    data: Sequence[str],
    label: str | None,
    options: reading.FileOptions,
    interruption: Interruption,
) -> int:
    """Have the model learn the rows, as `tune` of `boxwise.merge` does; return how many."""
    if not hasattr(model, "partial_fit"):
        raise InputError(
            f"{type(model).__name__} models cannot go on learning: they need all rows at once; "
            "leave out --tune"
        )
    wanted = ColumnOptions()
    wanted.label = label or label_in(model, data, options, "--tune")
    only = wanted_names(model.schema_, wanted.label)
    learned = 0
    dates = dates_in(model.schema_)
    with closing(options.files(data, only=only, stop=interruption.stop, dates=dates)) as files:
        wanted.check(files)
        typing = typing_for(model, files, wanted.label)
        if not options.quiet:
            report_columns_left_out(files, typing)
        numbers = number_labels(wanted, options, model.classes_.tolist())
        try:
            _, chunks = started_to_learn(files, wanted, options, numbers)
            typed = typed_chunks(typing, chunks, options.row_errors)
            bar = ReadingBar(files, quiet=options.quiet)
            with bar, columns_by_position(), tuning(model):
                for piece, kinds in pieces(model, typed):
                    if interruption.signal is not None:
                        _stopped(interruption)
                    assign_kinds(model, kinds, piece)
                    model.partial_fit(piece.columns, piece.labels)
                    learned += piece.n_rows
                    bar.show(f"{learned:,} rows to tune")
        except ReadingStopped:
            _stopped(interruption)
        if not learned:
            no_rows(files, options.row_errors)
    return learned


def _stopped(interruption: Interruption) -> NoReturn:
    fail("stopped; nothing was written", interruption.exit_code)
