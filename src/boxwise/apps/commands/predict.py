"""``boxwise predict``: a model file and files in, predictions out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from boxwise import load
from boxwise.apps.model_columns import check_knows_classes
from boxwise.apps.model_rows import ModelRows
from boxwise.apps.options import files as reading
from boxwise.apps.outcome import end, failures_reported, notify
from boxwise.apps.results import CsvResults, JsonResults, Results, opened
from boxwise.apps.writable import check_results, refuse_input
from boxwise.core.words import counted
from boxwise.explain import FEW_ROWS, by_evidence, winning_boxes
from boxwise.files import InputError, TypedChunk
from boxwise.inputs import columns_by_position


class ResultFormat(StrEnum):
    """Formats of predictions."""

    csv = "csv"
    jsonl = "jsonl"


def predict(
    model: reading.ModelArgument,
    data: reading.FilesArgument,
    output: reading.ResultOption = None,
    to: Annotated[
        ResultFormat, typer.Option(help="The format of the predictions.")
    ] = ResultFormat.csv,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each class.")
    ] = False,
    support: Annotated[
        bool,
        typer.Option(
            "--support", help="Add the number of learned rows that support it (hyperbox)."
        ),
    ] = False,
    why: Annotated[
        bool,
        typer.Option("--why", help="Add the box with the largest share, the share and its rule."),
    ] = False,
    escape_formulas: reading.EscapeFormulasOption = True,
    *,
    options: reading.FileOptions,
) -> None:
    """Predict the class of each row of files with a model file.

    The result has a line for each row, in the order of the rows: the number of the row, counted
    from 1 over all files, and the prediction. Rows that are skipped keep their numbers. Columns are
    matched by name; those that are not in the model are ignored. With --proba, a message shows the
    number of rows with few rows like them (support below 5).

    \b
    Examples:
      boxwise predict loans.box july.csv > predictions.csv
      boxwise predict loans.box july.csv --proba --to jsonl -o predictions.jsonl
      boxwise predict loans.box july.csv --why | head -3
      zcat july.csv.gz | boxwise predict loans.box -

    \b
    Exit codes:
      0    done
      1    the model, a file or a row cannot be used
      2    wrong usage
      3    done, but rows were left out (--on-error skip or report)
      130  stopped by Ctrl-C (143: by SIGTERM); no file was written
      141  the reader of the output has closed it, as head does
    """  # noqa: D301  (click marks with it what it must not wrap)
    refuse_input(output, [model, *data], "--output")
    with failures_reported():
        check_results(output)
        clf = load(model)
        check_knows_classes(clf)
        evidence = by_evidence(clf._fitted())
        if support and not evidence:
            raise InputError(
                f"{model} is a {type(clf).__name__}, which knows no support; leave out --support"
            )
        rows = ModelRows(clf, data, options)
        classes = clf.classes_.tolist() if proba else []
        with opened(output) as out, columns_by_position():
            measure = "share" if evidence else "membership"
            reason = (*(["support"] if support else []), *(["box", measure, "rule"] if why else []))
            results: Results
            if to is ResultFormat.csv:
                results = CsvResults(out, classes, reason, escape_formulas=escape_formulas)
            else:
                results = JsonResults(out, classes, reason)
            describe = lru_cache(maxsize=10_000)(clf.boxes_.describe) if why else None
            few = n = 0
            for chunk in rows.chunks():
                known = None
                if support or (proba and evidence and not options.quiet):
                    known = clf.support(chunk.columns)
                    few, n = few + int((known < FEW_ROWS).sum()), n + chunk.n_rows
                _write(results, clf, chunk, describe, known if support else None, proba=proba)
            results.finish()
        if proba and few and not options.quiet:
            notify(f"few rows like this: {few:,} of {counted(n, 'row', 'rows')} (support below 5)")
        end(options.row_errors, quiet=options.quiet)


def _write(
    results: Results,
    clf: Any,
    chunk: TypedChunk,
    describe: Callable[[int], str] | None,
    support: NDArray[np.float64] | None,
    *,
    proba: bool,
) -> None:
    predictions = clf.predict(chunk.columns)
    shares = clf.predict_proba(chunk.columns).tolist() if proba else [[]] * chunk.n_rows
    reasons = [()] * chunk.n_rows if describe is None else _reasons(clf, chunk, describe)
    known = [()] * chunk.n_rows if support is None else [(n,) for n in support.tolist()]
    for row, prediction, parts, rows, why in zip(
        chunk.rows, predictions.tolist(), shares, known, reasons, strict=True
    ):
        results.write(row, prediction, parts, (*rows, *why))


def _reasons(
    clf: Any, chunk: TypedChunk, describe: Callable[[int], str]
) -> Iterator[tuple[int, float, str]]:
    for box, degree in winning_boxes(*clf._read(chunk.columns, None)):
        yield box, degree, describe(box)
