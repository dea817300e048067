"""``boxwise consume``: a stream in, a model in a store, predictions out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from boxwise import load
from boxwise.apps.change_watch import AlarmCommandOption, ChangeWatch, check_raises_alarms
from boxwise.apps.interruption import Interruption
from boxwise.apps.model_columns import online
from boxwise.apps.options import columns as columns
from boxwise.apps.options import model as parameters
from boxwise.apps.options.files import MissingOption
from boxwise.apps.options.monotone import with_classes
from boxwise.apps.options.streams import StreamOptions
from boxwise.apps.outcome import ROWS_LEFT_OUT, fail, failures_reported, notify
from boxwise.apps.progress.stream_bar import StreamBar
from boxwise.apps.writable import check_model, refuse_input
from boxwise.core.words import counted
from boxwise.database import StoreError, check_model_name, open_store
from boxwise.files import InputError, Typing
from boxwise.learners.late_columns import schema_of
from boxwise.schema import Kind
from boxwise.streams import open_sink, open_source
from boxwise.streams.consumer import Consumer, Plan
from boxwise.streams.message import Source
from boxwise.streams.retrying import Patience
from boxwise.streams.rows import RowOptions


@dataclass
class _Stream:
    """A stream, as the kinds of its columns are shown."""

    first: str
    left_out: tuple[str, ...] = ()


def consume(
    address: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="csv:FILE, csv:- (standard input), redis://HOST:PORT/DB?stream=NAME, "
            "kafka://HOST:PORT/TOPIC or nats://HOST:PORT/SUBJECT.",
        ),
    ],
    store: Annotated[
        str,
        typer.Option(
            metavar="STORE",
            help="Where the model is kept: a file of SQLite or a postgresql:// address.",
        ),
    ],
    label: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The column of the classes. Without it, rows are only predicted."
        ),
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The name of the model in the store.")
    ] = "default",
    weight: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The column that says how often a row counts."),
    ] = None,
    begin_with: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL", help="The model file to begin with if the store has no such model."
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Also write the model to this file at the end."),
    ] = None,
    learn_unlabelled: Annotated[
        bool,
        typer.Option(
            "--learn-unlabelled",
            help="A new model learns rows without a label as unlabelled, instead of only "
            "predicting them.",
        ),
    ] = False,
    *,
    options: StreamOptions,
    settings: parameters.SettingOptions,
    alarm_command: AlarmCommandOption = None,
    wanted: columns.ColumnOptions,
    missing: MissingOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Learn a stream as it comes, each row exactly once, and predict its rows.

    The model and the position in the stream are saved in one transaction, every 10,000 rows or
    5 seconds. After a kill, the same command goes on from there. A row is a JSON object per message
    (Redis: also the fields of an entry; CSV: a line). Rows without a label are only predicted. The
    first 1,000 rows determine the kinds of the columns of a new model; if the model is in the store
    already, options on its algorithm, settings and columns are ignored.

    An address may have a login, user:password@, and ${NAME} for a variable of the environment.
    A server that goes away is tried again with longer and longer pauses.

    Ctrl-C or SIGTERM saves the model and ends. With --algorithm hyperbox, alarms are printed, and
    --alarm-command runs a command, as `boxwise learn` does.

    \b
    Examples:
      boxwise consume csv:loans.csv --store models.db --label decision
      zcat loans.csv.gz | boxwise consume csv:- --store models.db --label decision
      boxwise consume "redis://localhost:6379/0?stream=loans" --store models.db \\
        --label decision -o "redis://localhost:6379/0?stream=answers"
      boxwise consume kafka://localhost:9092/loans --store models.db \\
        --label decision --dead-letter refused.jsonl
      boxwise consume nats://localhost:4222/loans --store models.db \\
        --model loans --begin-with loans.box -o nats://localhost:4222/answers

    \b
    Exit codes:
      0    done: the stream has ended, or was idle for --until-idle
      1    a stream, a row or the store cannot be used; what was learned is saved
      2    wrong usage
      3    done, but rows were left out (--dead-letter, --on-error skip or report)
      130  stopped by Ctrl-C (143: by SIGTERM); what was learned is saved
    """  # noqa: D301  (click marks with it what it must not wrap)
    check_columns(label, weight, wanted)
    with failures_reported(), _failures_of_streams(), Interruption() as interruption:
        check_model_name(model)
        for option, target in (
            ("--output", options.output),
            ("--dead-letter", options.dead_letter),
        ):
            if target is not None and "://" not in target and address.startswith("csv:"):
                refuse_input(Path(target), [address.removeprefix("csv:")], option)
        if save is not None:
            check_model(save)
        source = _named(open_source(address), options.source_name)
        tell = _nothing if quiet else notify
        stopped = lambda: interruption.signal is not None  # noqa: E731
        changes = ChangeWatch(alarm_command, quiet=quiet, stopped=stopped)
        begin = _beginning(source, label, settings, alarm_command, learn_unlabelled, quiet)
        with open_store(store) as kept, StreamBar(changes, quiet=quiet) as bar:
            if kept.has_model(model) and (settings.any_given or begin_with is not None):
                tell(f"model {model!r} is in {store} already: its algorithm and settings stay")
            first = None if begin_with is None else _without_dates(begin_with)
            plan = Plan(
                source=source,
                store=kept,
                model=model,
                begin=begin,
                first=first,
                patience=Patience(options.retry_for, stopped, tell),
                rows=_row_options(label, weight, wanted, missing),
                every=options.every,
                seconds=options.seconds,
                output=None if options.output is None else open_sink(options.output),
                dead_letter=None if options.dead_letter is None else open_sink(options.dead_letter),
                proba=options.proba,
                keep=_names(options.keep),
                on_error=options.choice,
                until_idle=options.until_idle,
                skip_lost=options.skip_lost,
                classes_are_numbers=wanted.classes_are_numbers,
                stopped=stopped,
                tell=tell,
                watch=bar,
            )
            consumer = Consumer(plan)
            consumer.run()
        if consumer.model is None and interruption.signal is not None:
            fail("stopped before the first rows; nothing was written", interruption.exit_code)
        _finish(consumer, store, save, quiet=quiet)
        if interruption.signal is not None:
            raise typer.Exit(interruption.exit_code)
        if consumer.refused:
            raise typer.Exit(ROWS_LEFT_OUT)


