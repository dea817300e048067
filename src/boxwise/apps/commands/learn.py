"""``boxwise learn``: files in, a model file out."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from boxwise import load
from boxwise.apps.change_watch import (
    AlarmCommandOption,
    ChangeWatch,
    changes_of,
    check_raises_alarms,
)
from boxwise.apps.interruption import Interruption, OverdueError
from boxwise.apps.jobs.learning_parts import (
    PartedFiles,
    blank_like,
    check_can_be_merged,
    check_files,
)
from boxwise.apps.labelled_files import (
    NoRowsError,
    no_rows,
    number_labels,
    started_to_learn,
    typed_by_first_rows,
)
from boxwise.apps.learning import pieces, typed_chunks
from boxwise.apps.model_columns import (
    assign_kinds,
    online,
    report_columns_left_out,
    schema_of,
    typing_for,
    wanted_names,
)
from boxwise.apps.options import columns as columns
from boxwise.apps.options import files as reading
from boxwise.apps.options import model as parameters
from boxwise.apps.options.monotone import absent_classes
from boxwise.apps.outcome import (
    ROWS_LEFT_OUT,
    fail,
    failures_reported,
    notify,
    report_rows_left_out,
)
from boxwise.apps.possible_codes import note_columns
from boxwise.apps.progress.learning_bar import LearningBar
from boxwise.apps.progress.reading_bar import ReadingBar
from boxwise.apps.writable import check_model, refuse_input
from boxwise.core.words import counted
from boxwise.dates import dates_in
from boxwise.explain import rows_learned
from boxwise.files import (
    Chunk,
    FileSet,
    ReadingStopped,
    TypedChunk,
    Typing,
)
from boxwise.inputs import columns_by_position
from boxwise.learners.base.explained_learner import ExplainedLearner
from boxwise.schema import Kind

MANY_BOXES = 0.8  # of the rows: too many to say much
ENOUGH_ROWS = 500  # before which many boxes mean nothing


@dataclass
class Plan:
    """The model to learn, the files to learn from, and the progress."""

    files: FileSet
    options: reading.FileOptions
    interruption: Interruption
    columns: columns.ColumnOptions
    alarm_command: str | None = None
    fix: list[str] | None = None
    learned: int = 0
    last_row: int | None = None  # the last one that was learned, if not all that were read were
    parted: PartedFiles | None = None  # if they are learned in parts


def learn(
    data: reading.FilesArgument,
    label: columns.LabelOption,
    output: reading.NewModelOption = None,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="Continue to learn this model file; it is replaced unless -o is given.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Learn each file separately, in N processes, and merge the models: another "
            "model than that of one pass over the files, and the same for every N.",
        ),
    ] = None,
    fix: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Columns that counterfactuals of the model must never change, such as the age; "
            "the model file keeps them.",
        ),
    ] = None,
    *,
    settings: parameters.SettingOptions,
    alarm_command: AlarmCommandOption = None,
    wanted: columns.ColumnOptions,
    options: reading.FileOptions,
) -> None:
    """Learn a model from files, row by row, and write it to a file.

    Reads CSV, TSV, JSON Lines and Parquet of any size, the first three also compressed with gzip;
    only a part of the rows is in memory at a time. The first 10,000 rows determine which columns
    are numeric and which are categorical; a column that is empty there gets its kind with its first
    value. The model is that of partial_fit with all rows, byte for byte; that of fit differs: fit
    draws an order of the rows, takes ranks and ranges of the whole table, and watches no errors.
    Give several names of columns one by one or with commas. The algorithms onln-gfmm-m1,
    agglo-2 and agglo-sm hold all rows in memory.

    With --jobs, each file is a part with a model of its own; N parts are learned at a time, and all
    models are merged in the order of the files. The merged model does not depend on N. It differs
    from that of one pass over the files, and is about as good if the parts have 10,000 rows or
    more. A single file is learned in one pass.

    With --algorithm hyperbox, a line is printed when errors rise (an alarm) and when a new set of
    boxes replaces the old one; --alarm-command then runs a command, for at most 10 seconds.

    Ctrl-C or SIGTERM ends learning within about a second. The model then contains the rows learned
    so far, whose number is printed. After an error nothing is written. An algorithm that needs all
    rows, and --jobs, write nothing if they are stopped.

    \b
    Examples:
      boxwise learn loans.csv --label decision -o loans.box
      boxwise learn loans.csv --label decision -o loans.box --only age,education
      boxwise learn may.csv.gz june.csv.gz --label decision -o loans.box
      boxwise learn july.csv --label decision --into loans.box
      boxwise learn loans.csv --label decision -o v2.box --algorithm eiol-gfmm
      boxwise learn part*.csv --label decision -o loans.box --jobs 8
      cat visits.jsonl | boxwise learn - --label stay -o visits.box --drop id,name
      boxwise learn adult.csv --label income -o adult.box --missing "?"
      boxwise learn loans.csv --label decision -o v3.box --alarm-command ./mail.sh

    \b
    Exit codes:
      0    done
      1    a file or a row cannot be used; nothing was written
      2    wrong usage
      3    done, but rows were left out (--on-error skip or report)
      130  stopped by Ctrl-C (143: by SIGTERM); the model has the rows so far
           (with --jobs, nothing was written)
    """  # noqa: D301  (click marks with it what it must not wrap)
    if into is None and output is None:
        raise typer.BadParameter("name the model file to write", param_hint="--output")
    if into is not None and (
        settings.any_given or wanted.categorical or wanted.numeric or wanted.only or wanted.date
    ):
        raise typer.BadParameter(
            "the model has its algorithm, settings and columns; leave out --algorithm, --theta and "
            "the like, --categorical, --numeric, --date and --only",
            param_hint="--into",
        )
    if jobs is not None:
        _check_jobs(data, alarm_command)
    chosen, given = (
        settings.algorithm or parameters.Algorithm.hyperbox,
        settings.given(wanted.dates),
    )
    target = output or into
    assert target is not None
    refuse_input(target, data, "--into" if output is None else "--output")
    with failures_reported(), Interruption() as interruption:
        check_model(target)
        model = None if into is None else online(load(into), into)
        if model is not None:
            check_raises_alarms(alarm_command, model)
        wanted.label = label
        only_these = wanted.kept if model is None else wanted_names(model.schema_, label)
        dates = wanted.dates if model is None else dates_in(model.schema_)
        try:
            files = options.files(
                data, only=only_these, drop=wanted.dropped, stop=interruption.stop, dates=dates
            )
            plan = Plan(files, options, interruption, wanted, alarm_command, fix)
            if jobs is not None and len(data) > 1:
                plan.parted = PartedFiles(
                    data,
                    jobs,
                    options,
                    options.read_options(only_these, wanted.dropped, dates=dates),
                    interruption,
                    number_labels(
                        wanted, options, [] if model is None else model.classes_.tolist()
                    ),
                )
                model = _learn_parts(plan, plan.parted, chosen, given, model, into)
            elif model is None:
                model = _learn_new(plan, chosen, given)
            else:
                _learn_more(plan, model)
        except (ReadingStopped, NoRowsError):
            if interruption.signal is None:
                raise
            fail("stopped before a row was read; nothing was written", interruption.exit_code)
        _finish(plan, model, target, new=into is None)


def _check_jobs(data: list[str], alarm_command: str | None) -> None:
    check_files(data)
    if alarm_command is not None:
        raise typer.BadParameter(
            "the parts are learned apart from each other, so there are no alarms; leave out --jobs",
            param_hint="--alarm-command",
        )


def _learn_parts(
    plan: Plan,
    parted: PartedFiles,
    algorithm: parameters.Algorithm,
    settings: Mapping[str, Any],
    model: Any,
    path: Path | None,
) -> Any:
    check_can_be_merged(parameters.LEARNERS[algorithm][0]() if model is None else model)
    with closing(plan.files):
        plan.files.check_columns()
        if model is None:
            typing, _ = typed_by_first_rows(plan.files, plan.columns, plan.options, parted.numbers)
            typing = parameters.typing_of(algorithm, typing)
            blank = parameters.new_learner(algorithm, settings, typing.kinds, plan.columns.classes)
            _set_immutable(blank, plan, typing.kinds)
            blank._begin(schema_of(typing.kinds, blank.dates))
            if not plan.options.quiet:
                parameters.show_kinds(plan.files, typing.kinds, plan.columns.label)
                note_columns(plan.columns)
        else:
            typing = _typing_to_go_on(plan, model)
            _set_immutable(model, plan, typing.kinds)
            started_to_learn(plan.files, plan.columns, plan.options, parted.numbers)
            blank = blank_like(model)
    merged = parted.learn(blank, typing, [] if model is None else [(str(path), model)])
    plan.learned = parted.learned
    if merged is None:
        no_rows(plan.files, plan.options.row_errors)
    return merged


def _learn_new(plan: Plan, algorithm: parameters.Algorithm, settings: Mapping[str, Any]) -> Any:
    numbers = number_labels(plan.columns, plan.options)
    typing, chunks = typed_by_first_rows(plan.files, plan.columns, plan.options, numbers)
    typing = parameters.typing_of(algorithm, typing)
    model = parameters.new_learner(algorithm, settings, typing.kinds, plan.columns.classes)
    _set_immutable(model, plan, typing.kinds)
    check_raises_alarms(plan.alarm_command, model)
    if not plan.options.quiet:
        parameters.show_kinds(plan.files, typing.kinds, plan.columns.label)
        note_columns(plan.columns)
    if parameters.learns_row_by_row(model):
        if typing.unknown:
            model._begin(schema_of(typing.kinds, model.dates))
        _learn_chunks(plan, model, typing, chunks)
    else:
        _learn_at_once(plan, model, typing, chunks)
    return model


def _learn_more(plan: Plan, model: Any) -> None:
    typing = _typing_to_go_on(plan, model)
    _set_immutable(model, plan, typing.kinds)
    numbers = number_labels(plan.columns, plan.options, model.classes_.tolist())
    _, chunks = started_to_learn(plan.files, plan.columns, plan.options, numbers)
    _learn_chunks(plan, model, typing, chunks)


def _typing_to_go_on(plan: Plan, model: Any) -> Typing:
    plan.columns.check(plan.files)
    typing = typing_for(model, plan.files, plan.columns.label)
    if not plan.options.quiet:
        report_columns_left_out(plan.files, typing)
    return typing


def _set_immutable(model: Any, plan: Plan, kinds: Mapping[str, Kind]) -> None:
    """Add the columns of --fix to those that no counterfactual of the model may change."""
    if plan.fix is None:
        return
    if not isinstance(model, ExplainedLearner):
        raise typer.BadParameter(
            f"decisions of {type(model).__name__} are not explained, so no column need be fixed; "
            "leave it out, or use --algorithm hyperbox or eiol-gfmm",
            param_hint="--fix",
        )
    known = model.__sklearn_is_fitted__()
    schema = model._fitted().schema if known else schema_of(kinds, model.dates)
    chosen = columns.fixed_columns(schema, plan.fix, [*kinds], plan.columns.label)
    fixed = model._fixed(schema, chosen)
    model.set_params(immutable=fixed if schema.named else [*map(schema.names.index, fixed)])


def _learn_chunks(plan: Plan, model: Any, typing: Typing, chunks: Iterable[Chunk]) -> None:
    plan.interruption.start_grace()
    watch = ChangeWatch(
        plan.alarm_command,
        quiet=plan.options.quiet,
        stopped=lambda: plan.interruption.signal is not None,
    )
    watch.skip(changes_of(model))
    with LearningBar(plan.files, quiet=plan.options.quiet) as bar, columns_by_position():
        typed = typed_chunks(typing, chunks, plan.options.row_errors)
        for piece, kinds in pieces(model, typed):
            if plan.learned and plan.interruption.overdue:
                plan.last_row = piece.rows[0] - 1
                break
            assign_kinds(model, kinds, piece)
            bar.before(model, piece)
            model.partial_fit(piece.columns, piece.labels)
            plan.learned += piece.n_rows
            bar.after(model, piece)
            watch.tell(changes_of(model))
    if not plan.learned:
        no_rows(plan.files, plan.options.row_errors)


def _learn_at_once(plan: Plan, model: Any, typing: Typing, chunks: Iterable[Chunk]) -> None:
    """Learn with an algorithm that needs all rows: they are held in memory."""
    pieces: list[TypedChunk] = []
    with ReadingBar(plan.files, quiet=plan.options.quiet) as bar:
        for chunk in chunks:
            typing = typing.with_kinds_of(chunk)
            pieces.append(typing.apply(chunk, plan.options.row_errors))
            plan.learned += pieces[-1].n_rows
            bar.show(f"{plan.learned:,} rows read")
    if not plan.learned:
        no_rows(plan.files, plan.options.row_errors)
    if not plan.options.quiet:
        notify(f"learning {counted(plan.learned, 'row', 'rows')} at once")
    model.categorical_features = typing.categorical
    whole = TypedChunk.together(pieces)
    with columns_by_position():
        try:
            plan.interruption.wait_for(lambda: model.fit(whole.columns, whole.labels))
        except OverdueError:
            fail(
                "stopped; the algorithm needs all rows at once, so there is no model of some of "
                "them, and nothing was written",
                plan.interruption.exit_code,
            )


def _finish(plan: Plan, model: Any, target: Path, *, new: bool) -> None:
    _save(model, target)
    if not plan.options.quiet:
        report_rows_left_out(plan.options.row_errors)
        for note in absent_classes(model):
            notify(note)
    total = rows_learned(model._fitted())
    if plan.interruption.signal is not None:
        fail(_where_stopped(plan, target), plan.interruption.exit_code)
    if not plan.options.quiet:
        rows = counted(plan.learned, "row", "rows")
        if total != plan.learned:
            rows += f" more, {total:,} in all"
        if plan.parted is not None:
            rows += f", {counted(plan.parted.parts, 'part', 'parts')} merged"
        boxes, classes = (
            counted(model.n_boxes_, "box", "boxes"),
            counted(len(model.classes_), "class", "classes"),
        )
        typer.echo(f"{target}: {rows}, {boxes}, {classes}")
        if new and total >= ENOUGH_ROWS and model.n_boxes_ > MANY_BOXES * total:
            notify("nearly one box per row: try a larger --theta or --delta, or --max-boxes")
    if plan.options.row_errors.count:
        raise typer.Exit(ROWS_LEFT_OUT)


def _where_stopped(plan: Plan, target: Path) -> str:
    rows = counted(plan.learned, "row", "rows")
    if plan.last_row is None:
        return (
            f"stopped; {rows} read so far are in {target} "
            f"(rows up to {plan.files.rows:,} of the input)"
        )
    return (
        f"stopped; {rows} are in {target} (rows up to {plan.last_row:,} of the input); those "
        "after them were not learned"
    )


def _save(model: Any, target: Path) -> None:
    """Save the model; somewhere else if its place has become unusable meanwhile."""
    try:
        model.save(target)
    except OSError as error:
        with tempfile.NamedTemporaryFile(prefix="boxwise-", suffix=".box", delete=False) as file:
            refuge = Path(file.name)
        model.save(refuge)
        fail(f"{target} cannot be written ({error}); the model was saved as {refuge}")
