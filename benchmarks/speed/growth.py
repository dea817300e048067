"""What a row costs EIOLGFMM as boxes become many, with the exact index and without it.

Learned is a stream, once. At each size the latest rows are timed, and the same rows on copies of
the model without the index: by brute force, and as a model learns that is too small for one. Then
the model and the first copy predict rows not learned. Copies must end with the same boxes, bit by
bit, and predict the same classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from benchmarks.report import seconds
from benchmarks.speed import models
from benchmarks.speed.record import Record
from benchmarks.workloads import Table, Workload, without_data, workloads
from boxwise import EIOLGFMM
from boxwise.core import Model

LATEST = 2_000  # rows over which the cost of learning is taken
SETTLED = 1_000  # rows learned before: a copy has boxes asked that would be asked with these
TURN = 0.5  # seconds that predicting may take at a time
PREPARED = 600  # rows predicted before: what is made for many rows is there then


def run(record: Record) -> None:
    sizes = record.profile.pick((10_000, 20_000, 50_000, 100_000, 200_000), (3_000, 6_000, 12_000))
    patience = record.profile.pick(40, 5)  # seconds for a stream
    record.note(without_data())
    for workload in workloads():
        table = workload.table(min(sizes[-1] + LATEST, workload.most))
        grow(record, workload, table, sizes, patience)


def grow(
    record: Record, workload: Workload, table: Table, sizes: Sequence[int], patience: float
) -> None:
    model = models.new_model(table, EIOLGFMM(workload.size, workload.size))
    unseen = table.part(len(table) - LATEST, len(table))
    learned, begun = 0, perf_counter()
    for size in within(sizes, len(table) - LATEST):
        if learned and (perf_counter() - begun) * (size / learned) > patience * 2:
            record.note(
                f"{workload.name}: ended at {learned:,} rows, for time ({patience} s for a stream)."
            )
            break
        models.learn(model, table.part(learned, size - LATEST - SETTLED))
        costs = latest(model, table.part(size - LATEST - SETTLED, size), unseen)
        learned = size
        record.add(
            stream=workload.name,
            rows=size,
            boxes=model.n_boxes,
            **costs,
            around=around(model, unseen.part(0, 50)),
        )


def within(sizes: Sequence[int], most: int) -> list[int]:
    """Return the sizes that a stream has, and all of it in place of the first that it has not."""
    held = [size for size in sizes if size <= most]
    return held if len(held) == len(sizes) or most in held else [*held, most]


def latest(model: Model, rows: Table, unseen: Table) -> dict[str, float | bool]:
    """Return µs per row, and whether the index changes nothing."""
    ways = {"small": model.copy(), "brute": model.copy(), "index": model}
    ways["small"].set_index("small")
    ways["brute"].set_index("off")
    first, rows = rows.part(0, SETTLED), rows.part(SETTLED, len(rows))
    for one in ways.values():
        models.learn(one, first)
    took = {
        f"learn_{name}": seconds(models.learn, one, rows) / len(rows) * 1e6
        for name, one in ways.items()
    }
    predict = {name: predicting(ways[name], unseen) for name in ("index", "brute")}
    took |= {f"predict_{name}": cost for name, (cost, _) in predict.items()}
    common = min(len(said) for _, said in predict.values())
    told = [said[:common] for _, said in predict.values()]
    same = all(models.same_boxes(model, other) for other in ways.values())
    return took | {"same": same and np.array_equal(*told)}


def around(model: Model, rows: Table) -> float:
    """Return how many boxes a row lies within, by its numbers, at the mean."""
    boxes = model.boxes()
    lower, upper = np.nan_to_num(boxes.lower, nan=-np.inf), np.nan_to_num(boxes.upper, nan=np.inf)
    inside = [
        (((lower <= row) & (row <= upper)) | np.isnan(row)).all(axis=1).sum()
        for row in rows.numbers
    ]
    return float(np.mean(inside))


def predicting(model: Model, rows: Table) -> tuple[float, np.ndarray]:
    """Return µs per row, the best of three, and the predictions; of fewer rows if it is slow."""
    few = models.batch(rows.part(0, 50))
    model.predict(few)
    fit = int(TURN / max(seconds(model.predict, few) / 50, 1e-9))
    count = max(50, min(fit, len(rows)))
    batch = models.batch(rows.part(0, count))
    for _ in range(0, PREPARED, count):
        model.predict(batch)
    return seconds(model.predict, batch, repeat=3) / count * 1e6, model.predict(batch)
