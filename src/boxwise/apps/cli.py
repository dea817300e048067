"""The command line: one command per file, put together here."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from boxwise.apps.demo import demo
from boxwise.apps.evaluate import evaluate
from boxwise.apps.explain import explain
from boxwise.apps.inspect import inspect
from boxwise.apps.learn import learn
from boxwise.apps.paper import paper
from boxwise.apps.plot import plot
from boxwise.apps.predict import predict
from boxwise.apps.prune import prune
from boxwise.apps.report import report
from boxwise.apps.rules import rules

app = typer.Typer(
    name="boxwise",
    help="Online classification of mixed data, with explanations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# A list of commands has room for one line each; where the first sentence is longer, it is here.
app.command()(learn)
app.command()(predict)
app.command(short_help="Explain the predictions of rows.")(explain)
app.command(short_help="Score predictions of rows before they are learned.")(evaluate)
app.command(short_help="Show the content of a model file.")(inspect)
app.command(short_help="Draw a model.")(plot)
app.command(short_help="Show a model file as if-then rules.")(rules)
app.command(short_help="Write a report on a model as one HTML page.")(report)
app.command(short_help="Remove the boxes of a model that do harm.")(prune)
app.command()(demo)
app.command(short_help="Run the evaluation of the EIOL-GFMM paper again.")(paper)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"boxwise {version('boxwise')}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Options of all commands."""
