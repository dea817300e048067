"""``boxwise plot``: a model file in, a picture out."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from boxwise import load
from boxwise.apps.model_rows import ModelRows
from boxwise.apps.options import files as reading
from boxwise.apps.options.columns import chosen_names
from boxwise.apps.outcome import end, fail, failures_reported
from boxwise.apps.pictures import check_picture, write_picture
from boxwise.apps.writable import refuse_input
from boxwise.inputs import columns_by_position
from boxwise.plot import (
    plot_box,
    plot_curves,
    plot_parallel,
    plot_regions,
    plot_relevance,
)


class PictureKind(StrEnum):
    """The pictures to choose from."""

    regions = "regions"
    parallel = "parallel"
    box = "box"
    curves = "curves"
    relevance = "relevance"


def plot(
    model: reading.ModelArgument,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The .png, .svg or .pdf file to write."
        ),
    ],
    kind: Annotated[PictureKind, typer.Option(help="What to draw.")] = PictureKind.parallel,
    columns: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="The columns to draw; at most two for regions."),
    ] = None,
    box: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The box to draw; the first is 0.")
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Rows to draw or to compare with (regions, box), or to learn (relevance).",
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="NAME", help="The column of the classes in --data.")
    ] = None,
    *,
    options: reading.FileOptions,
) -> None:
    """Draw a model: regions over two columns, parallel axes of many, one box, or the curves.

    With --kind relevance, a new model with the same parameters learns --data in order, and the
    picture shows how much each column matters over the rows.

    \b
    Examples:
      boxwise plot loans.box -o boxes.png
      boxwise plot loans.box -o regions.png --kind regions
      boxwise plot loans.box -o regions.svg --kind regions --columns age,salary
      boxwise plot loans.box -o box.pdf --kind box --box 3 --data loans.csv
      boxwise plot loans.box -o curves.png --kind curves
      boxwise plot loans.box -o t.png --kind relevance --data a.csv --label paid

    \b
    Exit codes:
      0    done
      1    the model, a file or a row cannot be used, or a library is missing
      2    wrong usage
      3    done, but rows were left out (--on-error skip or report)
      130  stopped by Ctrl-C
    """  # noqa: D301  (click marks with it what it must not wrap)
    _check_usage(kind, box, data, label)
    refuse_input(output, [model, *(data or ())], "--output")
    with failures_reported():
        check_picture(output, "--output")
        clf = load(model)
        names = chosen_names("--columns", columns, clf.schema_.names)
        if kind is PictureKind.regions and len(names) > 2:
            raise typer.BadParameter(
                f"regions are over two columns, not {len(names)}", param_hint="--columns"
            )
        given: dict[str, Any] = {}
        if data:
            rows, labels = ModelRows(clf, data, options, label).all()
            given = {"X": rows, "labels": None if label is None else labels}
        write_picture(_draw(clf, kind, names, box, given), output)
        end(options.row_errors, quiet=options.quiet)


def _check_usage(
    kind: PictureKind, box: int | None, data: Sequence[str] | None, label: str | None
) -> None:
    """Refuse options that the picture has no use for, and those without which there is none."""
    if (kind is PictureKind.box) != (box is not None):
        problem = "needed with --kind box" if box is None else "for --kind box only"
        raise typer.BadParameter(problem, param_hint="--box")
    if data and kind in (PictureKind.parallel, PictureKind.curves):
        raise typer.BadParameter(f"not with --kind {kind.value}", param_hint="--data")
    if kind is PictureKind.relevance and (not data or label is None):
        missing = "--label" if data else "--data"
        raise typer.BadParameter("needed with --kind relevance", param_hint=missing)
    if label is not None and not data:
        raise typer.BadParameter(
            "it is a column of --data, which is not given", param_hint="--label"
        )


def _draw(
    clf: Any, kind: PictureKind, names: Sequence[str], box: int | None, given: dict[str, Any]
) -> Any:
    """Return the figure."""
    try:
        with columns_by_position():
            if kind is PictureKind.regions:
                return plot_regions(clf, *names, **given).figure
            if kind is PictureKind.parallel:
                return plot_parallel(clf, names or None).figure
            if kind is PictureKind.curves:
                return plot_curves(clf, names or None)
            if kind is PictureKind.relevance:
                return plot_relevance(clf, given["X"], given["labels"], names or None)
            assert box is not None
            return plot_box(clf, box, names or None, **given)
    except (TypeError, ValueError, IndexError) as error:
        fail(str(error))
