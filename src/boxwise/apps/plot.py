"""``boxwise plot``: a model file in, a picture out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from boxwise import load
from boxwise.apps import file_options as reading
from boxwise.apps.column_options import chosen_names
from boxwise.apps.labelled_files import no_rows
from boxwise.apps.model_columns import typing_for
from boxwise.apps.outcome import ROWS_LEFT_OUT, fail, failures_told, say, tell_rows_left_out
from boxwise.apps.pictures import check_picture
from boxwise.apps.writable import refuse_input
from boxwise.files import Faults, Files, Manner, check_names
from boxwise.plot import plot_box, plot_parallel, plot_regions


class PictureKind(StrEnum):
    """What a picture shows."""

    regions = "regions"
    parallel = "parallel"
    box = "box"


def plot(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The model file.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The .png, .svg or .pdf file to write."
        ),
    ],
    kind: Annotated[PictureKind, typer.Option(help="What to draw.")] = PictureKind.parallel,
    columns: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="The columns to draw; two of them for regions."),
    ] = None,
    box: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The box to draw; the first is 0.")
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Rows to draw or to compare with (regions, box)."),
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="NAME", help="The column of the classes in --data.")
    ] = None,
    missing: reading.MissingOption = None,
    form: reading.FormatOption = None,
    delimiter: reading.DelimiterOption = None,
    on_error: reading.OnErrorOption = reading.OnErrorChoice.stop,
    quiet: reading.QuietOption = False,
) -> None:
    """Draw a model: regions over two columns, parallel axes of many, or one box.

    \b
    Examples:
      boxwise plot loans.box -o boxes.png
      boxwise plot loans.box -o regions.svg --kind regions --columns age,salary
      boxwise plot loans.box -o box.pdf --kind box --box 3 --data loans.csv

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
    with failures_told():
        check_picture(output, "--output")
        clf = load(model)
        names = chosen_names("--columns", columns, clf.schema_.names)
        if kind is PictureKind.regions and len(names) != 2:
            raise typer.BadParameter(
                f"regions are over two columns, not {len(names)}", param_hint="--columns"
            )
        faults = Faults(on_error.value, say)
        manner = Manner(None if form is None else form.value, delimiter)
        files = Files(data, manner, missing or ()) if data else None
        given = {} if files is None else _rows(clf, files, label, faults)
        _draw(clf, kind, names, box, given).savefig(output, dpi=150)
        if not quiet:
            tell_rows_left_out(faults)
    if faults.count:
        raise typer.Exit(ROWS_LEFT_OUT)


def _check_usage(
    kind: PictureKind, box: int | None, data: Sequence[str] | None, label: str | None
) -> None:
    """Refuse options that the picture has no use for, and those without which there is none."""
    if (kind is PictureKind.box) != (box is not None):
        problem = "needed with --kind box" if box is None else "for --kind box only"
        raise typer.BadParameter(problem, param_hint="--box")
    if data and kind is PictureKind.parallel:
        raise typer.BadParameter("not with --kind parallel", param_hint="--data")
    if label is not None and not data:
        raise typer.BadParameter(
            "it is a column of --data, which is not given", param_hint="--label"
        )


def _rows(clf: Any, files: Files, label: str | None, faults: Faults) -> dict[str, Any]:
    """Return all rows of the files, as pictures take them, and their classes."""
    check_names(files.names, [] if label is None else [label], files.first, "label column")
    typing = typing_for(clf, files, label)
    chunks = [typing.apply(chunk, faults) for chunk in files.chunks(reading.DEFAULT_CHUNK_ROWS)]
    if not any(chunk.n_rows for chunk in chunks):
        no_rows(files, faults)
    columns = {
        name: np.concatenate([chunk.columns[name] for chunk in chunks])
        if kind == "continuous"
        else [value for chunk in chunks for value in chunk.columns[name]]
        for name, kind in typing.kinds.items()
    }
    labels = [value for chunk in chunks for value in chunk.labels]
    return {"X": columns, "labels": None if label is None else labels}


def _draw(
    clf: Any, kind: PictureKind, names: Sequence[str], box: int | None, given: dict[str, Any]
) -> Any:
    """Return the figure."""
    try:
        with warnings.catch_warnings():
            # A model that was learned from rows without names takes columns by position.
            warnings.filterwarnings("ignore", "X has feature names", UserWarning)
            if kind is PictureKind.regions:
                return plot_regions(clf, names[0], names[1], **given).figure
            if kind is PictureKind.parallel:
                return plot_parallel(clf, names or None).figure
            assert box is not None
            return plot_box(clf, box, names or None, **given)
    except (ValueError, IndexError) as error:
        fail(str(error))
