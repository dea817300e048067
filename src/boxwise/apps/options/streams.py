"""Options on how a stream is learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from boxwise.apps.options.files import OnErrorChoice


@dataclass
class StreamOptions:
    """The values of these options."""

    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="TARGET",
            help="Where predictions go: a file (JSON Lines), - or a redis://, kafka:// or nats:// "
            "address. Each row is predicted before it is learned.",
        ),
    ] = None
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each class to predictions.")
    ] = False
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Columns to copy into predictions, such as an id."),
    ] = None
    dead_letter: Annotated[
        str | None,
        typer.Option(
            metavar="TARGET",
            help="Where rows that cannot be used go, with the reason; as --output.",
        ),
    ] = None
    on_error: Annotated[
        OnErrorChoice | None,
        typer.Option(
            "--on-error",
            help="What to do with invalid rows: stop, skip, or skip and report (stop; skip if "
            "there is a --dead-letter).",
        ),
    ] = None
    every: Annotated[
        int, typer.Option(metavar="N", min=1, help="Save the model after so many rows.")
    ] = 10_000
    seconds: Annotated[
        float,
        typer.Option(metavar="T", min=0.01, help="Save the model at least every T seconds."),
    ] = 5.0
    until_idle: Annotated[
        float | None,
        typer.Option(metavar="T", min=0.0, help="End when no row has come for T seconds."),
    ] = None
    retry_for: Annotated[
        float,
        typer.Option(metavar="T", min=0.0, help="Try a server that is away for T seconds."),
    ] = 60.0
    skip_lost: Annotated[
        bool,
        typer.Option(
            "--skip-lost", help="Go on where rows were removed from the stream before being read."
        ),
    ] = False
    source_name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The name of the position in the store (the address without login): give the "
            "old one if a stream has moved.",
        ),
    ] = None

    @property
    def choice(self) -> str:
        """What to do with invalid rows."""
        if self.on_error is not None:
            return self.on_error.value
        return "stop" if self.dead_letter is None else "skip"
