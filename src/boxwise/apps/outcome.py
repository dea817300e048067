"""The end of a command: messages on standard error, and the exit code."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from boxwise.apps.interruption import Terminated
from boxwise.files import InputError, RowError, RowErrors
from boxwise.store import ModelFileError

BAD_INPUT = 1
ROWS_LEFT_OUT = 3
INTERRUPTED = 130
TERMINATED = 143
BROKEN_PIPE = 141


def notify(message: str) -> None:
    """Say something on standard error."""
    typer.echo(f"boxwise: {message}", err=True)


def fail(message: str, code: int = BAD_INPUT) -> NoReturn:
    """End the command with a message."""
    notify(message)
    raise typer.Exit(code)


@contextmanager
def failures_reported() -> Iterator[None]:
    """Turn what can go wrong with files into a message and an exit code, a warning into a line."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: notify(str(message))
            yield
    except RowError as error:
        fail(f"{error}\n(--on-error skip leaves such rows out, --on-error report names them too)")
    except (InputError, ModelFileError) as error:
        fail(str(error))
    except BrokenPipeError:
        # Whoever read the output has gone, as `head` does; nothing is left to be flushed to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(BROKEN_PIPE) from None
    except KeyboardInterrupt as error:
        raise typer.Exit(interrupted_by(error)) from None
    except OSError as error:
        reason = error.strerror or str(error)
        fail(f"{error.filename}: {reason}" if error.filename else str(error))


def interrupted_by(error: KeyboardInterrupt) -> int:
    """Return the exit code of a command that was stopped."""
    return TERMINATED if isinstance(error, Terminated) else INTERRUPTED


def report_rows_left_out(row_errors: RowErrors) -> None:
    """Say how many rows were left out, and why the first one was."""
    if row_errors.count:
        rows = "1 row was" if row_errors.count == 1 else f"{row_errors.count:,} rows were"
        notify(f"{rows} left out; the first: {row_errors.first}")


def end(row_errors: RowErrors, *, quiet: bool) -> None:
    """End the command if rows were left out, and say so; else it ends by itself."""
    if row_errors.count:
        if not quiet:
            report_rows_left_out(row_errors)
        raise typer.Exit(ROWS_LEFT_OUT)
