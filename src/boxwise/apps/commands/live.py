"""``boxwise live``: the service and its page, on a stream of loan applications."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from pathlib import Path
from time import sleep
from typing import Annotated

import typer

from boxwise import HyperboxClassifier, dumps
from boxwise.apps.interruption import termination_as_ctrl_c
from boxwise.apps.live.feeder import Feeder, RefusedError, applications
from boxwise.apps.live.service import LiveService, ServiceError, free_port
from boxwise.apps.outcome import fail, interrupted_by, notify

MODEL = "loans"
FIRST_ROWS = 20  # learned before the service starts, so that it knows the columns
POINT_SECONDS = 1.0  # between two points of the charts
LOOK = 0.5  # seconds between two looks at the service when all rows are sent


def live(
    rows: Annotated[
        int, typer.Option(metavar="N", min=1, help="The number of applications.")
    ] = 100_000,
    pace: Annotated[
        float, typer.Option(metavar="N", min=0.1, help="How many applications a second.")
    ] = 80.0,
    change_every: Annotated[
        int, typer.Option(metavar="N", min=1, help="Change the rule every N applications.")
    ] = 4_000,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="The random seed of the applications.")
    ] = 0,
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65_535, help="The port; 0 is a free one.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
) -> None:
    """Watch the service learn from a stream, on its page in a browser.

    Starts boxwise serve on this machine only, with a store in a temporary folder, and sends it
    loan applications: each is predicted, and two seconds later its decision is learned. Every
    4,000 applications the rule behind the decisions changes. Ctrl-C ends all and removes the
    store.

    \b
    Examples:
      boxwise live                            opens the page
      boxwise live --pace 20 --no-browser     slower; prints the address only
      boxwise live --change-every 2000        the rule changes every 25 seconds

    \b
    Exit codes:
      1         the service does not start, or refused an application
      2         wrong usage
      130, 143  stopped by Ctrl-C or SIGTERM
    """  # noqa: D301  (click marks with it what it must not wrap)
    try:
        with (
            termination_as_ctrl_c(),
            tempfile.TemporaryDirectory(prefix="boxwise-live-") as folder,
        ):
            service = _service(Path(folder), port or free_port(), seed, change_every)
            try:
                service.start()
                _introduce(service, rows, pace, change_every)
                if browser:
                    _open(service.port)
                feeder = Feeder(service.port, service.keep_running)
                feeder.feed(applications(rows, change_every, seed), pace)
                typer.echo("All applications are sent. The page stays until Ctrl-C.")
                while True:
                    sleep(LOOK)
                    service.keep_running()
            finally:
                service.stop()
    except (ServiceError, RefusedError) as error:
        fail(str(error))
    except KeyboardInterrupt as error:
        raise typer.Exit(interrupted_by(error)) from None


def _service(folder: Path, port: int, seed: int, change_every: int) -> LiveService:
    first = list(applications(FIRST_ROWS, change_every, seed + 1))
    model = HyperboxClassifier().fit([row for row, _ in first], [label for _, label in first])
    Path(folder, f"{MODEL}.box").write_bytes(dumps(model))
    arguments = [str(folder / f"{MODEL}.box"), "--name", MODEL, "--store", str(folder / "store.db")]
    return LiveService(
        [*arguments, "--point-seconds", str(POINT_SECONDS), "--quiet"],
        port=port,
        log=folder / "service.log",
        restarted=lambda pid: notify(f"the service had ended and was started again, process {pid}"),
    )


def _introduce(service: LiveService, rows: int, pace: float, change_every: int) -> None:
    typer.echo(
        f"http://127.0.0.1:{service.port}/\n"
        f"{rows:,} loan applications, {pace:g} a second; the rule behind the decisions changes "
        f"every {change_every:,}, after {change_every / pace:,.0f} seconds.\n"
        f"The service is process {service.pid}. Kill it, and it is started again and goes on where "
        "it was.\n"
        "Ctrl-C ends everything and removes the temporary store."
    )
    sys.stdout.flush()


def _open(port: int) -> None:
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return  # there would be a browser in the terminal at most
    webbrowser.open(f"http://127.0.0.1:{port}/")
