"""``boxwise explain``: a model file and files in, reasons out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import islice
from typing import Annotated, Any

import typer

from boxwise import load
from boxwise.apps.model_columns import check_knows_classes
from boxwise.apps.model_rows import ModelRows
from boxwise.apps.options import files as reading
from boxwise.apps.options.columns import fixed_columns
from boxwise.apps.outcome import end, failures_reported, notify
from boxwise.apps.results import opened
from boxwise.apps.writable import check_results, refuse_input
from boxwise.explain import Explanation
from boxwise.explain import explain as explained
from boxwise.files import InputError, TypedChunk
from boxwise.inputs import columns_by_position
from boxwise.learners.base.explained_learner import ExplainedLearner

FEW = 10  # rows to explain as text unless more are asked for


class ExplanationFormat(StrEnum):
    """Formats of explanations."""

    text = "text"
    jsonl = "jsonl"


def explain(
    model: reading.ModelArgument,
    data: reading.FilesArgument,
    row: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            min=1,
            help="The number of a row to explain, from 1; may be repeated.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Stop after N rows (10 for text, otherwise no limit)."
        ),
    ] = None,
    fix: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Columns that a counterfactual must not change, besides those of the model.",
        ),
    ] = None,
    counterfactuals: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="The number of counterfactuals to look for, each in other columns (1).",
            show_default=False,
        ),
    ] = 1,
    no_counterfactual: Annotated[
        bool,
        typer.Option("--no-counterfactual", help="Skip the search for a counterfactual; faster."),
    ] = False,
    output: reading.ResultOption = None,
    to: Annotated[
        ExplanationFormat, typer.Option(help="Text, or one JSON object for each row.")
    ] = ExplanationFormat.text,
    *,
    options: reading.FileOptions,
) -> None:
    """Explain the predictions of the rows of files, and what would change them.

    For each row: the boxes that decided, the columns that supported or opposed the class, the other
    classes, and the smallest change of one or two columns found that changes the prediction. With
    --counterfactuals, further changes, of other columns, and the number of learned rows that
    support each changed row.

    \b
    Examples:
      boxwise explain loans.box july.csv --row 17
      boxwise explain loans.box july.csv --row 17 --fix age --counterfactuals 3
      boxwise explain loans.box july.csv --to jsonl -o reasons.jsonl

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
        if not isinstance(clf, ExplainedLearner):
            raise InputError(
                f"{model} is a {type(clf).__name__}, whose decisions cannot be explained column by "
                "column; boxwise predict --why shows the box that decides"
            )
        check_knows_classes(clf)
        rows = ModelRows(clf, data, options)
        if no_counterfactual and counterfactuals > 1:
            raise typer.BadParameter(
                "there is nothing to search with --no-counterfactual; leave out one of them",
                param_hint="--counterfactuals",
            )
        fixed = fixed_columns(clf.schema_, fix, rows.names)
        brief = limit is None and row is None and to is ExplanationFormat.text
        wanted = None if row is None else frozenset(row)
        with opened(output) as out, columns_by_position():
            chunks = _chosen(rows.chunks(), wanted)
            found = _explanations(clf, chunks, fixed, 0 if no_counterfactual else counterfactuals)
            explained: list[int] = []
            for why in islice(found, FEW if brief else limit):
                out.write(_written(why, to, first=not explained))
                explained.append(why.row)
            cut_off = brief and next(found, None) is not None
            if wanted is not None and (limit is None or len(explained) < limit):
                _check_found(wanted, explained)
            elif not explained:
                rows.none()
        if cut_off and not options.quiet:
            notify(f"these are the first {FEW} rows; --row and --limit explain others")
        end(options.row_errors, quiet=options.quiet)


def _chosen(chunks: Iterator[TypedChunk], wanted: frozenset[int] | None) -> Iterator[TypedChunk]:
    """Yield the rows that are wanted; nothing is read after the last of them."""
    last = None if wanted is None else max(wanted)
    for chunk in chunks:
        if wanted is None:
            yield chunk
            continue
        places = [i for i, number in enumerate(chunk.rows) if number in wanted]
        if places:
            yield chunk.take(places)
        if last is not None and chunk.rows[-1] >= last:
            return


def _explanations(
    clf: Any, chunks: Iterator[TypedChunk], fixed: Sequence[str | int], counterfactuals: int
) -> Iterator[Explanation]:
    """Yield the explanations one by one, so that the first is there soon."""
    for chunk in chunks:
        model = clf._fitted()
        batch = clf._encode(chunk.columns, model.schema, None, learn=True)
        kept = clf._fixed(model.schema, fixed)
        found = explained(model, batch, counterfactuals=counterfactuals, fixed=kept)
        for number, why in zip(chunk.rows, found, strict=True):
            yield replace(why, row=number)


def _written(why: Explanation, to: ExplanationFormat, *, first: bool) -> str:
    if to is ExplanationFormat.jsonl:
        return f"{why.to_json()}\n"
    return ("" if first else "\n" + "-" * 80 + "\n\n") + f"{why}\n"


def _check_found(wanted: Collection[int], explained: Collection[int]) -> None:
    absent = sorted({*wanted} - {*explained})
    if absent:
        raise InputError(f"there is no row {absent[0]:,} that can be explained (see --row)")
