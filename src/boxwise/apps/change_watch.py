"""Changes of a model while it learns: a line for each, and a command to run at alarms."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Annotated, Any

import typer

from boxwise.apps.outcome import notify
from boxwise.evaluate.runner import changes_after, last_of
from boxwise.learners.changes import Change
from boxwise.learners.hyperbox_classifier import HyperboxClassifier

LONGEST_WAIT = 10.0  # seconds for a command
LOOK = 0.1  # seconds between two looks at whether to stop
ALARMING = ("alarm", "replaced", "returned")  # events at which the command is run
OWN_OUTPUT = 2  # standard error: results may go to standard output

AlarmCommandOption = Annotated[
    str | None,
    typer.Option(
        "--alarm-command",
        metavar="CMD",
        help="hyperbox: shell command to run at every alarm and replacement; its environment has "
        "BOXWISE_ROW, BOXWISE_EVENT, BOXWISE_BEFORE and BOXWISE_AFTER.",
    ),
]


class ChangeWatch:
    """Reports each change of a model once, and runs a command at alarms and replacements.

    A command that fails, or takes longer than 10 seconds, is reported; learning goes on.
    """

    def __init__(
        self,
        command: str | None,
        *,
        quiet: bool,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._command, self._quiet, self._stopped = command, quiet, stopped
        self._last: Change | None = None  # that was told

    def skip(self, changes: Sequence[Change]) -> None:
        """Mark these as reported."""
        self._last = last_of(changes)

    def tell(self, changes: Sequence[Change]) -> None:
        """Report new changes."""
        new, self._last = changes_after(self._last, changes), last_of(changes)
        for change in new:
            if not self._quiet:
                notify(str(change))
            if self._command is not None and change.event in ALARMING and not self._stopped():
                self._run(self._command, change)

    def _run(self, command: str, change: Change) -> None:
        variables = {
            "BOXWISE_ROW": str(change.row),
            "BOXWISE_EVENT": change.event,
            "BOXWISE_BEFORE": f"{change.before:.6g}",
            "BOXWISE_AFTER": f"{change.after:.6g}",
        }
        try:
            code = _run_in_shell(command, {**os.environ, **variables}, self._stopped)
        except subprocess.TimeoutExpired:
            notify(f"--alarm-command took longer than {LONGEST_WAIT:.0f} seconds and was stopped")
        except OSError as error:
            notify(f"--alarm-command could not be run: {error}")
        else:
            if code:
                notify(f"--alarm-command ended with {code}")


def changes_of(model: Any) -> list[Change]:
    """Return what happened to a model; nothing if it does not follow changes."""
    if not isinstance(model, HyperboxClassifier) or not model.adapt:
        return []
    return model.changes_ if model.__sklearn_is_fitted__() else []


def check_raises_alarms(command: str | None, model: Any) -> None:
    """End the command with an error if the model never runs the command given."""
    if command is None:
        return
    reason = None
    if not isinstance(model, HyperboxClassifier):
        reason = f"{type(model).__name__} raises no alarms; it is for --algorithm hyperbox"
    elif not model.adapt:
        reason = "without --adapt there are no alarms"
    if reason is not None:
        raise typer.BadParameter(reason, param_hint="--alarm-command")


def _run_in_shell(
    command: str, environment: dict[str, str], stopped: Callable[[], bool]
) -> int | None:
    """Run a command with all it starts, and wait a while; return its exit code, None if stopped."""
    process = subprocess.Popen(
        command,
        shell=True,
        stdin=subprocess.DEVNULL,  # rows may come from standard input
        stdout=OWN_OUTPUT,
        env=environment,
        start_new_session=True,
    )
    try:
        until = monotonic() + LONGEST_WAIT
        while not stopped():
            try:
                return process.wait(LOOK)
            except subprocess.TimeoutExpired:
                if monotonic() > until:
                    raise
        _stop(process)
        return None
    except BaseException:  # Ctrl-C too
        _stop(process)
        raise


def _stop(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
