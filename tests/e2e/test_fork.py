"""A process may fork while other threads use models; the models must work in the child."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.e2e.command import ENVIRONMENT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")

# `in_child` forks, and returns what the function returned in the child; it never waits for ever.
BEGIN = """
import multiprocessing, os, pickle, select, signal, threading, time
import numpy as np
from boxwise import AgglomerativeGFMM, HyperboxClassifier
from boxwise.river import HyperboxClassifier as Stream

rng = np.random.default_rng(0)
X, y = rng.random((1000, 4)), rng.integers(0, 3, 1000)

def repeat(work):
    rounds = [0]
    def run():
        while True:
            work()
            rounds[0] += 1
    threading.Thread(target=run, daemon=True).start()
    while rounds[0] == 0:
        time.sleep(0.001)
    return rounds

def in_child(function):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            answer = function()
        except BaseException as error:
            answer = repr(error)
        os.write(write, pickle.dumps(answer))
        os._exit(0)
    os.close(write)
    try:
        assert select.select([read], [], [], 30)[0], "the child hangs"
        with os.fdopen(read, "rb") as pipe:
            return pickle.load(pipe)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
"""

LEARNING = """
clf = HyperboxClassifier(0.05, n_jobs=2).fit(X, y)
rounds = [repeat(lambda: clf.partial_fit(X, y)), repeat(lambda: clf.predict(X))]

def use():
    labels = clf.predict(X)
    many = clf.set_params(n_jobs=1).predict(X)
    clf.partial_fit(X, y)
    return labels.tolist() == many.tolist(), len(clf.predict(X)), clf.n_boxes_ > 0

for _ in range(20):
    assert in_child(use) == (True, len(X), True), in_child(use)
before = [count[0] for count in rounds]
while any(count[0] == b for count, b in zip(rounds, before)):
    time.sleep(0.001)
"""

# The state in the child is that after some row of the table, not one in the middle of a row. The
# thread learns as long as it takes: a fork comes when it has got on, however busy the machine is.
CONSISTENT = """
rows, labels = rng.random((100_000, 4)), rng.integers(0, 3, 100_000)
clf, copy = (HyperboxClassifier(0.05).fit(rows[:10], labels[:10]) for _ in range(2))

def learn():
    clf.partial_fit(rows[10:], labels[10:])
    while True:
        clf.partial_fit(rows, labels)

threading.Thread(target=learn, daemon=True).start()

def count():
    return int(clf._model.engine.snapshot()["rows"][0])

def describe():
    return count(), clf.predict_proba(X[:50]).tolist()

seen, deadline = [in_child(describe)], time.monotonic() + 120
while sum(samples % len(rows) > 10 for samples, _ in seen) < 5:
    while count() == seen[-1][0]:
        assert time.monotonic() < deadline, "the thread in the parent hangs"
        time.sleep(0.001)
    seen.append(in_child(describe))
    time.sleep(0.02)
learned = 10
for samples, shares in seen:
    order = np.arange(learned, samples) % len(rows)
    if len(order):
        copy.partial_fit(rows[order], labels[order])
    learned = samples
    assert copy.predict_proba(X[:50]).tolist() == shares
"""

# A product of large arrays is shared out among OpenBLAS's threads, which fork() ends: a thread that
# waits for them waits for ever. So tables must be read without one.
LARGE_TABLE = """
clf = HyperboxClassifier(1.0).fit(X, y)
large = rng.random((20_000, 4))
rounds = repeat(lambda: clf.predict(large))
for _ in range(60):
    assert in_child(lambda: len(clf.predict(X))) == len(X)
before, deadline = rounds[0], time.monotonic() + 60
while rounds[0] == before:
    assert time.monotonic() < deadline, "the thread in the parent hangs"
    time.sleep(0.001)
"""

STREAM = """
stream = Stream(0.05)
rows = [({"a": float(a), "b": f"{b:.1f}"}, int(label)) for (a, b, *_), label in zip(X, y)]
def learn():
    for row, label in rows:
        stream.learn_one(row, label)
learn()
repeat(learn)
repeat(lambda: [stream.predict_one(row) for row, _ in rows])

def use():
    learn()
    return stream.predict_one(rows[0][0]) is not None

for _ in range(20):
    assert in_child(use) is True
"""

POOL = """
clf = HyperboxClassifier(0.05).fit(X, y)
repeat(lambda: clf.partial_fit(X, y))
def predict(begin):
    return len(clf.predict(X[begin : begin + 100]))
for _ in range(3):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(predict, range(0, 1000, 100)).get(30) == [100] * 10
"""

NEW_MODELS = """
clf = HyperboxClassifier(0.05).fit(X, y)
for _ in range(2):
    repeat(lambda: HyperboxClassifier(0.3).fit(X[:50], y[:50]))
def use():
    return len(HyperboxClassifier(0.3).fit(X[:50], y[:50]).predict(X)), len(clf.predict(X))
for _ in range(20):
    assert in_child(use) == (len(X), len(X))
"""

LONG_FIT = """
other = HyperboxClassifier(0.05).fit(X, y)
busy = AgglomerativeGFMM(0.3, method="agglosm").fit(rng.random((50, 6)), y[:50])._model.engine
rows, labels = rng.random((20_000, 6)), rng.integers(0, 3, 20_000).astype(np.int32)
codes = np.empty((len(rows), 0), np.int32)
learner = threading.Thread(target=lambda: busy.learn(rows, rows, codes, labels), daemon=True)
learner.start()
time.sleep(0.3)

def use():
    return len(other.predict(X)), in_child(lambda: len(other.predict(X)))

assert in_child(use) == (len(X), len(X))
answer = in_child(lambda: busy.n_boxes)
assert "RuntimeError" in answer and "when the process forked" in answer, answer
assert learner.is_alive(), "fork() has waited for the end of the fit"
"""


def run(program: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BEGIN + program],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_fork_while_a_thread_learns_leaves_a_model_that_works() -> None:
    run(LEARNING)


def test_fork_while_a_thread_learns_leaves_a_consistent_model() -> None:
    run(CONSISTENT)


def test_fork_while_a_thread_reads_a_large_table_does_not_stop_it() -> None:
    run(LARGE_TABLE)


def test_fork_while_a_thread_learns_a_stream_leaves_a_model_that_works() -> None:
    run(STREAM)


def test_fork_while_threads_make_models_leaves_models_that_work() -> None:
    run(NEW_MODELS)


def test_fork_by_a_pool_while_a_thread_learns_leaves_models_that_work() -> None:
    run(POOL)


def test_fork_during_a_long_fit_does_not_wait_for_it_and_refuses_its_model() -> None:
    run(LONG_FIT)
