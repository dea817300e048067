"""What a box takes: a million boxes of ten numbers and ten categories fit in 1 GB."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from boxwise import EIOLGFMM
from boxwise._native import EntropyEngine

N_BOXES = 20_000
MOST_BYTES = 850  # of a box, so that a million of them are well below 1 GB

LEARN = """
import numpy as np
from boxwise._native import EntropyEngine

def rows(n_boxes, n_values, n_classes):
    rng = np.random.default_rng(0)
    X = rng.random((n_boxes, 10))
    codes = rng.integers(0, n_values, (n_boxes, 10)).astype(np.int32)
    return X, X, codes, np.arange(n_boxes, dtype=np.int32) % n_classes

def learned(*rows):
    engine = EntropyEngine(
        n_categorical=10, theta=0.0, delta=0.05, alpha=0.5, gamma=[1.0] * 10, mean=False,
        low=[0.0] * 10, high=[1.0] * 10, growing=[False] * 10,
    )
    engine.learn(*rows)
    return engine
"""

RESIDENT = """
from pathlib import Path

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

learned(*rows(1_000, 20, 10))  # what is needed once and for all
table = rows(60_000, 20, 30)
before = resident()
engine = learned(*table)
print((resident() - before) / engine.bytes)
"""


@pytest.mark.parametrize("n_values", [20, 60, 1_000])
@pytest.mark.parametrize("n_classes", [1, 10])
def test_a_million_boxes_would_fit_in_one_gigabyte(n_values: int, n_classes: int) -> None:
    names: dict[str, Any] = {}
    exec(LEARN, names)
    engine = names["learned"](*names["rows"](N_BOXES, n_values, n_classes))
    assert engine.n_boxes == N_BOXES
    assert engine.bytes / N_BOXES < MOST_BYTES


def test_boxes_with_several_values_fit_too() -> None:
    """Boxes of one interval each, all of which hold six values or so of every column.

    Not the index, whose leaves are half empty where rows come in order.
    """
    rng = np.random.default_rng(0)
    n_boxes, n_values = 4_000, 20
    engine = EntropyEngine(
        n_categorical=10, theta=0.0, delta=1.0, alpha=0.5, gamma=[1.0], mean=False,
        low=[0.0], high=[1.0], growing=[False],
    )  # fmt: skip
    engine.set_index("off")
    X = np.repeat(np.arange(n_boxes) / n_boxes, 6)[:, None]
    codes = rng.integers(0, n_values, (len(X), 10)).astype(np.int32)
    engine.learn(X, X, codes, np.zeros(len(X), dtype=np.int32))
    assert engine.n_boxes == n_boxes
    assert engine.bytes / n_boxes + 9 * 16 < MOST_BYTES  # with nine more columns of numbers


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_bytes_reported_are_those_that_the_process_grows_by() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEARN + RESIDENT], capture_output=True, text=True, check=True
    )
    assert 0.8 < float(done.stdout) < 1.25


def test_the_first_boxes_of_a_class_are_counted_however_many_columns() -> None:
    rng = np.random.default_rng(0)
    sizes = []
    for columns in (100, 120, 125, 130, 200):  # the arrays begin in 4 to 26 KB
        X = rng.random((1, columns)) + np.arange(20)[:, None]
        clf = EIOLGFMM(0.0).fit(X, np.arange(20))
        sizes.append(clf.n_bytes_ / columns)
    assert max(sizes) < 1.2 * min(sizes)
