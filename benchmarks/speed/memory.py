"""What a box of EIOLGFMM takes in memory: a million with ten numbers and ten categories.

The boxes are put into an engine in one go, as a model file is read, for a million rows take long to
learn. That a box learned takes as much is checked with fewer. Each is a process of its own: what
it grows by is set beside what the engine says.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed import models
from benchmarks.speed.record import Record
from benchmarks.workloads import Table
from boxwise import EIOLGFMM

FEATURES = 10  # of each kind


def run(record: Record) -> None:
    count, fewer = record.profile.pick((1_000_000, 20_000), (50_000, 2_000))
    for boxes, how in ((fewer, "learned"), (fewer, "put in"), (count, "put in")):
        command = [sys.executable, "-m", "benchmarks.speed.memory", str(boxes), how]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        record.add(boxes=boxes, how=how, **json.loads(done.stdout))


def table(rows: int) -> Table:
    """Return rows that are all unlike, so that each becomes a box."""
    rng = np.random.default_rng(5)
    codes = rng.integers(8, size=(rows, FEATURES)).astype(np.int32)
    return Table(rng.random((rows, FEATURES)), codes, (np.arange(rows) % 4).astype(np.int32))


def measure(boxes: int, how: str) -> dict[str, Any]:
    """Make the model in this process; return bytes a box."""
    rows = table(boxes + 100)
    made, more = rows.part(0, boxes), rows.part(boxes, boxes + 100)
    model = models.new_model(rows, EIOLGFMM(1e-9, 1e-9))
    arrays = state(made)  # before: they are not the engine's
    before = resident()
    if how == "learned":
        models.learn(model, made)
    else:
        model.engine.restore(**arrays)
    model.predict(models.batch(more))  # what is made on the first call counts too
    models.learn(model, more)
    n = model.n_boxes
    return {
        "engine": model.n_bytes / n,
        "resident": (resident() - before) / n,
        "bare": 16 * FEATURES + 4 * FEATURES + 4,
    }


def state(rows: Table) -> dict[str, Any]:
    """Return the rows as boxes of a model: each an interval of no length that holds one row."""
    n = len(rows)
    return {
        "V": rows.numbers,
        "W": rows.numbers,
        "n": np.ones(n, np.uint32),
        "label": rows.labels,
        "id": np.arange(n, dtype=np.uint64),
        "first": np.arange(n * FEATURES + 1, dtype=np.uint64),
        "code": rows.codes.ravel(),
        "times": np.ones(n * FEATURES, np.uint32),
        "n_classes": int(rows.labels.max()) + 1,
        "next_id": n,
    }


def resident() -> int:
    """Return the bytes of this process in memory; where that is not known, their peak."""
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), sys.argv[2])))
