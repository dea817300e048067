"""Commands in processes of their own, rows to learn, and what a store says of them."""

from __future__ import annotations

import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import boxwise
from boxwise.database import open_store
from boxwise.datasets import LoanStream
from boxwise.streams import learn

ROOT = Path(__file__).parents[2]
LABEL = ("--label", "decision")


def loans(n: int, seed: int = 5, **more: Any) -> list[dict[str, Any]]:
    """Return rows with their label in the column `decision`."""
    stream = LoanStream(n, function=7, seed=seed, **more)
    return [{**row, "decision": label} for row, label in stream]


def items(rows: list[dict[str, Any]]) -> list[tuple[int, dict[str, Any], Any]]:
    """Return rows as tuples of position, row and label."""
    return [
        (i, {name: value for name, value in row.items() if name != "decision"}, row["decision"])
        for i, row in enumerate(rows, start=1)
    ]


def expected_bytes(rows: list[dict[str, Any]], folder: Path) -> bytes:
    """Return the model that one call learns from these rows, with types as in JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    return boxwise.dumps(learn(items(rows), folder / "expected.db", label="decision"))


def model_bytes(store: Path, model: str = "default") -> bytes:
    """Return the latest checkpoint of a model."""
    with open_store(store) as opened:
        return opened.latest_checkpoint(model).data


def rows_taken(store: Path, source: str, model: str = "default") -> int:
    """Return how many rows of a source the store says are in the model."""
    if not store.exists():
        return 0
    reading = sqlite3.connect(f"file:{store}?mode=ro", uri=True)  # holds up nobody
    try:
        found = reading.execute(
            "SELECT position FROM boxwise_consumed WHERE model = ? AND source = ?", (model, source)
        ).fetchone()
    except sqlite3.OperationalError:  # killed before there were tables
        return 0
    finally:
        reading.close()
    return 0 if found is None else json.loads(found[0])["rows"]


def json_lines(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


class Starter:
    """Runs commands, one at a time, in forks of a process that has imported everything."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._output = folder / "output.txt"
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("forking.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
            text=True,
        )
        self._pid = 0

    def start(self, *arguments: object) -> None:
        """Start a command."""
        self._output.write_text("")
        job = {"arguments": [*map(str, arguments)], "output": str(self._output)}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        self._pid = int(self._line())

    def signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self._pid, number)  # the starter waits for it, so the number is not anybody else's

    def wait(self) -> int:
        """Wait for its end; return the exit code."""
        return int(self._line())

    def run(self, *arguments: object) -> int:
        """Start a command and wait for its end."""
        self.start(*arguments)
        return self.wait()

    def kill_once(self, wanted: Callable[[], bool], pause: float) -> int:
        """Kill it a while after something is so; return the exit code.

        If it came to its own end before, the code is that of this end.
        """
        while not self._ended(0.005) and not wanted():
            pass
        self._ended(pause)
        with suppress(ProcessLookupError):
            self.signal(signal.SIGKILL)
        return self.wait()

    def _ended(self, seconds: float) -> bool:
        return bool(select.select([self._process.stdout], [], [], seconds)[0])

    @property
    def output(self) -> str:
        """What the latest command has written."""
        return self._output.read_text("utf-8", errors="replace")

    def wait_for(self, text: str, seconds: float = 20.0) -> None:
        """Wait until the command has written this."""
        until = time.monotonic() + seconds
        while text not in self.output:
            assert time.monotonic() < until, f"no {text!r} in:\n{self.output}"
            time.sleep(0.02)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()
