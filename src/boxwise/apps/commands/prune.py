"""``boxwise prune``: a model file without the boxes that do harm."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from boxwise import load
from boxwise.apps.model_rows import ModelRows
from boxwise.apps.options import columns as columns
from boxwise.apps.options import files as reading
from boxwise.apps.outcome import end, failures_reported
from boxwise.apps.writable import check_model, refuse_input
from boxwise.files import InputError
from boxwise.inputs import columns_by_position


def prune(
    model: reading.ModelArgument,
    data: reading.FilesArgument,
    label: columns.LabelOption,
    output: reading.NewModelOption = None,
    margin: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Minimum excess of wrong over correct rows."),
    ] = 2,
    unused: Annotated[
        bool, typer.Option("--unused", help="Also remove boxes that decide no row.")
    ] = False,
    whole_classes: Annotated[
        bool, typer.Option("--whole-classes", help="Allow removing the last box of a class.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only report what would be removed.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The report as one JSON object.")] = False,
    *,
    options: reading.FileOptions,
) -> None:
    """Remove the boxes of a model that do harm on labelled rows, and say which.

    Use rows that the model has not learned; all are held in memory. Boxes are removed only if class
    balanced accuracy (CBA) on these rows does not fall.

    \b
    Examples:
      boxwise prune loans.box july.csv --label decision -o pruned.box
      boxwise prune loans.box july.csv --label decision --dry-run

    \b
    Exit codes:
      0    done
      1    the model, a file or a row cannot be used
      2    wrong usage
      3    done, but rows were left out (--on-error skip or report)
      130  stopped by Ctrl-C; no file was written
    """  # noqa: D301  (click marks with it what it must not wrap)
    if (output is None) != dry_run:
        problem = "needs no file to write" if dry_run else "or --dry-run is needed"
        raise typer.BadParameter(problem, param_hint="--dry-run" if dry_run else "--output")
    refuse_input(output, data, "--output")
    with failures_reported():
        if output is not None:
            check_model(output)
        clf = load(model)
        rows, labels = ModelRows(clf, data, options, label).all()
        with columns_by_position():
            try:
                report = clf.prune(
                    rows,
                    labels,
                    margin=margin,
                    unused=unused,
                    whole_classes=whole_classes,
                    dry_run=dry_run,
                    progress=False if options.quiet else None,
                )
            except ValueError as error:
                raise InputError(str(error)) from None
        if output is not None:
            clf.save(output)
        typer.echo(json.dumps(report.to_dict(), indent=2) if as_json else str(report))
        end(options.row_errors, quiet=options.quiet)
