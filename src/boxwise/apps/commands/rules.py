"""``boxwise rules``: a model file as if-then rules."""

from __future__ import annotations

import io
import warnings
from enum import StrEnum
from typing import Annotated, Any

import typer

from boxwise import load
from boxwise.apps.model_rows import ModelRows
from boxwise.apps.options import files as reading
from boxwise.apps.outcome import end, failures_reported, notify
from boxwise.apps.results import opened
from boxwise.apps.writable import check_results, refuse_input
from boxwise.csv_writing import CsvWriter
from boxwise.files import InputError
from boxwise.inputs import columns_by_position
from boxwise.rules import RuleSet
from boxwise.rules.pages import to_columns


class RulesFormat(StrEnum):
    """Formats of rules."""

    text = "text"
    markdown = "markdown"
    html = "html"
    json = "json"
    csv = "csv"


def rules(
    model: reading.ModelArgument,
    data: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Labelled rows to evaluate the rules on; may be repeated.",
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="NAME", help="The column of the classes in --data.")
    ] = None,
    simplify: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            min=0,
            max=1,
            help="A short list of rules that agrees with the model on this share of rows.",
        ),
    ] = None,
    max_rules: Annotated[
        int, typer.Option(metavar="N", min=1, help="With --simplify: the maximum number of rules.")
    ] = 12,
    min_share: Annotated[
        float,
        typer.Option(
            metavar="SHARE", min=0, max=1, help="Omit values with a smaller share of a box."
        ),
    ] = 0.0,
    only_class: Annotated[
        str | None, typer.Option("--class", metavar="LABEL", help="Only rules of this class.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Show only the first N rules.")
    ] = None,
    to: Annotated[RulesFormat, typer.Option(help="The format of the rules.")] = RulesFormat.text,
    output: reading.ResultOption = None,
    escape_formulas: reading.EscapeFormulasOption = True,
    *,
    options: reading.FileOptions,
) -> None:
    """Show a model file as if-then rules: one for each box, or a short list for all of them.

    With --data, each rule shows how many of these rows it covers and how many of them correctly.
    With --simplify, the result is a short list in which the first rule that covers a row decides;
    this holds all rows of --data in memory.

    \b
    Examples:
      boxwise rules loans.box --limit 10
      boxwise rules loans.box --data july.csv --label decision --simplify 0.95
      boxwise rules loans.box --class declined --to markdown -o declined.md

    \b
    Exit codes:
      0    done
      1    the model, a file or a row cannot be used
      2    wrong usage
      3    done, but rows were left out (--on-error skip or report)
      130  stopped by Ctrl-C
      141  the reader of the output has closed it, as head does
    """  # noqa: D301  (click marks with it what it must not wrap)
    _check_usage(data, label, simplify)
    refuse_input(output, [model, *(data or ())], "--output")
    with failures_reported():
        check_results(output)
        clf = load(model)
        rows = None
        if data and label is not None:
            rows = ModelRows(clf, data, options, label).all()
        found = _made(clf, rows, min_share, simplify, max_rules, options.quiet)
        if only_class is not None:
            found = found.filter(label=_class_named(only_class, found))
        shown = found[:limit] if limit is not None else found
        with opened(output) as out:
            out.write(_written(shown, to, escape_formulas=escape_formulas))
        if len(shown) < len(found) and not options.quiet:
            notify(f"{len(found) - len(shown):,} more rules; --limit shows more")
        end(options.row_errors, quiet=options.quiet)


def _check_usage(data: list[str] | None, label: str | None, simplify: float | None) -> None:
    if (data is None) != (label is None):
        given, other = ("--data", "--label") if data else ("--label", "--data")
        raise typer.BadParameter(f"needs {other} as well", param_hint=given)
    if simplify is not None and data is None:
        raise typer.BadParameter(
            "needs rows: give --data and --label; those that the model has learned will do",
            param_hint="--simplify",
        )


def _made(
    clf: Any,
    rows: tuple[dict[str, Any], list[object]] | None,
    min_share: float,
    simplify: float | None,
    max_rules: int,
    quiet: bool,
) -> RuleSet:
    """Return the rules that are wanted, and report the result of simplifying."""
    with columns_by_position(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no list of up to", UserWarning)  # reported below
        try:
            found: RuleSet = clf.rules(*(rows or ()), min_share=min_share)
            if simplify is None or rows is None:
                return found
            short = found.simplify(
                *rows, simplify, max_rules=max_rules, progress=False if quiet else None
            )
        except ValueError as error:
            raise InputError(str(error)) from None
    steps = short.simplification
    if steps is not None and not quiet:
        aim = "" if steps.reached else f", not the {simplify:.1%} asked for"
        notify(
            f"{len(found):,} rules became {len(short):,}; they agree with the model on "
            f"{steps.chosen.fidelity:.1%} of held-out rows{aim}"
        )
    return short


def _class_named(text: str, found: RuleSet) -> object:
    for label in found.classes:
        if str(label) == text:
            return label
    known = ", ".join(str(label) for label in found.classes[:20])
    raise typer.BadParameter(f"there is no class {text!r}; there are {known}", param_hint="--class")


def _written(found: RuleSet, to: RulesFormat, *, escape_formulas: bool) -> str:
    if to is RulesFormat.csv:
        out = io.StringIO()
        columns = to_columns(found)
        writer = CsvWriter(out, escape_formulas=escape_formulas)
        writer.write_row(columns)
        for cells in zip(*columns.values(), strict=True):
            writer.write_row(cells)
        return out.getvalue()
    text: str = getattr(found, f"to_{to.value}")()
    return text + "\n" if text else ""
