"""The command line: one command per file, put together here."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from boxwise.apps.paper import paper

app = typer.Typer(
    name="boxwise",
    help="Learn from mixed data as it arrives, and say why a decision was made.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(paper)


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
