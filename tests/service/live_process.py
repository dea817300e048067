"""`boxwise live`, run as a user runs it, and what it prints."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from threading import Thread
from time import monotonic, sleep

ENTRY = "from boxwise.apps.entry import main; main()"


class LiveProcess:
    """`boxwise live --no-browser` with these arguments, once it has said where it listens."""

    def __init__(self, *arguments, within=90):
        self.lines = []
        self._process = subprocess.Popen(
            [sys.executable, "-c", ENTRY, "live", "--no-browser", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            env={**os.environ, "PYTHONUTF8": "1"},
        )
        Thread(target=self._read, daemon=True).start()
        try:
            self.origin = self.said(r"^(http://127\.0\.0\.1:\d+/)$", within)
        except BaseException:
            self.stop()
            raise

    def _read(self):
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))

    def said(self, pattern, within=60, count=1):
        """Return the group of the `count`-th line that matches, as soon as there is one."""
        until = monotonic() + within
        while monotonic() < until:
            found = [match for line in [*self.lines] if (match := re.search(pattern, line))]
            if len(found) >= count:
                return found[count - 1][1]
            if self._process.poll() is not None:
                sleep(0.2)  # for the last lines
                raise AssertionError(f"boxwise live has ended: {self.lines}")
            sleep(0.05)
        raise AssertionError(f"boxwise live did not say {pattern!r}: {self.lines}")

    @property
    def services(self):
        """The ids of the processes of the service, the one that runs now last."""
        return [
            int(match[1]) for line in [*self.lines] if (match := re.search(r"process (\d+)", line))
        ]

    def kill_service(self):
        """Kill the service; return when `live` has started it again."""
        started = len(self.services)
        os.kill(self.services[-1], signal.SIGKILL)
        self.said(r"process (\d+)", count=started + 1)

    def stop(self, number=signal.SIGTERM):
        """End it; return its exit code."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        return self._process.wait(60)
