"""Python may end while daemon threads are inside the engine; that must not abort the process."""

from __future__ import annotations

import subprocess
import sys

from tests.e2e.command import ENVIRONMENT

RUNS = 6  # at once, so that threads are stopped at all sorts of places

BEGIN = """
import gc, sys, threading, time
import numpy as np
from boxwise import AgglomerativeGFMM, EIOLGFMM, tune
from boxwise.river import HyperboxClassifier as Stream

rng = np.random.default_rng(0)
X, y = rng.random((2000, 4)), rng.integers(0, 3, 2000)
clf = EIOLGFMM(0.01, n_jobs=2).fit(X, y)

def again_and_again(work):
    while True:
        work()

def start(*works):
    for work in works:
        threading.Thread(target=again_and_again, args=[work], daemon=True).start()
    time.sleep(0.3)
"""

AT_WORK = """
start(
    lambda: clf.predict(X),
    lambda: clf.n_boxes_,
    lambda: AgglomerativeGFMM(0.3, method="agglosm", n_jobs=2).fit(X, y),
    lambda: tune(clf, X, y, {"theta": [0.1, 0.2]}, cv=2, refit=False, progress=False),
)
"""

# NumPy finds the distinct values of integers in C++ that takes Python's lock in a destructor. The
# folds of `tune` are made so; many labels keep a thread there most of the time.
IN_NUMPY = """
labels = rng.integers(0, 3, 300_000)
start(lambda: clf.n_boxes_, lambda: np.unique(labels))
"""

# Code written in Python that the engine calls lets go of Python's lock at any moment: comparing
# keys, reporting progress, what runs when garbage is collected.
IN_PYTHON = """
class Text(str):
    def __hash__(self):
        return 0 * sum(range(2000)) + hash(str(self))
    def __eq__(self, other):
        return 0 * sum(range(2000)) + (str(self) == str(other))

stream = Stream(0.1)
def one_row():
    row = {Text("a"): 1.0, "b": Text("x")}
    stream.learn_one(row, Text("yes"))
    stream.predict_one(row)

def report(*_):
    for _ in range(3000):
        pass

sys.setswitchinterval(1e-5)
gc.callbacks.append(lambda *_: sum(1 for _ in range(30)))
gc.set_threshold(5)
start(
    one_row,
    lambda: clf.predict(X[:5]),
    lambda: tune(clf, X[:50], y[:50], {"theta": [0.1]}, cv=2, refit=False, progress=report),
)
"""


def run(program: str) -> None:
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", BEGIN + program],
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(RUNS)
    ]
    try:
        ended = [(process.communicate(timeout=240)[1], process.returncode) for process in begun]
    finally:
        for process in begun:
            process.kill()
    assert ended == [("", 0)] * RUNS


def test_daemon_threads_at_work_do_not_abort_the_process() -> None:
    run(AT_WORK)


def test_daemon_threads_in_numpy_do_not_abort_the_process() -> None:
    run(IN_NUMPY)


def test_daemon_threads_in_code_called_by_the_engine_do_not_abort_the_process() -> None:
    run(IN_PYTHON)
