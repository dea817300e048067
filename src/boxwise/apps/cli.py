"""The command line: one command per file, put together here."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from boxwise.apps.commands.demo import demo
from boxwise.apps.commands.evaluate import evaluate
from boxwise.apps.commands.explain import explain
from boxwise.apps.commands.inspect import inspect
from boxwise.apps.commands.learn import learn
from boxwise.apps.commands.paper import paper
from boxwise.apps.commands.plot import plot
from boxwise.apps.commands.predict import predict
from boxwise.apps.commands.prune import prune
from boxwise.apps.commands.report import report
from boxwise.apps.commands.rules import rules

app = typer.Typer(
    name="boxwise",
    help="Learn from mixed data as it arrives, and say why a decision was made.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# A list of commands has room for one line each; where the first sentence is longer, it is here.
app.command()(learn)
app.command()(predict)
app.command(short_help="Say why rows are predicted as they are.")(explain)
app.command(short_help="Say how well rows are predicted before they are learned.")(evaluate)
app.command(short_help="Show what is in a model file.")(inspect)
app.command(short_help="Draw a model.")(plot)
app.command(short_help="Show a model file as if-then rules.")(rules)
app.command(short_help="Write one page on a model, for a browser.")(report)
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
