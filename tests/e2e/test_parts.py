"""``boxwise learn --jobs`` as the installed command: signals, and processes that die."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.command import BOXWISE, ENVIRONMENT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

HEADER = "age,job,decision\n"


def write_parts(folder, n_rows):
    for part in range(2):
        rows = (f"{i % 90},cook,{'yes' if i % 3 else 'no'}\n" for i in range(n_rows))
        (folder / f"{part}.csv").write_text(HEADER + "".join(rows))


def begun(folder):
    """Start to learn two large files, and wait until both processes learn."""
    write_parts(folder, 2_000_000)
    command = ["learn", "0.csv", "1.csv", "--label", "decision", "-o", "m.box", "--jobs", "2"]
    run = subprocess.Popen(
        [BOXWISE, *command],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # as a terminal has it: a group of its own
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and run.poll() is None:
        if len(workers := workers_of(run.pid)) == 2:
            return run, workers
        time.sleep(0.05)
    run.kill()
    raise AssertionError(f"it ended before it began: {run.communicate()}")


def workers_of(process):
    """Return the processes that have one of the files open."""
    found = []
    for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
        try:
            files = [link.readlink().suffix for link in Path(f"/proc/{child}/fd").iterdir()]
        except OSError:
            continue
        if ".csv" in files:
            found.append(int(child))
    return found


def assert_ended(workers):
    deadline = time.monotonic() + 30
    while (left := running(workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left


def running(processes):
    return [process for process in processes if Path(f"/proc/{process}").exists()]


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("number", "code", "group"),
    [
        (signal.SIGINT, 130, True),  # Ctrl-C in a terminal
        (signal.SIGTERM, 143, False),
        (signal.SIGTERM, 143, True),
    ],
)
def test_a_signal_ends_all_processes_and_nothing_is_written(folder, number, code, group):
    run, workers = begun(folder)
    os.killpg(run.pid, number) if group else run.send_signal(number)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == code
    assert errors.endswith("boxwise: stopped; nothing was written\n")
    assert "Traceback" not in errors
    assert_ended(workers)
    assert names_in(folder) == ["0.csv", "1.csv"]


def test_a_process_that_is_killed_is_an_error_that_names_its_file(folder):
    run, workers = begun(folder)
    os.kill(workers[1], signal.SIGKILL)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 1
    assert ".csv: the process that learned it ended with -9; if memory was short, use" in errors
    assert "Traceback" not in errors
    assert_ended(workers)
    assert names_in(folder) == ["0.csv", "1.csv"]


def test_processes_end_when_the_command_is_killed(folder):
    run, workers = begun(folder)
    run.kill()
    run.communicate(timeout=60)
    assert_ended(workers)
