"""How near brute force is to what the machine can do: a roofline, measured in the same run.

Reading speed and the rate of max are measured by limits.cpp, compiled here for this processor.
For each model the bound is the longer of two times: to read the bytes that asking all boxes needs,
from an array of that very size, and to do the arithmetic at the largest rate.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.report import seconds
from benchmarks.speed import models
from benchmarks.speed.record import Record
from benchmarks.workloads import Table, loan
from boxwise import EIOLGFMM

# The flags of the engine's kernels, and all instructions that the processor has.
FLAGS = ("-O3", "-march=native", "-fno-signed-zeros", "-ffinite-math-only", "-shared", "-fPIC")
PREDICTED = 200
MAX_EACH_TIME = 40  # operations of most_max in limits.cpp
# Cost of a box as long as it is ruled out: two bytes of each number and of each category, and
# its share of a sample. In operations on doubles, where one takes as long as eight on bytes or two
# on floats: for a number, how far the row is below and above it and the largest so far, two each;
# for a category, to compare, select and add; for the box, to turn both into a membership, eight.
BYTES = {"number": 2, "category": 2, "box": 4}
OPERATIONS = {"number": 6 / 8, "category": 3 / 8, "box": 8 / 2}


def run(record: Record) -> None:
    try:
        limits = compiled()
    except (OSError, subprocess.CalledProcessError) as problem:
        record.note(f"The bound was not measured: limits.cpp was not compiled ({problem}).")
        return
    rate = arithmetic(limits)
    record.add(what="max", gigaflops=rate / 1e9)
    for name, size in (
        ("first cache", 2**14),
        ("second", 2**19),
        ("third", 2**23),
        ("memory", 2**28),
    ):
        record.add(what=f"read, {name}", bytes=size, gigabytes_per_second=reading(limits, size))
    for rows in record.profile.pick((2_000, 10_000, 50_000, 100_000), (2_000, 10_000)):
        compare(record, limits, rate, loan(rows + PREDICTED))


def compiled() -> ctypes.CDLL:
    """Compile the measure of the machine and load it."""
    source = Path(__file__).with_name("limits.cpp")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "limits.so")
        compiler = os.environ.get("CXX", "c++").split()
        subprocess.run([*compiler, *FLAGS, "-o", library, source], check=True, capture_output=True)
        limits = ctypes.CDLL(str(library))
    for name in ("read_all", "most_max"):
        getattr(limits, name).restype = ctypes.c_double
    return limits


def arithmetic(limits: ctypes.CDLL) -> float:
    """Return how many operations a second there are of max, the kernels' own."""
    start = np.linspace(0.1, 0.9, 4)
    pointer, times = start.ctypes.data_as(ctypes.c_void_p), 2_000_000
    took = seconds(limits.most_max, ctypes.c_size_t(times), pointer, repeat=20)
    return MAX_EACH_TIME * times / took


def reading(limits: ctypes.CDLL, size: int) -> float:
    """Return gigabytes a second, reading so many bytes again and again."""
    data = np.ones(max(size // 8, 32))
    times = max(1, 2**26 // data.nbytes)
    pointer = data.ctypes.data_as(ctypes.c_void_p)
    count, often = ctypes.c_size_t(len(data)), ctypes.c_size_t(times)
    return data.nbytes * times / seconds(limits.read_all, pointer, count, often, repeat=5) / 1e9


def compare(record: Record, limits: ctypes.CDLL, rate: float, table: Table) -> None:
    rows = len(table) - PREDICTED
    model = models.new_model(table, EIOLGFMM(0.1, 0.1))
    models.learn(model, table.part(0, rows))
    model.set_index("off")
    unseen = models.batch(table.part(rows, len(table)))
    boxes = model.n_boxes
    model.predict(unseen)
    took = seconds(model.predict, unseen, repeat=5) / PREDICTED / boxes
    n, r = table.numbers.shape[1], table.codes.shape[1]
    size = amount(BYTES, n, r)
    operations = amount(OPERATIONS, n, r)
    memory = size / reading(limits, int(size * boxes))  # ns
    work = operations / rate * 1e9
    record.add(
        what="predict",
        boxes=boxes,
        bytes=size,
        operations=operations,
        ns=took * 1e9,
        ns_to_read=memory,
        ns_to_work=work,
        distance=took * 1e9 / max(memory, work),
    )


def amount(each: dict[str, float], n: int, r: int) -> float:
    """Return what a box of n numbers and r categories takes."""
    return each["number"] * n + each["category"] * r + each["box"]
