"""``boxwise learn``: files in, a model file out."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from boxwise import HyperboxClassifier, load
from boxwise.apps.file_options import (
    DEFAULT_CHUNK_ROWS,
    ChunkRowsOption,
    DelimiterOption,
    FormatOption,
    MissingOption,
    OnErrorChoice,
    OnErrorOption,
    QuietOption,
    candidates,
    chosen,
)
from boxwise.apps.interruption import Interruption
from boxwise.apps.learning_bar import watcher
from boxwise.apps.model_columns import tell_columns_left_out, typing_for, wanted_names
from boxwise.apps.model_settings import (
    AlphaOption,
    ConditionOption,
    DeltaOption,
    GammaOption,
    ThetaOption,
    settings_from,
    show_kinds,
    try_settings,
)
from boxwise.apps.outcome import ROWS_LEFT_OUT, fail, failures_told, tell_rows_left_out
from boxwise.apps.wording import counted
from boxwise.apps.writable import check_writable
from boxwise.files import (
    Chunk,
    Faults,
    Files,
    InputError,
    Manner,
    ReadingStopped,
    Typing,
    check_names,
    first_rows,
    infer_kinds,
)

PIECE = 1_000  # rows learned at a time: how often the bar moves
_first_rows = first_rows  # the name under which labelled_rows imports it


@dataclass
class Plan:
    """What is to be learned from what, and how far it has got."""

    files: Files
    faults: Faults
    interruption: Interruption
    label: str
    chunk_rows: int
    quiet: bool
    learned: int = 0


def learn(
    data: Annotated[
        list[str], typer.Argument(metavar="FILE", help="The files; - is standard input.")
    ],
    label: Annotated[str, typer.Option(help="The column of the classes.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The model file to write.")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(help="Go on learning this model file; it is replaced unless -o is given."),
    ] = None,
    theta: ThetaOption = None,
    delta: DeltaOption = None,
    alpha: AlphaOption = None,
    gamma: GammaOption = None,
    condition: ConditionOption = None,
    categorical: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns that are categories.")
    ] = None,
    numeric: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns that are numbers.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns to leave out.")
    ] = None,
    missing: MissingOption = None,
    form: FormatOption = None,
    delimiter: DelimiterOption = None,
    on_error: OnErrorOption = OnErrorChoice.stop,
    chunk_rows: ChunkRowsOption = DEFAULT_CHUNK_ROWS,
    quiet: QuietOption = False,
) -> None:
    """Learn a model from files, row by row, and write it to a file.

    CSV, TSV, JSON Lines and Parquet, the first three also compressed with gzip; of any size, for
    only some rows are in memory at a time. The first 10,000 rows decide which columns are numbers
    and which are categories. Names of columns are given one by one or with commas.

    Ctrl-C ends the reading; the model then has all rows read so far. An error writes nothing.

    \b
    Examples:
      boxwise learn loans.csv --label decision -o loans.box
      boxwise learn may.csv.gz june.csv.gz --label decision -o loans.box --drop id,name
      boxwise learn july.csv --label decision --into loans.box
      cat visits.jsonl | boxwise learn - --format jsonl --label stay -o visits.box
      boxwise learn adult.data.csv --label income -o adult.box --missing "?" --categorical zip

    \b
    Exit codes:
      0    done
      1    a file or a row cannot be used; nothing was written
      2    wrong usage
      3    done, but rows were left out (--on-error skip or report)
      130  stopped by Ctrl-C (143: by SIGTERM); the rows read so far are in the model
    """  # noqa: D301  (click marks with it what it must not wrap)
    settings = settings_from(theta, delta, alpha, gamma, condition)
    if into is None and output is None:
        raise typer.BadParameter("name the model file to write", param_hint="--output")
    if into is not None and (settings or categorical or numeric):
        raise typer.BadParameter(
            "the model has its settings and kinds of columns; leave out --theta, --delta, --alpha, "
            "--gamma, --condition, --categorical and --numeric",
            param_hint="--into",
        )
    with failures_told(), Interruption() as interruption:
        target = output or into
        assert target is not None
        check_writable(target)
        model = None if into is None else _online(load(into), into)
        faults = Faults(on_error.value, lambda text: typer.echo(f"boxwise: {text}", err=True))
        manner = Manner(
            None if form is None else form.value,
            delimiter,
            only=None if model is None else wanted_names(model.schema_, label),
            drop=candidates(drop),
            faults=faults,
            stop=interruption.stop,
        )
        try:
            files = Files(data, manner, missing or ())
        except ReadingStopped:
            fail("stopped before a row was read; nothing was written", interruption.exit_code)
        chosen("--drop", drop, files.all_names)
        check_names(files.names, [label], files.first, "label column")
        plan = Plan(files, faults, interruption, label, chunk_rows, quiet)
        if model is None:
            model = HyperboxClassifier(**settings)
            _learn_new(plan, model, numeric or [], categorical or [])
        else:
            _learn_more(plan, model)
        _finish(plan, model, target)


def _learn_new(
    plan: Plan, model: HyperboxClassifier, numeric: list[str], categorical: list[str]
) -> None:
    names = [name for name in plan.files.names if name != plan.label]
    if not names:
        raise InputError(
            f"{plan.files.first} has no column but the label {plan.label!r}; check the delimiter"
        )
    numbers, categories = (
        chosen("--numeric", numeric, names),
        chosen("--categorical", categorical, names),
    )
    both = set(numbers) & set(categories)
    if both:
        raise typer.BadParameter(f"{min(both)!r} is given as numeric and as categorical")
    chunks = plan.files.chunks(plan.chunk_rows)
    first = first_rows(chunks)
    if not first:
        _nothing_learned(plan)
    kinds = infer_kinds(first, names, numeric=numbers, categorical=categories)
    model.categorical_features = [name for name in names if kinds[name] == "categorical"]
    try_settings(model, kinds)
    if not plan.quiet:
        show_kinds(plan.files.first, kinds, plan.label)
    _learn_chunks(plan, model, Typing(kinds, plan.label), chain(first, chunks))
    if not plan.learned:
        _nothing_learned(plan)


def _learn_more(plan: Plan, model: Any) -> None:
    typing = typing_for(model, plan.files, plan.label)
    if not plan.quiet:
        tell_columns_left_out(plan.files, typing)
    _learn_chunks(plan, model, typing, plan.files.chunks(plan.chunk_rows))
    if not plan.learned:
        _nothing_learned(plan)


def _learn_chunks(plan: Plan, model: Any, typing: Typing, chunks: Iterator[Chunk]) -> None:
    with watcher(plan.files, plan.quiet) as bar, warnings.catch_warnings():
        # A model that was learned from rows without names takes columns by position.
        warnings.filterwarnings("ignore", "X has feature names", UserWarning)
        for chunk in chunks:
            typed = typing.apply(chunk, plan.faults)
            for begin in range(0, typed.n_rows, PIECE):
                piece = typed.part(slice(begin, begin + PIECE))
                bar.before(model, piece)
                model.partial_fit(piece.columns, piece.labels)
                plan.learned += piece.n_rows
                bar.after(model, piece)


def _nothing_learned(plan: Plan) -> None:
    if plan.interruption.signal is not None:
        code = plan.interruption.exit_code
        fail("stopped before a row was read; nothing was written", code)
    if plan.faults.count:
        tell_rows_left_out(plan.faults)
        fail("no row could be used; nothing was written")
    raise InputError(f"{plan.files.first} has columns but no rows")


def _finish(plan: Plan, model: Any, target: Path) -> None:
    _save(model, target)
    if not plan.quiet:
        tell_rows_left_out(plan.faults)
    total = int(model.boxes_.n_samples.sum())
    if plan.interruption.signal is not None:
        fail(
            f"stopped; {counted(plan.learned, 'row')} read so far are in {target} "
            f"(rows up to {plan.files.rows:,} of the input)",
            plan.interruption.exit_code,
        )
    if not plan.quiet:
        rows = counted(plan.learned, "row")
        if total != plan.learned:
            rows += f" more, {total:,} in all"
        boxes, classes = counted(model.n_boxes_, "box"), counted(len(model.classes_), "class")
        typer.echo(f"{target}: {rows}, {boxes}, {classes}")
    if plan.faults.count:
        raise typer.Exit(ROWS_LEFT_OUT)


def _save(model: Any, target: Path) -> None:
    """Save the model; somewhere else if its place has become unusable meanwhile."""
    try:
        model.save(target)
    except OSError as error:
        with tempfile.NamedTemporaryFile(prefix="boxwise-", suffix=".box", delete=False) as file:
            refuge = Path(file.name)
        model.save(refuge)
        fail(f"{target} cannot be written ({error}); the model was saved as {refuge}")


def _online(model: Any, path: Path) -> Any:
    if not hasattr(model, "partial_fit"):
        raise InputError(
            f"{path} holds a {type(model).__name__}, which cannot go on learning: it needs all "
            "rows at once"
        )
    return model
