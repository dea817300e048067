"""``boxwise evaluate``: how well rows of files are predicted before they are learned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from boxwise.apps.change_watch import AlarmCommandOption, ChangeWatch, check_raises_alarms
from boxwise.apps.folds import Fold, assess_folds, cross_validated, fold_table
from boxwise.apps.interruption import termination_as_ctrl_c
from boxwise.apps.labelled_files import no_rows, number_labels, typed_by_first_rows
from boxwise.apps.labelled_rows import LabelledRows, Pair, group_of
from boxwise.apps.model_columns import schema_of
from boxwise.apps.options import columns as columns
from boxwise.apps.options import files as reading
from boxwise.apps.options import model as parameters
from boxwise.apps.options.quality import QualityOptions, check_group_columns, show_group_columns
from boxwise.apps.outcome import (
    ROWS_LEFT_OUT,
    fail,
    failures_reported,
    interrupted_by,
    notify,
    report_rows_left_out,
)
from boxwise.apps.pictures import check_picture, write_picture
from boxwise.apps.possible_codes import note_columns
from boxwise.apps.progress.reading_bar import ReadingBar
from boxwise.apps.writable import check_results, refuse_input
from boxwise.core.words import counted
from boxwise.evaluate import Assessment, LearnerError, Prequential, Scores
from boxwise.evaluate.batch_peers import batch_peer, batch_peer_names
from boxwise.evaluate.peers import has_river, peer, peer_names
from boxwise.evaluate.quality.rows import figure_rows
from boxwise.evaluate.quality.text import cost_table, details_text, group_table, quality_table
from boxwise.evaluate.result_files import format_of, write_rows
from boxwise.files import first_rows
from boxwise.schema import Kind

OURS = "boxwise"
FAR_BEHIND = 0.1  # accuracy: a class balanced accuracy that rare classes bring down
FEW_POINTS, FINE_POINTS = 5, 10  # in a plot: so few show no course, so many do
BAR_ROWS = 1_000  # after how many rows the bar moves while rows are only read


def evaluate(
    data: reading.FilesArgument,
    label: columns.LabelOption,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Learners to compare with: those of River "
            f"({', '.join(peer_names())}); with --cv those of scikit-learn "
            f"({', '.join(batch_peer_names())}).",
        ),
    ] = None,
    window: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="The number of latest rows in the recent scores."),
    ] = 1000,
    every: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Record scores every N rows (the window)."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Stop after N rows.")
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=2, help="Cross-validate with N folds instead; holds all rows."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="The random seed of the folds.")
    ] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write all scores to this .csv, .json or .jsonl file.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw scores and boxes into this .png, .svg or .pdf file."
        ),
    ] = None,
    details: Annotated[
        bool,
        typer.Option("--details", help="Show the figures of each class and the confusion matrix."),
    ] = False,
    figures: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write every figure with its interval, also of classes, groups and costs, to this "
            ".csv, .json or .jsonl file.",
        ),
    ] = None,
    *,
    quality: QualityOptions,
    settings: parameters.SettingOptions,
    alarm_command: AlarmCommandOption = None,
    wanted: columns.ColumnOptions,
    options: reading.FileOptions,
) -> None:
    """Predict every row of files, then learn it, and show how good the predictions were.

    Files are read as by boxwise learn, in the order given. Accuracy, class balanced accuracy (CBA),
    Cohen's kappa and balanced accuracy are shown for all rows and for the latest ones, with the
    number of boxes, memory and rows per second; then AUC, log-loss, Brier score and macro F1 with
    95% intervals. --group compares groups of rows, --cost finds the threshold that costs least.
    Alarms and replacements are printed as by boxwise learn, and marked in the --plot. With --cv the
    rows are cross-validated instead, which is appropriate for rows that are not in order of time.

    Ctrl-C or SIGTERM ends the run; the scores so far are shown and written.

    \b
    Examples:
      boxwise evaluate loans.csv --label decision
      boxwise evaluate loans.csv --label decision --theta 0.3 --plot loans.png
      boxwise evaluate loans.csv --label decision --against hoeffding-tree,arf
      boxwise evaluate loans.csv --label decision --every 500 -o scores.csv
      boxwise evaluate loans.csv --label decision --cv 5
      boxwise evaluate loans.csv --label decision --cv 5 --against random-forest
      boxwise evaluate loans.csv --label decision --group sex,region --drop sex
      boxwise evaluate loans.csv --label decision --cost fn=5,fp=1

    \b
    Exit codes:
      0    done
      1    a file, a row or a learner failed, or a library is missing
      2    wrong usage
      3    done, but rows were left out (--on-error skip or report)
      130  stopped by Ctrl-C (143: by SIGTERM); the scores so far were shown
    """  # noqa: D301  (click marks with it what it must not wrap)
    chosen, given = (
        settings.algorithm or parameters.Algorithm.hyperbox,
        settings.given(wanted.dates),
    )
    refuse_input(output, data, "--output")
    refuse_input(plot, data, "--plot")
    refuse_input(figures, data, "--figures")
    with failures_reported(), termination_as_ctrl_c():
        _check_outputs(output, figures, plot, cv)
        costs = quality.costs
        if alarm_command is not None and cv is not None:
            raise typer.BadParameter(
                "alarms are raised row by row; leave out --cv", param_hint="--alarm-command"
            )
        names = _checked_peers(against, cv)
        wanted.label, wanted.groups = label, quality.group
        files = options.files(data, only=wanted.kept, drop=wanted.dropped, dates=wanted.dates)
        row_errors = options.row_errors
        typing, chunks = typed_by_first_rows(files, wanted, options, number_labels(wanted, options))
        first = first_rows(chunks)
        group_columns = quality.columns(files.names, label)
        check_group_columns(first, group_columns)
        positive = quality.positive_among(cell for chunk in first for cell in chunk.columns[label])
        typing = parameters.typing_of(chosen, typing)
        model = parameters.new_learner(chosen, given, typing.kinds, wanted.classes)
        check_raises_alarms(alarm_command, model)
        if cv is None and not parameters.learns_row_by_row(model):
            raise typer.BadParameter(
                f"{chosen} needs all rows at once and cannot learn row by row; use --cv",
                param_hint="--algorithm",
            )
        if not options.quiet:
            parameters.show_kinds(files, typing.kinds, label)
            note_columns(wanted)
            show_group_columns(group_columns, typing.kinds)
        rows = LabelledRows(typing, chain(first, chunks), row_errors, group_columns)
        bar = ReadingBar(files, quiet=options.quiet)
        if cv is None:
            if typing.unknown:
                model._begin(schema_of(typing.kinds, model.dates))
            run = Prequential(
                {OURS: model, **_river_peers(names)},
                rows,
                window=window,
                every=every,
                limit=limit,
                probabilities=True,
                group={name: partial(group_of, j) for j, name in enumerate(group_columns)},
                cost=costs,
                positive=positive,
            )
            stopped = _run(run, bar, ChangeWatch(alarm_command, quiet=options.quiet))
            if not run.rows and not stopped:
                no_rows(files, row_errors)
            _show(run, output, plot)
            assessments = run.assessments()
            scores = [point.overall for point in run.points[OURS][-1:]]
        else:
            pairs = [*_watched(islice(rows, limit), bar)]
            if not pairs:
                no_rows(files, row_errors)
            if typing.unknown:  # all rows have been read
                model.set_params(categorical_features=rows.typing.categorical)
            models = {OURS: model, **_batch_peers(names, rows.typing.kinds)}
            folds, stopped = _cross_validate(models, pairs, cv, seed, bar, output)
            groups = {
                name: [group_of(j, row) for row, _ in pairs] for j, name in enumerate(group_columns)
            }
            assessments = {
                name: assess_folds(its, groups, cost=costs, positive=positive)
                for name, its in folds.items()
            }
            scores = [fold.scores for fold in folds.get(OURS, ())]
        _show_quality(assessments, details=details)
        if figures is not None:
            write_rows(figures, figure_rows(assessments))
        if not options.quiet:
            report_rows_left_out(row_errors)
            _suggest_class_prior(model, scores)
            if plot is not None:
                _suggest_window(run, plot)
        if stopped:
            fail(*stopped)
    if row_errors.count:
        raise typer.Exit(ROWS_LEFT_OUT)


def _check_outputs(
    output: Path | None, figures: Path | None, plot: Path | None, cv: int | None
) -> None:
    for option, path in (("--output", output), ("--figures", figures)):
        if path is None:
            continue
        try:
            format_of(path)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint=option) from None
        check_results(path)
    if plot is None:
        return
    if cv is not None:
        raise typer.BadParameter("folds are not drawn; leave out --cv", param_hint="--plot")
    check_picture(plot, "--plot")


def _checked_peers(against: Sequence[str] | None, cv: int | None) -> list[str]:
    """Return the names of the learners to compare with; those of River need to be installed."""
    names = [name.strip() for text in against or () for name in text.split(",")]
    known, others = (peer_names(), batch_peer_names())[:: 1 if cv is None else -1]
    for name in names:
        if name in known:
            continue
        if name not in others:
            shown = f"there is no learner {name!r}; there are {', '.join(known)}"
            raise typer.BadParameter(shown, param_hint="--against")
        remedy = (
            f"{name} learns all rows at once and cannot learn row by row; use --cv"
            if cv is None
            else f"{name} is a learner of River and learns row by row; leave out --cv"
        )
        raise typer.BadParameter(remedy, param_hint="--against")
    if names and cv is None and not has_river():
        fail(f'{names[0]} is a learner of River: pip install "boxwise[river]"')
    return names


def _river_peers(names: Sequence[str]) -> dict[str, Any]:
    return {name: peer(name) for name in names}


def _batch_peers(names: Sequence[str], kinds: Mapping[str, Kind]) -> dict[str, Any]:
    numeric = [name for name, kind in kinds.items() if kind == "numeric"]
    categorical = [name for name, kind in kinds.items() if kind == "categorical"]
    return {name: batch_peer(name, numeric, categorical) for name in names}


def _show_quality(assessments: Mapping[str, Assessment], *, details: bool) -> None:
    """Show the scores of probabilities, and what was asked for besides, of each learner."""
    if not assessments:
        return
    typer.echo(f"\n{quality_table(assessments)}")
    for name, found in assessments.items():
        blocks = [details_text(found)] if details else []
        blocks += [group_table(its) for its in found.groups.values()]
        blocks += [cost_table(found)]
        shown = [block for block in blocks if block]
        if shown and len(assessments) > 1:
            typer.echo(f"\n{name}\n{'-' * len(name)}")
        for i, block in enumerate(shown):
            typer.echo(block if i == 0 and len(assessments) > 1 else f"\n{block}")


def _run(run: Prequential, bar: ReadingBar, watch: ChangeWatch) -> tuple[str, int] | None:
    """Run to the end; return what to say, and the exit code, if it was stopped before."""
    try:
        with bar:
            for now, *_ in run:
                bar.show(
                    f"{now.rows:,} rows, {now.rows_per_second:,.0f} rows/s, "
                    f"{now.boxes or 0:,} boxes, CBA {now.recent.cba:.3f}"
                )
                watch.tell(run.changes[OURS])
    except LearnerError as error:
        fail(str(error))
    except KeyboardInterrupt as error:
        message = f"stopped; the scores are those of the first {run.rows:,} rows"
        return message, interrupted_by(error)
    return None


def _show(run: Prequential, output: Path | None, plot: Path | None) -> None:
    typer.echo(repr(run))
    if output is not None:
        run.write(output)
    if plot is not None:
        write_picture(run.plot().figure, plot)


def _suggest_window(run: Prequential, plot: Path) -> None:
    """Suggest a smaller window if a plot has hardly any points."""
    points, tenth = len(run.points[OURS]), run.rows // FINE_POINTS
    if points < FEW_POINTS and tenth > 0:
        number = counted(points, "point", "points")
        notify(f"{plot} has only {number}; --window {tenth} draws about {FINE_POINTS}")


def _watched(pairs: Iterable[Pair], bar: ReadingBar) -> Iterator[Pair]:
    """Hand over rows and show how many there are."""
    with bar:
        for n, pair in enumerate(pairs):
            if n % BAR_ROWS == 0:
                bar.show(f"{n:,} rows")
            yield pair


def _cross_validate(
    models: Mapping[str, Any],
    pairs: Sequence[Pair],
    n_folds: int,
    seed: int,
    bar: ReadingBar,
    output: Path | None,
) -> tuple[dict[str, list[Fold]], tuple[str, int] | None]:
    """Run the folds and show the scores; return whether it was stopped."""
    stopped, done = None, 0
    rows, labels = [row for row, _ in pairs], [label for _, label in pairs]
    folds: dict[str, list[Fold]] = {}
    try:
        with bar:
            bar.show(f"{len(rows):,} rows, no fold done yet")
            for done, its in enumerate(cross_validated(models, rows, labels, n_folds, seed), 1):
                for fold in its:
                    folds.setdefault(fold.learner, []).append(fold)
                bar.show(f"{len(rows):,} rows, {done} of {n_folds} folds done")
    except ValueError as error:
        fail(f"{n_folds} folds cannot be made or learned: {error}")
    except KeyboardInterrupt as error:
        message = f"stopped; the scores are those of {done} of {n_folds} folds"
        stopped = message, interrupted_by(error)
    if folds:
        typer.echo(fold_table(folds, len(rows)))
    if output is not None:
        by_fold = zip(*folds.values(), strict=True)
        write_rows(output, [fold.to_row() for its in by_fold for fold in its])
    return folds, stopped


def _suggest_class_prior(model: Any, scores: Sequence[Scores]) -> None:
    """Say what helps rare classes if the class balanced accuracy is far below the accuracy."""
    behind = [score.accuracy - score.cba for score in scores]
    if getattr(model, "class_prior", None) == "data" and behind and fmean(behind) > FAR_BEHIND:
        notify(
            "CBA weights rare classes like frequent ones, but the prior favours frequent ones; "
            "--class-prior auto optimises CBA"
        )