def check_columns(label: str | None, weight: str | None, wanted: columns.ColumnOptions) -> None:
    """Refuse options on columns that contradict each other."""
    if wanted.date:
        raise typer.BadParameter(
            "dates are not read from streams; send the parts that matter as columns of their own",
            param_hint="--date",
        )
    given = {
        "--numeric": _names(wanted.numeric),
        "--categorical": _names(wanted.categorical),
        "--drop": _names(wanted.drop),
        "--only": _names(wanted.only),
    }
    for option, names in given.items():
        for role, name in (("--label", label), ("--weight", weight)):
            if name is not None and name in names:
                raise typer.BadParameter(f"{name!r} is the {role} already", param_hint=option)
    for one, other in (("--numeric", "--categorical"), ("--only", "--drop")):
        both = sorted({*given[one]} & {*given[other]})
        if both:
            raise typer.BadParameter(f"{both[0]!r} is given with {one} and with {other}")
    if label is not None and label == weight:
        raise typer.BadParameter(f"{label!r} is the --label already", param_hint="--weight")


def _without_dates(path: Path) -> Any:
    """Return the model of a file; InputError if it reads dates or cannot go on learning."""
    model = online(load(path), path)
    if model.schema_.dates:
        raise InputError(
            f"{path} reads dates ({', '.join(model.schema_.dates)}), which streams do not have; "
            "learn a model with the parts that matter as columns of their own"
        )
    return model


def _row_options(
    label: str | None,
    weight: str | None,
    wanted: columns.ColumnOptions,
    missing: list[str] | None,
) -> RowOptions:
    return RowOptions(
        label,
        weight,
        _names(wanted.numeric),
        _names(wanted.categorical),
        frozenset(_names(wanted.drop)),
        frozenset(_names(wanted.only)) if wanted.only else None,
        tuple(missing or ()),
    )


def _names(given: list[str] | None) -> list[str]:
    return [part.strip() for text in given or () for part in text.split(",") if part.strip()]


def _named(source: Source, name: str | None) -> Source:
    if name is not None:
        source.name = name
    return source


def _beginning(
    source: Source,
    label: str | None,
    settings: parameters.SettingOptions,
    alarm_command: str | None,
    learn_unlabelled: bool,
    quiet: bool,
) -> Callable[[Mapping[str, Kind]], Any]:
    """Return what makes the model from the kinds of its columns; the options are checked now."""
    algorithm, given = settings.algorithm or parameters.Algorithm.hyperbox, settings.given()
    if learn_unlabelled:
        given["unlabelled"] = float("nan")
    with_classes(given.get("monotonic_cst", {}), ())  # a stream has none yet
    of_any = {name: value for name, value in given.items() if name != "monotonic_cst"}
    trial = parameters.new_learner(algorithm, of_any, {"any": "numeric"})
    if not parameters.learns_row_by_row(trial):
        raise typer.BadParameter(
            f"{algorithm} needs all rows at once, which a stream has not; choose another",
            param_hint="--algorithm",
        )
    check_raises_alarms(alarm_command, trial)

    def begin(kinds: Mapping[str, Kind]) -> Any:
        if label is None:
            raise InputError(
                "there is no such model in the store, and without --label none can be learned; "
                "give --label, or --begin-with a model file"
            )
        typed = parameters.typing_of(algorithm, Typing(kinds)).kinds
        new = parameters.new_learner(algorithm, given, typed)
        if not quiet:
            parameters.show_kinds(_Stream(source.name), typed, label)
        new._begin(schema_of(typed))
        return new

    return begin


@contextmanager
def _failures_of_streams() -> Iterator[None]:
    """Turn what can go wrong with a store or a missing client into a message and an exit code."""
    try:
        yield
    except (StoreError, ImportError) as error:
        fail(str(error))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        fail(str(error))


def _finish(consumer: Consumer, store: str, save: Path | None, *, quiet: bool) -> None:
    clf, progress = consumer.model, consumer.progress
    if clf is None:
        fail("no row came; nothing was written")
    if save is not None:
        clf.save(save)
    if quiet:
        return
    rows = counted(consumer.taken, "row", "rows")
    if progress.rows != consumer.taken:
        rows += f" more, {progress.rows:,} of this source in all"
    if consumer.refused:
        rows += f" ({consumer.refused:,} refused)"
    boxes = counted(clf.n_boxes_, "box", "boxes")
    classes = counted(len(clf.classes_), "class", "classes")
    typer.echo(f"{store}: {rows}, {boxes}, {classes}", err=True)


def _nothing(message: str) -> None:
    """Say nothing."""
