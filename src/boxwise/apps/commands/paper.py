"""``boxwise paper``: the paper's evaluation, and a report beside the paper's own numbers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from boxwise.datasets import DatasetError, load, names

if TYPE_CHECKING:
    from boxwise.paper.job import Job

MEASUREMENTS = "measurements"
EXPERIMENTS = ("alpha", "delta", "mixed", "encoders", "find-alpha", "tuned", MEASUREMENTS)
SILENCE = 15  # seconds between two lines where there is no terminal for a bar


def _not_zero(jobs: int) -> int:
    if jobs == 0:
        raise typer.BadParameter("0 processes do nothing; -1 is one per core")
    return jobs


def paper(
    experiments: Annotated[
        list[str] | None,
        typer.Argument(help=f"Which of {', '.join(EXPERIMENTS)}; all unless named."),
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option(help="Only these data sets; may be repeated or separated by commas."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One repetition and thinner grids: a few minutes.")
    ] = False,
    jobs: Annotated[
        int, typer.Option(help="The number of processes; -1 is one per core.", callback=_not_zero)
    ] = -1,
    out: Annotated[Path, typer.Option(help="The folder for results and report.")] = Path(
        "boxwise-paper"
    ),
    data: Annotated[
        Path | None,
        typer.Option(help="The folder of the data sets (BOXWISE_DATA, or a cache)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=1_000_000, help="The random seed.")] = 0,
    scaling: Annotated[
        str, typer.Option(help="Scale columns by the whole 'dataset', as the paper, or by 'fold'.")
    ] = "dataset",
    order: Annotated[
        str, typer.Option(help="Learn rows in the order of the 'file', or 'shuffled'.")
    ] = "file",
) -> None:
    """Run the evaluation of the EIOL-GFMM paper again and write a report beside its numbers.

    Each fold is stored when it is done: stop with Ctrl-C at any time, and the same command
    resumes where it stopped. The results do not depend on the number of processes.

    \b
    Examples:
      boxwise paper --quick                          all of it in a few minutes
      boxwise paper                                  about an hour on two cores
      boxwise paper tuned --datasets heart,german    one table, two data sets

    \b
    Exit codes:
      0    done
      1    a data set or a library is missing, or the folder holds another run
      2    wrong usage
      130  stopped by Ctrl-C
    """  # noqa: D301  (click marks with it what it must not wrap)
    chosen = _choose("experiment", _split(experiments, "_", "-"), EXPERIMENTS)
    sets = _choose("data set", _split(datasets, "-", "_"), names())
    _choose("scaling", [scaling], ("dataset", "fold"))
    _choose("order", [order], ("file", "shuffled"))
    _need_libraries()
    _run(chosen, sets, quick, jobs, out, data, seed, scaling, order)


def _run(
    experiments: Sequence[str],
    sets: Sequence[str],
    quick: bool,
    jobs: int,
    out: Path,
    data: Path | None,
    seed: int,
    scaling: str,
    order: str,
) -> None:
    from boxwise.paper.job import Job, OtherRunError
    from boxwise.paper.protocol import Protocol

    measured = MEASUREMENTS in experiments
    experiments = [name for name in experiments if name != MEASUREMENTS]
    protocol = Protocol(1 if quick else 10, seed, quick, scaling, order)  # type: ignore[arg-type]
    folder = None if data is None else str(data.resolve())
    try:
        started = Job(out, protocol, experiments, sets) if (out / "run.json").exists() else None
        for name in sets if started is None else started.datasets_left:
            load(name, folder=folder)
        job = started or Job(out, protocol, experiments, sets)
    except (DatasetError, OtherRunError) as error:
        _stop(str(error))
    except OSError as error:
        _stop(f"{out} cannot be written to: {error}; choose another folder with --out")
    if experiments and not job.units:
        _stop(f"{', '.join(experiments)} needs numeric columns, which {', '.join(sets)} lacks")
    with _progress(job.n_done, job.n_units) as report:
        try:
            job.run(n_jobs=jobs, folder=folder, report=report)
        except KeyboardInterrupt:
            interrupted = True
        else:
            interrupted = False
    if interrupted:
        typer.echo(f"stopped; {job.n_done} of {job.n_units} folds are kept in {job.path}", err=True)
        typer.echo("the same command goes on from there", err=True)
        _end_processes()
        # Workers of joblib would otherwise print their own tracebacks on the way out.
        sys.stderr.flush()
        os._exit(130)
    try:
        if measured:
            _measure(job, sets, jobs, folder)
        typer.echo("writing the report", err=True)
        files = job.report()
    except OSError as error:
        _stop(f"the results are in {job.path}, but the report cannot be written: {error}")
    for path in files:
        typer.echo(path)


def _end_processes() -> None:
    # Idle processes of joblib would wait minutes for work, and keep the caller's pipe open.
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(kill_workers=True)


def _measure(job: Job, sets: Sequence[str], jobs: int, folder: str | None) -> None:
    """Measure what the claims need besides the results, in a few minutes."""
    from boxwise.paper.measurements.file import NAME
    from boxwise.paper.measurements.run import measure

    def report(name: str) -> None:
        typer.echo(f"measuring {name}", err=True)

    path = job.folder / NAME
    try:
        measure(path, job.protocol, sets, n_jobs=jobs, folder=folder, report=report)
    except DatasetError as error:  # the results may be there without the data they were made of
        typer.echo(f"boxwise: {error}; the report goes without these measurements", err=True)
    except ValueError as error:
        _stop(str(error))
    except KeyboardInterrupt:
        typer.echo(f"stopped; measurements that were done are kept in {path}", err=True)
        raise typer.Exit(130) from None


def _choose(what: str, wanted: Sequence[str] | None, allowed: Sequence[str]) -> list[str]:
    for name in wanted or ():
        if name not in allowed:
            raise typer.BadParameter(f"there is no {what} {name!r}; choose of {', '.join(allowed)}")
    return [name for name in allowed if not wanted or name in wanted]


def _split(values: Sequence[str] | None, wrong: str, right: str) -> list[str] | None:
    """Return names given one by one or with commas, with hyphens or underscores."""
    if not values:
        return None
    return [name.strip().replace(wrong, right) for value in values for name in value.split(",")]


def _need_libraries() -> None:
    missing = [n for n in ("category_encoders", "matplotlib") if find_spec(n) is None]
    if missing:
        _stop(f'this needs {" and ".join(missing)}: pip install "boxwise[paper]"')


def _stop(message: str) -> NoReturn:
    typer.echo(f"boxwise: {message}", err=True)
    raise typer.Exit(1)


@contextmanager
def _progress(done: int, total: int) -> Iterator[Callable[[int, str], object]]:
    """Show how far it is: a bar on a terminal, a line now and then elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(done, total)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("folds, {task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    start = monotonic()
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("starting", total=total, completed=done, rate="")

        def report(now: int, what: str) -> None:
            rate = (now - done) / max(monotonic() - start, 1e-9)
            bar.update(task, completed=now, description=what, rate=f"{rate:.1f}/s, left")

        yield report


class _Lines:
    """Progress for a log file."""

    def __init__(self, done: int, total: int) -> None:
        self.started, self.total = done, total
        self.start = self.last = monotonic()

    def __call__(self, done: int, what: str) -> None:
        now = monotonic()
        if now - self.last < SILENCE and done < self.total:
            return
        self.last = now
        rate = (done - self.started) / max(now - self.start, 1e-9)
        left = (self.total - done) / rate if rate > 0 else float("nan")
        typer.echo(
            f"{done} of {self.total} folds, {rate:.2f}/s, {left:.0f} s left ({what})", err=True
        )
