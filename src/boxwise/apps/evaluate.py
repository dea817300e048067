"""``boxwise evaluate``: how well rows of files are predicted before they are learned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import rich.progress as bars
import typer
from rich.console import Console

from boxwise import HyperboxClassifier
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
from boxwise.apps.folds import Fold, cross_validated, fold_table
from boxwise.apps.labelled_rows import LabelledRows, Pair
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
from boxwise.apps.outcome import INTERRUPTED, ROWS_LEFT_OUT, fail, failures_told, tell_rows_left_out
from boxwise.apps.writable import check_writable
from boxwise.evaluate import LearnerError, Point, Prequential
from boxwise.evaluate.peers import peer, peer_names
from boxwise.evaluate.point_files import format_of, write_rows
from boxwise.files import Faults, Files, Manner, check_names

OURS = "boxwise"
NO_ROWS = "no row could be used (--on-error report says why)"
PICTURES = (".png", ".svg", ".pdf")


def evaluate(
    data: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="The files; - is standard input.")
    ],
    label: Annotated[str, typer.Option(help="The column of the classes.")],
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help=f"Learners of River to compare with: {', '.join(peer_names())}.",
        ),
    ] = None,
    window: Annotated[
        int, typer.Option(min=1, help="How many of the last rows the recent scores are over.")
    ] = 1000,
    every: Annotated[
        int | None, typer.Option(min=1, help="After how many rows to note scores (the window).")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Stop after so many rows.")] = None,
    cv: Annotated[
        int | None,
        typer.Option(min=2, help="Cross-validate in so many folds instead; holds all rows."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="By which the folds are drawn.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Write all scores to this .csv, .json or .jsonl file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw scores and boxes into this .png, .svg or .pdf file.")
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
    """Predict every row of files, then learn it, and say how good the predictions were.

    Files are read as by boxwise learn, in the order given. Accuracy, class balanced accuracy
    (CBA), Cohen's kappa and balanced accuracy are those over all rows and over the last ones;
    boxes, memory and rows per second are told beside them. With --cv the rows are cross-validated
    instead, as is right for rows that do not come in the order of time.

    Ctrl-C ends the run; the scores so far are shown and written.

    \b
    Examples:
      boxwise evaluate loans.csv --label decision
      boxwise evaluate loans.csv --label decision --theta 0.3 --delta 1 --plot loans.png
      boxwise evaluate loans.csv --label decision --against hoeffding-tree,naive-bayes
      boxwise evaluate loans.csv --label decision --every 500 --out scores.csv
      boxwise evaluate loans.csv --label decision --cv 5

    \b
    Exit codes:
      0    done
      1    a file, a row or a learner failed, or a library is missing
      2    wrong usage
      3    done, but rows were left out (--on-error skip or report)
      130  stopped by Ctrl-C; the scores so far were shown
    """  # noqa: D301  (click marks with it what it must not wrap)
    settings = settings_from(theta, delta, alpha, gamma, condition)
    with failures_told():
        _check_outputs(out, plot, cv)
        peers = _peers(against, cv)
        faults = Faults(on_error.value, lambda text: typer.echo(f"boxwise: {text}", err=True))
        manner = Manner(
            None if form is None else form.value, delimiter, drop=candidates(drop), faults=faults
        )
        files = Files(data, manner, missing or ())
        chosen("--drop", drop, files.all_names)
        check_names(files.names, [label], files.first, "label column")
        rows = LabelledRows.of(
            files, label, faults,
            chunk_rows=chunk_rows, numeric=numeric or [], categorical=categorical or [],
        )  # fmt: skip
        model = HyperboxClassifier(**settings, categorical_features=rows.categorical)
        try_settings(model, rows.typing.kinds)
        if not quiet:
            show_kinds(files.first, rows.typing.kinds, label)
        if cv is None:
            learners = {OURS: model, **peers}
            run = Prequential(learners, rows, window=window, every=every, limit=limit)
            stopped = _run(run, files, quiet, out, plot)
        else:
            stopped = _cross_validate(model, islice(rows, limit), cv, seed, out)
        if not quiet:
            tell_rows_left_out(faults)
        if stopped:
            fail(stopped, INTERRUPTED)
    if faults.count:
        raise typer.Exit(ROWS_LEFT_OUT)


def _check_outputs(out: Path | None, plot: Path | None, cv: int | None) -> None:
    if out is not None:
        try:
            format_of(out)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--out") from None
        check_writable(out)
    if plot is None:
        return
    if cv is not None:
        raise typer.BadParameter("folds are not drawn; leave out --cv", param_hint="--plot")
    if plot.suffix.lower() not in PICTURES:
        raise typer.BadParameter(
            f"{plot}: pictures are written as {', '.join(PICTURES)}; name the file so",
            param_hint="--plot",
        )
    if find_spec("matplotlib") is None:
        fail('--plot needs matplotlib: pip install "boxwise[plot]"')
    check_writable(plot)


def _peers(against: Sequence[str] | None, cv: int | None) -> dict[str, Any]:
    names = [name.strip() for text in against or () for name in text.split(",")]
    if names and cv is not None:
        raise typer.BadParameter(
            "River's learners are compared row by row; leave out --cv", param_hint="--against"
        )
    try:
        return {name: peer(name) for name in names}
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--against") from None
    except ImportError as error:
        fail(str(error))


def _run(
    run: Prequential, files: Files, quiet: bool, out: Path | None, plot: Path | None
) -> str | None:
    """Run to the end and show what came of it; return what to say if it was stopped before."""
    stopped = None
    try:
        with _bar(files, quiet) as tell:
            for points in run:
                tell(points)
    except LearnerError as error:
        fail(str(error))
    except KeyboardInterrupt:
        stopped = f"stopped; the scores are those of the first {run.rows:,} rows"
    if not run.rows and not stopped:
        fail(NO_ROWS)
    typer.echo(repr(run))
    if out is not None:
        run.write(out)
    if plot is not None:
        figure: Any = run.plot().figure
        figure.savefig(plot, dpi=150)
    return stopped


@contextmanager
def _bar(files: Files, quiet: bool) -> Iterator[Callable[[Sequence[Point]], object]]:
    """Give a function that shows how far it is, if there is a terminal to show it on."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda points: None
        return
    columns = (
        bars.BarColumn(bar_width=20),
        bars.TextColumn("{task.description}", markup=False),
    )
    with bars.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def tell(points: Sequence[Point]) -> None:
            share, ours = files.share, points[0]
            bar.update(
                task,
                total=None if share is None else 1.0,
                completed=share or 0.0,
                description=f"{ours.rows:,} rows, {ours.rows_per_second:,.0f} rows/s, "
                f"{ours.boxes or 0:,} boxes, CBA {ours.recent.cba:.3f}",
            )

        yield tell


def _cross_validate(
    model: HyperboxClassifier, pairs: Iterable[Pair], n_folds: int, seed: int, out: Path | None
) -> str | None:
    """Do fold after fold and show what came of them; return what to say if it was stopped."""
    stopped = None
    data = [*pairs]
    if not data:
        fail(NO_ROWS)
    rows, labels = [row for row, _ in data], [label for _, label in data]
    folds: list[Fold] = []
    try:
        folds.extend(cross_validated(model, rows, labels, n_folds, seed))  # it keeps those done
    except ValueError as error:
        fail(f"{n_folds} folds cannot be made or learned: {error}")
    except KeyboardInterrupt:
        stopped = f"stopped; the scores are those of {len(folds)} of {n_folds} folds"
    if folds:
        typer.echo(fold_table(OURS, folds, len(rows)))
    if out is not None:
        write_rows(out, [fold.to_row() for fold in folds])
    return stopped
