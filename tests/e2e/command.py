"""The installed command, run in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

BOXWISE = Path(sys.executable).with_name("boxwise.exe" if sys.platform == "win32" else "boxwise")
ENVIRONMENT = {**os.environ, "PYTHONUTF8": "1", "COLUMNS": "100"}

# A process counts its memory from that of the one that started it, so a small one must start it.
MEASURE = """
import json, os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
errors = child.stderr.read().decode()
_, status, usage = os.wait4(child.pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_maxrss, errors]))
"""


def boxwise(
    *arguments: object, folder: Path, given: bytes | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; `given` comes from standard input."""
    run = subprocess.run(
        [BOXWISE, *map(str, arguments)],
        cwd=folder,
        env=ENVIRONMENT,
        input=given,
        stdin=subprocess.DEVNULL if given is None else None,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert b"Traceback" not in run.stderr, run.stderr.decode()
    return subprocess.CompletedProcess(
        run.args, run.returncode, run.stdout.decode(), run.stderr.decode()
    )


def megabytes_of(command: Sequence[object], folder: Path) -> tuple[int, float, str]:
    """Return the exit code, the largest size in memory and the errors of a command."""
    measured = subprocess.run(
        [sys.executable, "-c", MEASURE, *map(str, command)],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        check=True,
        timeout=600,
    )
    code, size, errors = json.loads(measured.stdout)
    return code, size / 1024 if sys.platform != "darwin" else size / 1024**2, errors


def bare_interpreter(folder: Path) -> float:
    """Return the size in memory of Python that does nothing, in megabytes."""
    return megabytes_of([sys.executable, "-c", "pass"], folder)[1]
