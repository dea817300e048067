"""Python may end while daemon threads are inside the engine; that must not abort the process."""

from __future__ import annotations

import subprocess
import sys

from tests.e2e.command import ENVIRONMENT

PROGRAM = """
import threading, time
import numpy as np
from boxwise import AgglomerativeGFMM, EIOLGFMM, tune

rng = np.random.default_rng(0)
X, y = rng.random((2000, 4)), rng.integers(0, 3, 2000)
clf = EIOLGFMM(0.01, n_jobs=2).fit(X, y)

def again_and_again(work):
    while True:
        work()

for work in (
    lambda: clf.predict(X),
    lambda: clf.n_boxes_,
    lambda: AgglomerativeGFMM(0.3, method="agglosm", n_jobs=2).fit(X, y),
    lambda: tune(clf, X, y, {"theta": [0.1, 0.2]}, cv=2, refit=False, progress=False),
):
    threading.Thread(target=again_and_again, args=[work], daemon=True).start()
time.sleep(0.3)
"""


def test_daemon_threads_at_work_do_not_abort_the_process() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
