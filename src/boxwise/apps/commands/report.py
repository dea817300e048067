"""``boxwise report``: a model file in, a page for a browser out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from boxwise import load
from boxwise.apps.model_rows import ModelRows, label_in
from boxwise.apps.options import files as reading
from boxwise.apps.options.columns import candidate_names
from boxwise.apps.options.quality import QualityOptions, check_groups
from boxwise.apps.outcome import end, failures_reported, notify
from boxwise.apps.results import opened
from boxwise.apps.writable import check_results, refuse_input
from boxwise.files import InputError
from boxwise.report import report_html
from boxwise.report.writing import MAX_ROWS


def report(
    model: reading.ModelArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The .html file to write.")
    ],
    data: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Labelled rows to evaluate the model on; may be repeated.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The column of the classes in --data (the one that the model does not have).",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The title (the name of the model file).")
    ] = None,
    max_rows: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Use a random sample of N rows if there are more."),
    ] = MAX_ROWS,
    *,
    quality: QualityOptions,
    options: reading.FileOptions,
) -> None:
    """Write one HTML page on a model: its content, quality, rules and explained predictions.

    The page loads nothing when it is opened, so it can be sent as it is. Without --data it shows
    only what the model itself contains. All rows of --data are held in memory.

    \b
    Examples:
      boxwise report loans.box -o loans.html
      boxwise report loans.box --data july.csv --label decision -o loans.html
      boxwise report loans.box --data july.csv --group sex -o loans.html

    \b
    Exit codes:
      0    done
      1    the model, a file or a row cannot be used
      2    wrong usage
      3    done, but rows were left out (--on-error skip or report)
      130  stopped by Ctrl-C
    """  # noqa: D301  (click marks with it what it must not wrap)
    if label is not None and not data:
        raise typer.BadParameter(
            "it is a column of --data, which is not given", param_hint="--label"
        )
    if not data and (quality.group or quality.cost or quality.positive):
        raise typer.BadParameter("--group, --cost and --positive need --data")
    refuse_input(output, [model, *(data or ())], "--output")
    with failures_reported():
        check_results(output)
        clf = load(model)
        rows: tuple[Any, ...] = ()
        costs, positive = quality.costs, None
        groups: dict[str, list[Any]] = {}
        if data:
            if label is None:
                besides = candidate_names(quality.group)
                label = label_in(clf, data, options, "--data", besides)
            source = ModelRows(clf, data, options, label, quality.group)
            rows = source.all()
            groups = source.groups
            check_groups(groups)
            positive = quality.positive_among([*clf.classes_.tolist(), *rows[1]])
        try:
            page = report_html(
                clf,
                *rows,
                name=title or model.name,
                first_row=1,
                max_rows=max_rows,
                groups=groups,
                cost=costs,
                positive=positive,
                progress=False if options.quiet else None,
            )
        except ValueError as error:
            raise InputError(str(error)) from None
        with opened(output) as out:
            out.write(page)
        if not options.quiet:
            notify(f"{output}: {len(page.encode()) / 1e6:.1f} MB, loads nothing from elsewhere")
        end(options.row_errors, quiet=options.quiet)
