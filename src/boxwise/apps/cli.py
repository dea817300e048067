"""The command line: one command per file, put together here."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer

from boxwise.apps.commands.consume import consume
from boxwise.apps.commands.demo import demo
from boxwise.apps.commands.evaluate import evaluate
from boxwise.apps.commands.explain import explain
from boxwise.apps.commands.inspect import inspect
from boxwise.apps.commands.learn import learn
from boxwise.apps.commands.live import live
from boxwise.apps.commands.merge import merge
from boxwise.apps.commands.paper import paper
from boxwise.apps.commands.plot import plot
from boxwise.apps.commands.predict import predict
from boxwise.apps.commands.report import report
from boxwise.apps.commands.rules import rules
from boxwise.apps.commands.serve import serve
from boxwise.apps.options.groups import expanded

app = typer.Typer(
    name="boxwise",
    help="Online classification of mixed data, with explanations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# A list of commands has room for one line each; where the first sentence is longer, it is here.
_COMMANDS: dict[Callable[..., None], str | None] = {
    learn: None,
    predict: None,
    explain: "Explain the predictions of rows.",
    evaluate: "Score predictions of rows before they are learned.",
    inspect: "Show the content of a model file.",
    plot: "Draw a model.",
    rules: "Show a model file as if-then rules.",
    report: "Write a report on a model as one HTML page.",
    merge: "Merge models learned on parts of the data.",
    consume: "Learn a stream as it comes, each row exactly once.",
    serve: "Serve models over HTTP; they learn and lose nothing.",
    demo: None,
    live: "Watch the service learn from a stream, in a browser.",
    paper: "Run the evaluation of the EIOL-GFMM paper again.",
}
for command, brief in _COMMANDS.items():
    app.command(short_help=brief)(expanded(command))


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
